import {
  type CallToolResult,
  type Client,
  type ContentBlock,
  type InputRequiredResult,
  isSpecType,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  specTypeSchemas,
  type Tool,
} from '@modelcontextprotocol/client';
import type { CallInFlight } from './calls-in-flight.ts';
import { isTtl, NO_TTL, passesCheck } from './discover.ts';
import type { RemoteCall, RemoteRequest, ToolList } from './mcp-connection.ts';
import { MAX_WAIT_MS, type OpenWire } from './open-wire.ts';
import { createParamHeaders } from './wire/mcp-headers.ts';
import { HttpStatusError, NotSentError, WireError } from './wire/wire-error.ts';

/**
 * Runs `work` in a session. Errors from `work` pass through. If the session ended, throws the reason instead.
 */
export async function runInSession<T>(
  session: OpenWire,
  work: (session: OpenWire) => Promise<T>,
): Promise<T> {
  if (session.wire.broken) throw new NotSentError();
  try {
    return await work(session);
  } catch (error) {
    // The SDK's own error shows only that it was closed.
    const isClosed = error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
    throw (isClosed && session.wire.broken) || error;
  }
}

/** The status for an unknown session (MCP specification, Session Management). */
export const UNKNOWN_SESSION_STATUS = 404;

/**
 * Returns whether a session is unusable. After a restart, many servers respond with 400 to an unknown
 * session. Others use 400 for a bad request, so the request is not repeated.
 */
export const isSessionRefused = (error: unknown, { wire }: OpenWire): error is HttpStatusError =>
  error instanceof HttpStatusError &&
  [UNKNOWN_SESSION_STATUS, 400].includes(error.status) &&
  wire.sessionId !== undefined;

/**
 * Returns whether an error means that the stored protocol of a server without sessions is outdated. The
 * server then did not run the request, so it can be repeated. If the request itself is invalid, the server
 * reports that again.
 */
export const isProtocolOutdated = (error: unknown, { spoken, isRemembered }: OpenWire): boolean =>
  isRemembered &&
  spoken.era === 'stateless' &&
  (error instanceof CapabilityUnknownError || contradictsProtocol(error));

const contradictsProtocol = (error: unknown): boolean =>
  error instanceof HttpStatusError &&
  [400, UNKNOWN_SESSION_STATUS, 405].includes(error.status) &&
  ![HEADER_MISMATCH, MISSING_CAPABILITY].includes(error.said?.code ?? 0);

/** Thrown if the stored data about a server lacks a required capability. Nothing was sent. */
class CapabilityUnknownError extends Error {}

/**
 * Checks the stored data of a server without sessions for a capability. If it is missing, the data may be
 * outdated.
 *
 * @throws CapabilityUnknownError, for which `isProtocolOutdated` returns `true`.
 */
export function assertCapabilityKnown(
  { sdk, spoken, isRemembered }: OpenWire,
  offer: 'tools' | RemoteRequest['offer'],
): void {
  if (isRemembered && spoken.era === 'stateless' && !sdk.getServerCapabilities()?.[offer])
    throw new CapabilityUnknownError(`The stored data of the server does not include ${offer}.`);
}

/**
 * JSON-RPC errors of a server without sessions: headers that contradict the body, and a missing capability of
 * this client.
 */
export const HEADER_MISMATCH = -32_020;
const MISSING_CAPABILITY = -32_021;

export function getCode(error: unknown): number | undefined {
  if (error instanceof HttpStatusError) return error.said?.code;
  return error instanceof ProtocolError ? error.code : undefined;
}

/**
 * Calls a tool without the SDK's `callTool`, which takes the schema of structured content and the headers
 * from its latest list. A session uses its own stored list. The progress token is ours, because the wire must
 * also map requests to calls.
 */
export function requestCall(
  { sdk, spoken }: OpenWire,
  { name, input, inputSchema = {}, meta, continuation }: RemoteCall,
  call: CallInFlight,
): Promise<CallToolResult | InputRequiredResult> {
  const isStateless = spoken.era === 'stateless';
  // Without sessions, a server logs only on request.
  const logs = isStateless && sdk.getServerCapabilities()?.logging && { [LOG_LEVEL_META_KEY]: 'info' };
  return sdk.request(
    {
      method: 'tools/call',
      params: {
        name,
        arguments: input,
        ...continuation,
        _meta: { ...logs, ...meta, progressToken: call.token },
      },
    },
    {
      signal: call.signal,
      timeout: MAX_WAIT_MS,
      allowInputRequired: true,
      ...(isStateless && { headers: createParamHeaders(inputSchema, input) }),
    },
  );
}

/**
 * Returns the streamed content if the result itself is empty. A server that streams should repeat all content
 * in its result.
 */
export function mergeStreamed(answer: CallToolResult, streamed: readonly ContentBlock[]): CallToolResult {
  const isEmpty = answer.content.length === 0 && answer.structuredContent === undefined;
  if (!isEmpty || streamed.length === 0) return answer;
  const content: ContentBlock[] = [];
  for (const block of streamed) {
    const last = content.at(-1);
    const isMore = block.type === 'text' && last?.type === 'text';
    // Text is streamed in pieces, such as single words.
    if (isMore) content.splice(-1, 1, { ...last, text: last.text + block.text });
    else content.push(block);
  }
  return { ...answer, content };
}

/** The maximum number of pages in a list. Each is a request. */
const MAX_PAGES = 20;

/** Thrown if a server's list has no end, or is too long. */
class EndlessListError extends WireError {
  override readonly name = 'EndlessListError';
  readonly phrase: string;

  constructor(phrase: string) {
    super(phrase);
    this.phrase = phrase;
  }
}

/**
 * Lists every tool of a server, from all pages (MCP specification, Pagination), in its order. Omits invalid
 * definitions, so one bad tool does not hide the others. A server without the capability is not asked. The
 * caller limits the number of tools. All pages together have the size limit of one response, `maxLength`.
 *
 * @throws EndlessListError for a list that is too long. Errors from the request pass through.
 */
export async function listAll(sdk: Client, signal: AbortSignal, maxLength: number): Promise<ToolList> {
  if (!sdk.getServerCapabilities()?.tools) return { tools: [] };
  const tools: Tool[] = [];
  let ttl: number | undefined;
  const seen = new Set<string>();
  let length = 0;
  for (let cursor: string | undefined; ; ) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await withRequestSignal(signal, (asked) =>
      sdk.request({ method: 'tools/list', params }, specTypeSchemas.Result, {
        signal: asked,
        timeout: MAX_WAIT_MS,
      }),
    );
    length += JSON.stringify(page).length;
    if (length > maxLength) throw new EndlessListError(`its list is longer than ${maxLength} characters`);
    tools.push(...filterValidTools(page.tools));
    ttl = getShorterTtl(ttl, page.ttlMs);
    if (typeof page.nextCursor !== 'string') return { tools, ttl };
    cursor = page.nextCursor;
    if (seen.has(cursor)) throw new EndlessListError('its pages form a loop');
    if (seen.add(cursor).size === MAX_PAGES)
      throw new EndlessListError(`it has more than ${MAX_PAGES} pages`);
  }
}

/**
 * Gives the SDK a signal that ends with the request. Otherwise the SDK would send a cancellation for an
 * answered request, much later and with our own reason.
 */
export async function withRequestSignal<T>(
  signal: AbortSignal,
  ask: (asked: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const onAbort = () => over.abort('The list is not waited for.');
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await ask(over.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const filterValidTools = (listed: unknown): readonly Tool[] =>
  Array.isArray(listed) ? listed.filter((one) => passesCheck(isSpecType.Tool, one)) : [];

const getShorterTtl = (before: number | undefined, said: unknown): number | undefined =>
  isTtl(said) && said !== NO_TTL ? Math.min(said, before ?? said) : before;
