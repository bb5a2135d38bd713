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

/** The revision that is spoken without sessions. */
const STATELESS = '2026-07-28';

/**
 * What a server was found to speak, for whoever connects to it again: the revision 2026-07-28, which has no sessions, one that
 * begins a session by `initialize`, or one by the transport of 2024-11-05. A type alias: it must be JSON.
 */
export type Spoken = {
  readonly era: 'stateless' | 'session' | 'sse';
  /** What a server without sessions offers, such as `tools`; the others say so each time. */
  readonly offers?: readonly string[];
};

/** The names of what a server may offer that are of use here. */
const OFFERS = ['tools', 'resources', 'prompts', 'completions', 'logging'] as const;

/** Makes of what a server says of itself what is remembered of it. */
export const spokenBy = ({ capabilities }: DiscoverResult): Spoken => ({
  era: 'stateless',
  offers: OFFERS.filter((name) => capabilities[name] !== undefined),
});

/** Makes of what is remembered what the server would say of itself. */
export const rememberedOf = ({ offers = [] }: Spoken): DiscoverResult => ({
  supportedVersions: [STATELESS],
  capabilities: Object.fromEntries(offers.map((name) => [name, {}])),
});

/** How this side introduces itself. */
export interface Introduction {
  readonly clientInfo: Implementation;
  readonly capabilities: ClientCapabilities;
}

/**
 * Asks a server by `server/discover` which revisions it speaks (MCP specification 2026-07-28, Versioning), over a wire that has
 * no other user yet. Whatever an older server may answer to what it does not know, counts as its being older: whether it is one
 * shows when a session is begun. `undefined` says so.
 *
 * @throws UnknownRevisionError where all revisions that it speaks are newer ones; HttpStatusError for 401 and 403; what else
 *   keeps an answer from coming.
 */
export async function discover(wire: Wire, introduction: Introduction): Promise<DiscoverResult | undefined> {
  let answer = await answerTo(wire, 1, introduction);
  // Another Worker of a server may have been asked that is older, or newer.
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

/** By this JSON-RPC error, a server says that it does not speak a revision, and which it does. */
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
    if ('error' in message) answer = { error: { ...message.error, data: message.error.data as Json } }; // it came as JSON
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

/** A server that knows no such request may answer anything, also that something broke; whoever is not let in is told at once. */
const isOfOlderServer = (error: unknown): boolean =>
  error instanceof HttpStatusError
    ? error.status !== 401 && error.status !== 403
    : error instanceof NotMcpError || error instanceof NoAnswerError;

/** Tells milliseconds for which an answer may be current. */
export const isTtl = (said: unknown): said is number => Number.isSafeInteger(said) && Number(said) >= 0;

/** Stands for how long an answer is current where the server does not say: the SDK insists on a number. */
export const UNSAID = Number.MAX_SAFE_INTEGER;

/** What lists hold, and what each of it has to be. */
const LISTED = {
  tools: isSpecType.Tool,
  resources: isSpecType.Resource,
  resourceTemplates: isSpecType.ResourceTemplate,
  prompts: isSpecType.Prompt,
} as const;

/** Tells whether a value is one of these. What is nested too deeply to be looked at is none. */
export function passes<One>(isOne: (value: unknown) => value is One, value: unknown): value is One {
  const looked = attempt(() => isOne(value));
  return looked.ok && looked.value;
}

/**
 * Copies an answer of the revision without sessions so that the SDK reads it: it refuses a whole list for one definition that is
 * none, and an answer that does not say that it is complete, or for how long it is current, though the specification has clients
 * take such an answer for complete.
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
