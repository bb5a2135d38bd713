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
import { findAnsweredRequestId, type Wire } from './wire/wire.ts';
import {
  HttpStatusError,
  NoAnswerError,
  NotMcpError,
  type RpcRefusal,
  UnknownRevisionError,
} from './wire/wire-error.ts';

/** The revision without sessions. */
const STATELESS_REVISION = '2026-07-28';

/**
 * The protocol of a server, stored for later connections: the revision 2026-07-28 without sessions, a
 * revision with `initialize`, or the transport of 2024-11-05. A type alias, because an interface is not
 * assignable to JSON.
 */
export type KnownProtocol = {
  readonly era: 'stateless' | 'session' | 'sse';
  /**
   * The capabilities of a server without sessions, such as `tools`. Other servers send theirs in each
   * session.
   */
  readonly offers?: readonly string[];
};

/** The server capabilities that this client uses. */
const USED_CAPABILITIES = ['tools', 'resources', 'prompts', 'completions', 'logging'] as const;

/** Returns the data to store about a server, from its own description. */
export const toKnownProtocol = ({ capabilities }: DiscoverResult): KnownProtocol => ({
  era: 'stateless',
  offers: USED_CAPABILITIES.filter((name) => capabilities[name] !== undefined),
});

/** Returns the description of a server, from the stored data. */
export const toDiscoverResult = ({ offers = [] }: KnownProtocol): DiscoverResult => ({
  supportedVersions: [STATELESS_REVISION],
  capabilities: Object.fromEntries(offers.map((name) => [name, {}])),
});

/** This client's introduction to a server. */
export interface Introduction {
  readonly clientInfo: Implementation;
  readonly capabilities: ClientCapabilities;
}

/**
 * Asks a server for its revisions with `server/discover` (MCP specification 2026-07-28, Versioning). The wire
 * must have no other user yet. Returns `undefined` for any other response, which means that the server is
 * probably older. The start of a session then confirms it.
 *
 * @throws UnknownRevisionError if it only speaks newer revisions, HttpStatusError for 401 and 403. Other
 * errors that prevent a response pass through.
 */
export async function discover(wire: Wire, introduction: Introduction): Promise<DiscoverResult | undefined> {
  let answer = await sendDiscover(wire, 1, introduction);
  // The response can come from another Worker of the server, with an older or newer version.
  if ('error' in answer && readSupportedRevisions(answer.error)?.includes(STATELESS_REVISION)) {
    answer = await sendDiscover(wire, 2, introduction);
  }
  if ('error' in answer) return assertOlder(readSupportedRevisions(answer.error));
  const { result } = answer;
  if (!isSpecType.DiscoverResult(result)) return undefined;
  return result.supportedVersions.includes(STATELESS_REVISION)
    ? result
    : assertOlder(result.supportedVersions);
}

function assertOlder(revisions: readonly string[] | undefined): undefined {
  const isNewer = revisions?.length && revisions.every((one) => one > STATELESS_REVISION);
  if (isNewer) throw new UnknownRevisionError(revisions);
}

/** The JSON-RPC error for an unsupported revision. It lists the supported ones. */
const UNSUPPORTED_REVISION = -32_022;

function readSupportedRevisions({ code, data }: RpcRefusal): readonly string[] | undefined {
  const named = code === UNSUPPORTED_REVISION && isJsonObject(data) ? data.supported : undefined;
  return Array.isArray(named) ? named.filter((one) => typeof one === 'string') : undefined;
}

type DiscoverAnswer = { readonly result: unknown } | { readonly error: RpcRefusal };

async function sendDiscover(
  wire: Wire,
  attempt: number,
  introduction: Introduction,
): Promise<DiscoverAnswer> {
  const id = `discover-${attempt}`;
  let answer: DiscoverAnswer | undefined;
  wire.onmessage = (message: JSONRPCMessage) => {
    if (findAnsweredRequestId(message) !== id) return;
    if ('result' in message) answer = message;
    if ('error' in message) answer = { error: { ...message.error, data: message.error.data as Json } }; // it arrived as JSON
  };
  try {
    await wire.send({
      jsonrpc: '2.0',
      id,
      method: 'server/discover',
      params: { _meta: toEnvelope(introduction) },
    });
  } catch (error) {
    if (!isOfOlderServer(error)) throw error;
    return { error: (error instanceof HttpStatusError && error.said) || EMPTY_REFUSAL };
  }
  return answer ?? { error: EMPTY_REFUSAL };
}

const EMPTY_REFUSAL: RpcRefusal = { code: 0, message: '' };

const toEnvelope = ({ clientInfo, capabilities }: Introduction) => ({
  [PROTOCOL_VERSION_META_KEY]: STATELESS_REVISION,
  [CLIENT_INFO_META_KEY]: clientInfo,
  [CLIENT_CAPABILITIES_META_KEY]: capabilities,
});

/**
 * Returns whether an error may come from an older server, which can respond to the unknown request with any
 * error, even an internal one. Errors about credentials do not count, so they are reported at once.
 */
const isOfOlderServer = (error: unknown): boolean =>
  error instanceof HttpStatusError
    ? error.status !== 401 && error.status !== 403
    : error instanceof NotMcpError || error instanceof NoAnswerError;

/** Returns whether a value is a valid number of milliseconds for a cached response. */
export const isTtl = (said: unknown): said is number => Number.isSafeInteger(said) && Number(said) >= 0;

/** Means that the server set no cache period. The SDK requires a number. */
export const NO_TTL = Number.MAX_SAFE_INTEGER;

/** The lists in responses, and the checks for their items. */
const LIST_CHECKS = {
  tools: isSpecType.Tool,
  resources: isSpecType.Resource,
  resourceTemplates: isSpecType.ResourceTemplate,
  prompts: isSpecType.Prompt,
} as const;

/** Returns whether a value passes a check. A value that is nested too deeply does not. */
export function passesCheck<One>(isOne: (value: unknown) => value is One, value: unknown): value is One {
  const looked = attempt(() => isOne(value));
  return looked.ok && looked.value;
}

/**
 * Copies a response of the revision without sessions to a form that the SDK accepts. The SDK would refuse a
 * whole list because of one invalid definition. It would also refuse a response that lacks its type or its
 * cache period, although by the specification clients treat it as complete.
 */
export function toReadableMessage(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message)) return message;
  const { resultType = 'complete', ttlMs, cacheScope, ...result } = message.result;
  const lists = Object.entries(LIST_CHECKS).flatMap(([name, isListed]) => {
    const list = result[name];
    return Array.isArray(list) ? [[name, list.filter((one) => passesCheck(isListed, one))]] : [];
  });
  const isKept = lists.length > 0 || 'contents' in result;
  const current = isKept && {
    ttlMs: isTtl(ttlMs) ? ttlMs : NO_TTL,
    cacheScope: cacheScope === 'public' ? 'public' : 'private',
  };
  return { ...message, result: { ...result, resultType, ...current, ...Object.fromEntries(lists) } };
}
