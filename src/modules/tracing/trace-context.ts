/**
 * Trace context as defined by W3C Trace Context. All ids are derived from the turn, so that a repeated export
 * has the same ids.
 */
import { parseCallId } from '../../journal/reply-data.ts';
import type { CallContext } from '../../tool/call.ts';

/** The key of the trace context in the tool-call context, and the name of the header. */
export const TRACEPARENT_HEADER = 'traceparent';

/** The data from which a turn's trace is derived, in a loop and from the journal. */
export interface TurnOrigin {
  /** The id of the turn. It is random. */
  readonly turn: string;
  /** The `traceparent` of the caller. It comes from a client, so it can be any value. */
  readonly caller: unknown;
}

export interface TurnTrace {
  readonly traceId: string;
  /** The caller's span. Absent if the turn begins the trace. */
  readonly callerSpanId?: string | undefined;
}

/** Returns the trace of a turn: the trace of its caller, or a trace derived from the turn. */
export function getTurnTrace({ turn, caller }: TurnOrigin): TurnTrace {
  const parsed = parseTraceparent(caller);
  return parsed
    ? { traceId: parsed.traceId, callerSpanId: parsed.spanId }
    : { traceId: `${hashText(`a ${turn}`)}${hashText(`b ${turn}`)}` };
}

/** Returns the span id for a node of a turn's timeline. */
export const computeSpanId = ({ turn }: Pick<TurnOrigin, 'turn'>, node: string): string =>
  hashText(`s ${turn} ${node}`);

/** Returns the value of the header for requests that a node of a turn's timeline makes. */
export const formatTraceparent = (origin: TurnOrigin, node: string): string =>
  `00-${getTurnTrace(origin).traceId}-${computeSpanId(origin, node)}-01`;

/**
 * Returns the trace context of a call, for the headers of its requests. It is the same for every attempt of
 * the call, and empty for a call without a turn.
 *
 * @example
 * ```ts
 * const lookUp = defineTool({
 *   name: 'look_up',
 *   description: 'Looks up an order.',
 *   effect: 'read',
 *   run: async (_, call) => {
 *     const response = await fetch('https://orders.example/1001', { headers: traceHeaders(call) });
 *     return response.text();
 *   },
 * });
 * ```
 */
export function traceHeaders(call: Pick<CallContext, 'id' | 'context'>): Readonly<Record<string, string>> {
  const place = parseCallId(call.id);
  if (!place) return {};
  const origin = { turn: place.turn, caller: call.context.get(TRACEPARENT_HEADER) };
  return { [TRACEPARENT_HEADER]: formatTraceparent(origin, call.id) };
}

const TRACEPARENT_FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/** The maximum number of characters of a `traceparent` that are parsed. */
const MAX_TRACEPARENT_LENGTH = 512;

/**
 * Parses a `traceparent`. Returns `undefined` if the value is invalid, as the specification requires. Ignores
 * the caller's sampling decision, since a client must not be able to hide its turns.
 */
function parseTraceparent(value: unknown): { readonly traceId: string; readonly spanId: string } | undefined {
  if (typeof value !== 'string' || value.length > MAX_TRACEPARENT_LENGTH) return undefined;
  const [, version, traceId, spanId, rest] = TRACEPARENT_FORM.exec(value) ?? [];
  if (traceId === undefined || spanId === undefined || version === 'ff') return undefined;
  // Only later versions may have more fields.
  if (version === '00' && rest !== undefined) return undefined;
  return /^0+$/.test(traceId) || /^0+$/.test(spanId) ? undefined : { traceId, spanId };
}

/**
 * Returns 16 hexadecimal digits that differ for different texts and are never all zero. Does not need to be
 * cryptographic, since turns have random ids that clients cannot choose.
 */
function hashText(text: string): string {
  let [a, b] = [0x9e3779b9, 0x85ebca6b];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193) ^ (b >>> 15);
    b = Math.imul(b ^ code, 0xc2b2ae35) ^ (a >>> 13);
  }
  const [high, low] = [mixBits(a ^ Math.imul(b, 5)), mixBits(b ^ Math.imul(a, 3))];
  return `${toHex(high)}${toHex(low === 0 ? 1 : low)}`;
}

function mixBits(word: number): number {
  const first = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return (second ^ (second >>> 16)) >>> 0;
}

const toHex = (word: number): string => word.toString(16).padStart(8, '0');
