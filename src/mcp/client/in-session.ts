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
import { isTtl, passes, UNSAID } from './discover.ts';
import type { RemoteCall, RemoteRequest, ToolList } from './mcp-connection.ts';
import { MAX_WAIT, type OpenWire } from './open-wire.ts';
import { paramHeaders } from './wire/mcp-headers.ts';
import { HttpStatusError, NotSentError, WireError } from './wire/wire-error.ts';

/** Throws what `work` throws, but where the session ended, why it ended. */
export async function within<T>(session: OpenWire, work: (session: OpenWire) => Promise<T>): Promise<T> {
  if (session.wire.broken) throw new NotSentError();
  try {
    return await work(session);
  } catch (error) {
    // The SDK's own words say only that it was closed.
    const isClosed = error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
    throw (isClosed && session.wire.broken) || error;
  }
}

/** By this a server says that it does not know a session (MCP specification, Session Management). */
export const FORGOTTEN = 404;

/**
 * Whether a session is of no use any more. Servers that were restarted often answer 400 to one that they do not know; since
 * others so answer a request that they dislike, it is not sent again.
 */
export const isRefused = (error: unknown, { wire }: OpenWire): error is HttpStatusError =>
  error instanceof HttpStatusError && [FORGOTTEN, 400].includes(error.status) && wire.sessionId !== undefined;

/**
 * Whether a server that was known to have no sessions is another one by now. It did nothing then; where it dislikes the request
 * itself, it will say so again.
 */
export const isMistaken = (error: unknown, { spoken, isRemembered }: OpenWire): boolean =>
  isRemembered && spoken.era === 'stateless' && (error instanceof NotRememberedError || saysOtherwise(error));

const saysOtherwise = (error: unknown): boolean =>
  error instanceof HttpStatusError &&
  [400, FORGOTTEN, 405].includes(error.status) &&
  ![HEADER_MISMATCH, MISSING_CAPABILITY].includes(error.said?.code ?? 0);

/** What is remembered of a server lacks what is wanted of it. Nothing was sent. */
class NotRememberedError extends Error {}

/**
 * Doubts what is remembered of a server without sessions where that lacks what is wanted: it may offer more by now.
 *
 * @throws NotRememberedError, by which the session is `isMistaken`.
 */
export function mustRemember(
  { sdk, spoken, isRemembered }: OpenWire,
  offer: 'tools' | RemoteRequest['offer'],
): void {
  if (isRemembered && spoken.era === 'stateless' && !sdk.getServerCapabilities()?.[offer])
    throw new NotRememberedError(`It is not remembered to offer ${offer}.`);
}

/** JSON-RPC errors of a server without sessions: that headers say something else than the body, and that this side lacks something. */
export const HEADER_MISMATCH = -32_020;
const MISSING_CAPABILITY = -32_021;

export function codeOf(error: unknown): number | undefined {
  if (error instanceof HttpStatusError) return error.said?.code;
  return error instanceof ProtocolError ? error.code : undefined;
}

/**
 * Calls a tool, not by the SDK's `callTool`: that checks structured content by the schema it was last told, and takes from it
 * which headers a call has, where a session remembers its own. The progress token is ours, since the wire too has to know which
 * call a request belongs to.
 */
export function request(
  { sdk, spoken }: OpenWire,
  { name, input, inputSchema = {}, meta, goesOn }: RemoteCall,
  call: CallInFlight,
): Promise<CallToolResult | InputRequiredResult> {
  const isStateless = spoken.era === 'stateless';
  // Without sessions, a server logs only where it is asked to.
  const logs = isStateless && sdk.getServerCapabilities()?.logging && { [LOG_LEVEL_META_KEY]: 'info' };
  return sdk.request(
    {
      method: 'tools/call',
      params: { name, arguments: input, ...goesOn, _meta: { ...logs, ...meta, progressToken: call.token } },
    },
    {
      signal: call.signal,
      timeout: MAX_WAIT,
      allowInputRequired: true,
      ...(isStateless && { headers: paramHeaders(inputSchema, input) }),
    },
  );
}

/**
 * Answers what was streamed where the answer itself is empty: a server that streams is to answer all of it again, and one that
 * does not would have said nothing.
 */
export function withStreamed(answer: CallToolResult, streamed: readonly ContentBlock[]): CallToolResult {
  const isEmpty = answer.content.length === 0 && answer.structuredContent === undefined;
  if (!isEmpty || streamed.length === 0) return answer;
  const content: ContentBlock[] = [];
  for (const block of streamed) {
    const last = content.at(-1);
    const isMore = block.type === 'text' && last?.type === 'text';
    // Texts are streamed in pieces, of words as it may be.
    if (isMore) content.splice(-1, 1, { ...last, text: last.text + block.text });
    else content.push(block);
  }
  return { ...answer, content };
}

/** The most pages of a list: each is a request. */
const MAX_PAGES = 20;

/** A server's list does not come to an end, or not soon enough. */
class EndlessListError extends WireError {
  override readonly name = 'EndlessListError';
  readonly phrase: string;

  constructor(phrase: string) {
    super(phrase);
    this.phrase = phrase;
  }
}

/**
 * Lists every tool of a server, of all pages (MCP specification, Pagination), in its order. Definitions that are none are left out:
 * one bad tool does not take the others away. A server without the capability has none, and is not asked. How many of them are
 * used is up to whoever lists them; all pages together may be as long as one response, `maxLength`.
 *
 * @throws EndlessListError, and what the request throws.
 */
export async function listAll(sdk: Client, signal: AbortSignal, maxLength: number): Promise<ToolList> {
  if (!sdk.getServerCapabilities()?.tools) return { tools: [] };
  const tools: Tool[] = [];
  let ttl: number | undefined;
  const seen = new Set<string>();
  let length = 0;
  for (let cursor: string | undefined; ; ) {
    const params = cursor === undefined ? {} : { cursor };
    const page = await whileAsked(signal, (asked) =>
      sdk.request({ method: 'tools/list', params }, specTypeSchemas.Result, {
        signal: asked,
        timeout: MAX_WAIT,
      }),
    );
    length += JSON.stringify(page).length;
    if (length > maxLength) throw new EndlessListError(`its list is longer than ${maxLength} characters`);
    tools.push(...toolsOf(page.tools));
    ttl = shorterOf(ttl, page.ttlMs);
    if (typeof page.nextCursor !== 'string') return { tools, ttl };
    cursor = page.nextCursor;
    if (seen.has(cursor)) throw new EndlessListError('its pages go round in circles');
    if (seen.add(cursor).size === MAX_PAGES)
      throw new EndlessListError(`it has more than ${MAX_PAGES} pages`);
  }
}

/** Gives the SDK a signal that ends with the request: it would cancel an answered request, by a reason of ours, much later. */
export async function whileAsked<T>(
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

const toolsOf = (listed: unknown): readonly Tool[] =>
  Array.isArray(listed) ? listed.filter((one) => passes(isSpecType.Tool, one)) : [];

const shorterOf = (before: number | undefined, said: unknown): number | undefined =>
  isTtl(said) && said !== UNSAID ? Math.min(said, before ?? said) : before;
