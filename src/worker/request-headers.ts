import type { RequestKey } from '../journal/session-port.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { sha256Hex } from '../tool/async.ts';
import { ToolCallContext } from '../tool/tool-call-context.ts';
import { SessionError } from './problem.ts';

/** The entries of a list header such as `text/html;q=0.5`, in lower case, each with its weight: from 0, "not this", to 1. */
function entriesOf(headers: Headers, name: string): ReadonlyMap<string, number> {
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

/** True when a client names event streams in `Accept`, and does not like JSON better. */
export function wantsEvents({ headers }: Request): boolean {
  if (!/event-stream/i.test(headers.get('accept') ?? '')) return false;
  const accepted = entriesOf(headers, 'accept');
  const weight = accepted.get('text/event-stream') ?? 0;
  return weight > 0 && weight >= (accepted.get('application/json') ?? 0);
}

/** Returns whether a response is a stream of events. */
export const isEventStream = ({ headers }: Pick<Response, 'headers'>): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true;

/** The longest that a client is kept waiting which says how long it would, in s: clients and proxies give up soon after. */
const MOST_PATIENCE = 60;

/** How a client wants to wait for its answer. */
interface Preference {
  /** Not at all. */
  readonly isAsync: boolean;
  /** So many seconds. Absent: the client does not say, or says no whole number, or asks for a stream, which begins at once. */
  readonly seconds?: number | undefined;
}

/** Reads `Prefer: respond-async` and `Prefer: wait=10` (RFC 7240), of which the first counts. */
export function preferenceOf(request: Request): Preference {
  const { headers } = request;
  if (!headers.has('prefer')) return { isAsync: false };
  const preferred = [...entriesOf(headers, 'prefer').keys()];
  const isAsync = preferred.includes('respond-async');
  const said = preferred.find((value) => /^wait\s*(=|$)/.test(value));
  const [, , seconds] = /^wait\s*=\s*("?)(\d+)\1$/.exec(said ?? '') ?? [];
  if (seconds === undefined || wantsEvents(request)) return { isAsync };
  return { isAsync, seconds: Math.min(Number(seconds), MOST_PATIENCE) };
}

/** True when a client does not want to wait for the answer, or not as long as its turn may take. */
export function prefersAsync(request: Request): boolean {
  const { isAsync, seconds } = preferenceOf(request);
  return isAsync || seconds !== undefined;
}

/** The response, which says what of its client's preferences was heeded. */
export function heeding(request: Request, response: Response): Response {
  const { isAsync, seconds } = preferenceOf(request);
  const applied = [
    ...(isAsync && response.status === 202 ? ['respond-async'] : []),
    ...(seconds === undefined ? [] : [`wait=${seconds}`]),
  ];
  if (applied.length > 0) response.headers.set('preference-applied', applied.join(', '));
  return response;
}

/**
 * The `Idempotency-Key` of a request, if it has one: as it is, or as a String of RFC 8941, in quotes, which are none of the key's own.
 *
 * @throws SessionError when the quotes are not those of such a String.
 */
export function idempotencyKeyOf({ headers }: Request): string | undefined {
  const sent = headers.get('idempotency-key') ?? undefined;
  if (sent === undefined || !/^"|"$/.test(sent)) return sent;
  const [, quoted] = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/.exec(sent) ?? [];
  if (quoted !== undefined) return quoted.replaceAll(/\\(.)/g, '$1');
  const detail = 'Idempotency-Key has a quote, and is no String of RFC 8941: send it without quotes.';
  throw new SessionError('invalid-header', detail);
}

/** How long a retry finds its turn, in ms. */
const KEY_TTL = 24 * 60 * 60 * 1000;

/** An idempotency key, bound to what is sent under it. @throws SessionError when it cannot be one. */
export async function requestKey(key: string, body: string): Promise<RequestKey> {
  // Code of the app may send anything.
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new SessionError('invalid-header', 'Idempotency-Key is 1 to 255 visible ASCII characters.');
  }
  return { key, bodyHash: await sha256Hex(body), ttl: KEY_TTL };
}

/** Where a stream goes on. */
interface EventPlace {
  /** Behind the event of this sequence. */
  readonly after?: number | undefined;
  /** The session of that event, and no other one of its name. Absent: whichever is there. */
  readonly incarnation?: string | undefined;
}

/** The id of an event in a stream: its sequence, and what tells its session from others of its name. */
export const eventId = (seq: number, incarnation?: string): string =>
  incarnation === undefined ? String(seq) : `${seq}-${incarnation}`;

/** Reads the id of an event, or its sequence alone. `name`: what it was sent as. @throws SessionError if no event can have it. */
function placeOf(id: string, name: 'after' | 'Last-Event-ID'): EventPlace {
  const [, seq, incarnation] = /^(\d{1,15})(?:-([\w-]{1,64}))?$/.exec(id) ?? [];
  if (seq === undefined) throw noSequence(name);
  return { after: Number(seq), incarnation };
}

/** Reads `?after=`. @throws SessionError when that can be no event's. */
export function placeOfQuery(query: URLSearchParams): EventPlace {
  const after = query.get('after');
  return after ? placeOf(after, 'after') : {};
}

/** Where a stream goes on, by `Last-Event-ID`, or else by `?after=`. @throws SessionError when that can be no event's. */
export function resumedAfter({ url, headers }: Request): EventPlace {
  const id = headers.get('last-event-id');
  if (id) return placeOf(id, 'Last-Event-ID');
  return url.includes('after=') ? placeOfQuery(new URL(url).searchParams) : {};
}

/** The error of what no event can have as its sequence. `name`: what it was sent as. */
export const noSequence = (name: 'after' | 'Last-Event-ID' = 'after'): SessionError =>
  new SessionError(
    name === 'after' ? 'invalid-query' : 'invalid-header',
    `${name} must be the sequence of an event: a whole number such as 12.`,
  );

/** Header name in lower case -> key of the tool-call context. */
export type ContextHeaders = ReadonlyMap<string, string>;

/** @throws ConfigurationError if a header carries credentials, which are never journaled. */
export function parseContextHeaders(mapped: Readonly<Record<string, string>>): ContextHeaders {
  const headers = new Map(Object.entries(mapped).map(([header, key]) => [header.toLowerCase(), key]));
  const secret = [...headers.keys()].find(isCredential);
  if (secret === undefined) return headers;
  throw new ConfigurationError(`The header '${secret}' carries credentials; it is never journaled.`);
}

const isCredential = (header: string): boolean => /^(authorization$|cookie$|set-cookie$|proxy-)/.test(header);

/** Reads what the mapped headers of a request say. */
export function contextOfHeaders(headers: Headers, mapped: ContextHeaders): ToolCallContext {
  const sent = [...mapped].flatMap(([header, key]): [string, string][] => {
    const value = headers.get(header);
    return value === null ? [] : [[key, value]];
  });
  return ToolCallContext.of(sent);
}

/** Tells whether a request says by `If-None-Match` that its client has what has this tag: weak ones are as good. */
export function hasTag(headers: Headers, tag: string): boolean {
  const given = headers.get('if-none-match')?.split(',') ?? [];
  return given.some((one) => one.trim() === '*' || opaque(one.trim()) === opaque(tag));
}

const opaque = (tag: string): string => tag.replace(/^W\//, '');

/** `true` if a client that counts how often it tries a request says that it sends this one for the first time, as clients of OpenAI do. */
export const isFirstTry = ({ headers }: Request): boolean => headers.get('x-stainless-retry-count') === '0';
