import type { RequestKey } from '../journal/session-port.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { computeSha256Hex } from '../tool/async.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import { SessionError } from './problem.ts';

/**
 * Returns the entries of a list header such as `text/html;q=0.5`, in lower case, with their weights from 0
 * (not acceptable) to 1.
 */
function parseWeightedList(headers: Headers, name: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const entry of headers.get(name)?.toLowerCase().split(',') ?? []) {
    const [said = '', ...params] = entry.split(';');
    const value = said.trim();
    const q = params.map((param) => param.trim()).find((param) => param.startsWith('q='));
    const weight = Number(q?.slice(2) ?? 1);
    if (!weights.has(value)) weights.set(value, Number.isNaN(weight) ? 0 : weight);
  }
  return weights;
}

/** Returns whether `Accept` lists event streams and does not prefer JSON. */
export function wantsEvents({ headers }: Request): boolean {
  if (!/event-stream/i.test(headers.get('accept') ?? '')) return false;
  const accepted = parseWeightedList(headers, 'accept');
  const weight = accepted.get('text/event-stream') ?? 0;
  return weight > 0 && weight >= (accepted.get('application/json') ?? 0);
}

export const isEventStream = ({ headers }: Pick<Response, 'headers'>): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/**
 * The maximum delay of a response for `Prefer: wait`, in seconds. Clients and proxies time out soon after it.
 */
const MAX_WAIT_SECONDS = 60;

/** A client's preference for waiting. */
interface Preference {
  /** `true` if the client does not want to wait. */
  readonly isAsync: boolean;
  /**
   * The longest wait, in seconds. Absent if the header has no whole number, or if the client requests a
   * stream, since streams begin at once.
   */
  readonly seconds?: number | undefined;
}

/** Reads `Prefer: respond-async` and `Prefer: wait=10` (RFC 7240). The first preference counts. */
export function readPreference(request: Request): Preference {
  const { headers } = request;
  if (!headers.has('prefer')) return { isAsync: false };
  const preferred = [...parseWeightedList(headers, 'prefer').keys()];
  const isAsync = preferred.includes('respond-async');
  const said = preferred.find((value) => /^wait\s*(=|$)/.test(value));
  const [, , seconds] = /^wait\s*=\s*("?)(\d+)\1$/.exec(said ?? '') ?? [];
  if (seconds === undefined || wantsEvents(request)) return { isAsync };
  return { isAsync, seconds: Math.min(Number(seconds), MAX_WAIT_SECONDS) };
}

/**
 * Returns whether a client does not want to wait for the answer, or only for less time than the turn may
 * take.
 */
export function prefersAsync(request: Request): boolean {
  const { isAsync, seconds } = readPreference(request);
  return isAsync || seconds !== undefined;
}

/** Adds the `Preference-Applied` header to the response. */
export function withPreferenceApplied(request: Request, response: Response): Response {
  const { isAsync, seconds } = readPreference(request);
  const applied = [
    ...(isAsync && response.status === 202 ? ['respond-async'] : []),
    ...(seconds === undefined ? [] : [`wait=${seconds}`]),
  ];
  if (applied.length > 0) response.headers.set('preference-applied', applied.join(', '));
  return response;
}

/**
 * Returns the `Idempotency-Key` of a request: the plain value, or a String of RFC 8941 without its quotes.
 *
 * @throws SessionError if the quotes do not form such a String.
 */
export function readIdempotencyKey({ headers }: Request): string | undefined {
  const sent = headers.get('idempotency-key') ?? undefined;
  if (sent === undefined || !/^"|"$/.test(sent)) return sent;
  const [, quoted] = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/.exec(sent) ?? [];
  if (quoted !== undefined) return quoted.replaceAll(/\\(.)/g, '$1');
  const detail = 'Idempotency-Key contains a quote, but is not a String of RFC 8941. Send it without quotes.';
  throw new SessionError('invalid-header', detail);
}

/** The time in milliseconds during which a retry finds its turn. */
const KEY_TTL_MS = 24 * 60 * 60 * 1000;

/** Returns an idempotency key that is bound to a body. @throws SessionError if the key is invalid. */
export async function toRequestKey(key: string, body: string): Promise<RequestKey> {
  // The app's code may pass any value.
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new SessionError('invalid-header', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
  return { key, bodyHash: await computeSha256Hex(body), ttl: KEY_TTL_MS };
}

interface ResumePosition {
  /** The sequence number of the event before it. */
  readonly after?: number | undefined;
  /** The incarnation of the session with that event. If absent, any session of the name is accepted. */
  readonly incarnation?: string | undefined;
}

/** Returns the id of an event in a stream: its sequence number, and the incarnation of its session. */
export const formatEventId = (seq: number, incarnation?: string): string =>
  incarnation === undefined ? String(seq) : `${seq}-${incarnation}`;

/**
 * Parses the id of an event, or only its sequence number. `name`: its name in the request. @throws
 * SessionError if it is invalid.
 */
function parseEventId(id: string, name: 'after' | 'Last-Event-ID'): ResumePosition {
  const [, seq, incarnation] = /^(\d{1,15})(?:-([\w-]{1,64}))?$/.exec(id) ?? [];
  if (seq === undefined) throw createInvalidSequenceError(name);
  return { after: Number(seq), incarnation };
}

/** Reads `?after=`. @throws SessionError if it is invalid. */
export function readQueryPosition(query: URLSearchParams): ResumePosition {
  const after = query.get('after');
  return after ? parseEventId(after, 'after') : {};
}

/**
 * Returns the position at which a stream resumes, from `Last-Event-ID` or else from `?after=`. @throws
 * SessionError if it is invalid.
 */
export function readResumePosition({ url, headers }: Request): ResumePosition {
  const id = headers.get('last-event-id');
  if (id) return parseEventId(id, 'Last-Event-ID');
  return url.includes('after=') ? readQueryPosition(new URL(url).searchParams) : {};
}

/** Returns the error for an invalid sequence number. `name`: its name in the request. */
export const createInvalidSequenceError = (name: 'after' | 'Last-Event-ID' = 'after'): SessionError =>
  new SessionError(
    name === 'after' ? 'invalid-query' : 'invalid-header',
    `${name} must be the sequence number of an event, such as 12.`,
  );

/** Keys of the tool-call context by header name in lower case. */
export type ContextHeaders = ReadonlyMap<string, string>;

/** @throws ConfigurationError if a header carries credentials, which are never journaled. */
export function parseContextHeaders(mapped: Readonly<Record<string, string>>): ContextHeaders {
  const headers = new Map(Object.entries(mapped).map(([header, key]) => [header.toLowerCase(), key]));
  const secret = [...headers.keys()].find(isCredential);
  if (secret === undefined) return headers;
  throw new ConfigurationError(`The header '${secret}' carries credentials. Remove it from contextHeaders.`);
}

const isCredential = (header: string): boolean => /^(authorization$|cookie$|set-cookie$|proxy-)/.test(header);

/** Returns the context from the mapped headers of a request. */
export function readContextHeaders(headers: Headers, mapped: ContextHeaders): ToolCallContext {
  const sent = [...mapped].flatMap(([header, key]): [string, string][] => {
    const value = headers.get(header);
    return value === null ? [] : [[key, value]];
  });
  return ToolCallContext.of(sent);
}

/** Returns whether `If-None-Match` contains this tag. Weak tags match, too. */
export function hasTag(headers: Headers, tag: string): boolean {
  const given = headers.get('if-none-match')?.split(',') ?? [];
  return given.some((one) => one.trim() === '*' || withoutWeakPrefix(one.trim()) === withoutWeakPrefix(tag));
}

const withoutWeakPrefix = (tag: string): string => tag.replace(/^W\//, '');

/** Returns `true` if the client numbers its attempts, as OpenAI's clients do, and this is the first. */
export const isFirstAttempt = ({ headers }: Request): boolean =>
  headers.get('x-stainless-retry-count') === '0';
