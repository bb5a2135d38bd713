import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type DiscoverResult,
  type Implementation,
  isSpecType,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';
import { attempt } from '../../tool/async.ts';
import { isJsonObject, type Json } from '../../tool/json.ts';
import { answeredBy, type Wire } from './wire/wire.ts';
import {
  HttpStatusError,
  NoAnswerError,
  NotMcpError,
  type RefusalWords,
  UnknownRevisionError,
} from './wire/wire-error.ts';

/** The revision without sessions. */
const STATELESS = '2026-07-28';

/**
 * The protocol of a server, stored for later connections: the revision 2026-07-28 without sessions, a
 * revision with `initialize`, or the transport of 2024-11-05. A type alias, because it must be JSON.
 */
export type Spoken = {
  readonly era: 'stateless' | 'session' | 'sse';
  /**
   * The capabilities of a server without sessions, such as `tools`. Other servers send theirs in each
   * session.
   */
  readonly offers?: readonly string[];
};

/** The server capabilities that this client uses. */
const OFFERS = ['tools', 'resources', 'prompts', 'completions', 'logging'] as const;

/** Returns the data to store about a server, from its own description. */
export const spokenBy = ({ capabilities }: DiscoverResult): Spoken => ({
  era: 'stateless',
  offers: OFFERS.filter((name) => capabilities[name] !== undefined),
});

/** Returns the description of a server, from the stored data. */
export const rememberedOf = ({ offers = [] }: Spoken): DiscoverResult => ({
  supportedVersions: [STATELESS],
  capabilities: Object.fromEntries(offers.map((name) => [name, {}])),
});

/** This client's introduction to a server. */
export interface Introduction {
  readonly clientInfo: Implementation;
  readonly capabilities: ClientCapabilities;
}

/**
 * Asks a server by `server/discover` for its revisions (MCP specification 2026-07-28, Versioning). The wire
 * must have no other user yet. Any other response means that the server is older. Whether that is true shows
 * when a session begins. Returns `undefined` for such a server.
 *
 * @throws UnknownRevisionError if it only speaks newer revisions, HttpStatusError for 401 and 403. Other
 * errors that prevent a response pass through.
 */
export async function discover(wire: Wire, introduction: Introduction): Promise<DiscoverResult | undefined> {
  let answer = await answerTo(wire, 1, introduction);
  // The response can come from another Worker of the server, with an older or newer version.
  if ('error' in answer && namedBy(answer.error)?.includes(STATELESS)) {
    answer = await answerTo(wire, 2, introduction);
  }
  if ('error' in answer) return olderThan(namedBy(answer.error));
  const { result } = answer;
  if (!isSpecType.DiscoverResult(result)) return undefined;
  return result.supportedVersions.includes(STATELESS) ? result : olderThan(result.supportedVersions);
}

function olderThan(revisions: readonly string[] | undefined): undefined {
  const isNewer = revisions?.length && revisions.every((one) => one > STATELESS);
  if (isNewer) throw new UnknownRevisionError(revisions);
}

/** The JSON-RPC error for an unsupported revision. It lists the supported ones. */
const UNSUPPORTED_REVISION = -32_022;

function namedBy({ code, data }: RefusalWords): readonly string[] | undefined {
  const named = code === UNSUPPORTED_REVISION && isJsonObject(data) ? data.supported : undefined;
  return Array.isArray(named) ? named.filter((one) => typeof one === 'string') : undefined;
}

type Answer = { readonly result: unknown } | { readonly error: RefusalWords };

async function answerTo(wire: Wire, attempt: number, introduction: Introduction): Promise<Answer> {
  const id = `discover-${attempt}`;
  let answer: Answer | undefined;
  wire.onmessage = (message: JSONRPCMessage) => {
    if (answeredBy(message) !== id) return;
    if ('result' in message) answer = message;
    if ('error' in message) answer = { error: { ...message.error, data: message.error.data as Json } }; // it arrived as JSON
  };
  try {
    await wire.send({
      jsonrpc: '2.0',
      id,
      method: 'server/discover',
      params: { _meta: envelopeOf(introduction) },
    });
  } catch (error) {
    if (!isOfOlderServer(error)) throw error;
    return { error: (error instanceof HttpStatusError && error.said) || NOTHING_SAID };
  }
  return answer ?? { error: NOTHING_SAID };
}

const NOTHING_SAID: RefusalWords = { code: 0, message: '' };

const envelopeOf = ({ clientInfo, capabilities }: Introduction) => ({
  [PROTOCOL_VERSION_META_KEY]: STATELESS,
  [CLIENT_INFO_META_KEY]: clientInfo,
  [CLIENT_CAPABILITIES_META_KEY]: capabilities,
});

/**
 * Returns whether an error can come from an older server. It can respond to the unknown request with any
 * error, even an internal one. Errors about credentials are reported at once.
 */
const isOfOlderServer = (error: unknown): boolean =>
  error instanceof HttpStatusError
    ? error.status !== 401 && error.status !== 403
    : error instanceof NotMcpError || error instanceof NoAnswerError;

/** Returns whether a value is a valid number of milliseconds for a cached response. */
export const isTtl = (said: unknown): said is number => Number.isSafeInteger(said) && Number(said) >= 0;

/** Means that the server gave no cache period. The SDK requires a number. */
export const UNSAID = Number.MAX_SAFE_INTEGER;

/** The lists in responses, and the checks for their items. */
const LISTED = {
  tools: isSpecType.Tool,
  resources: isSpecType.Resource,
  resourceTemplates: isSpecType.ResourceTemplate,
  prompts: isSpecType.Prompt,
} as const;

/** Returns whether a value passes a check. A value that is nested too deeply does not. */
export function passes<One>(isOne: (value: unknown) => value is One, value: unknown): value is One {
  const looked = attempt(() => isOne(value));
  return looked.ok && looked.value;
}

/**
 * Copies a response of the revision without sessions to a form that the SDK accepts. The SDK would refuse a
 * whole list because of one invalid definition. It would also refuse a response that lacks its type or its
 * cache period, although by the specification clients treat it as complete.
 */
export function readable(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message)) return message;
  const { resultType = 'complete', ttlMs, cacheScope, ...result } = message.result;
  const lists = Object.entries(LISTED).flatMap(([name, isListed]) => {
    const list = result[name];
    return Array.isArray(list) ? [[name, list.filter((one) => passes(isListed, one))]] : [];
  });
  const isKept = lists.length > 0 || 'contents' in result;
  const current = isKept && {
    ttlMs: isTtl(ttlMs) ? ttlMs : UNSAID,
    cacheScope: cacheScope === 'public' ? 'public' : 'private',
  };
  return { ...message, result: { ...result, resultType, ...current, ...Object.fromEntries(lists) } };
}
