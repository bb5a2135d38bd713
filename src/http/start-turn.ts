import { toRow } from '../journal/parse-event.ts';
import type { Refused, RequestKey, TurnStart } from '../journal/session-port.ts';
import type { JsonObject } from '../tools/json.ts';
import { ToolCallContext, ToolCallContextError } from '../tools/tool-call-context.ts';
import { invalidBody } from './body.ts';
import type { Target } from './context.ts';
import type { Host } from './host.ts';
import type { MessageBody } from './message-body.ts';
import { Problem } from './problem.ts';

/** How long a retry finds its turn by its idempotency key, in ms. */
const KEY_TTL = 24 * 60 * 60 * 1000;

/** Headers that carry credentials are never journaled, whatever an app maps. */
export const isCredential = (header: string): boolean =>
  ['authorization', 'cookie', 'set-cookie'].includes(header) || header.startsWith('proxy-');

/** The rows that start a turn. */
export function toTurnStart(
  host: Host,
  { agent, caller }: Target,
  body: MessageBody,
  headers: Headers,
  request: RequestKey | undefined,
): TurnStart {
  const turn = host.newId();
  const { message, context = {}, loopId = turn } = body;
  const fromHeaders = [...host.contextHeaders].flatMap(([header, key]): [string, string][] => {
    const value = headers.get(header);
    return value === null ? [] : [[key, value]];
  });
  const merged = ToolCallContext.of(fromHeaders).merge(toContext(context));
  const { id, tenant } = caller;
  return {
    turn,
    opening: toRow({ type: 'session-opened', incarnation: host.newId(), agent: agent.name }),
    started: toRow({
      type: 'turn-started',
      turn,
      loopId,
      message,
      context: merged.toJSON(),
      principal: { id, ...(tenant !== undefined && { tenant }) },
    }),
    request,
  };
}

/** @throws Problem when a value cannot be journaled, such as one that is nested too deeply. */
function toContext(values: JsonObject): ToolCallContext {
  try {
    return ToolCallContext.of(values);
  } catch (failure) {
    if (!(failure instanceof ToolCallContextError)) throw failure;
    throw invalidBody([`context: the value of '${failure.key.slice(0, 80)}' is nested too deeply`]);
  }
}

/** The key of a request, bound to its body. @throws Problem when the header cannot be one. */
export async function requestKey(headers: Headers, body: string): Promise<RequestKey | undefined> {
  const key = headers.get('idempotency-key');
  if (key === null) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new Problem(400, 'invalid-header', 'Idempotency-Key is 1 to 255 visible ASCII characters.');
  }
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)));
  const bodyHash = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { key, bodyHash, ttl: KEY_TTL };
}

/** Why a message was not taken. A known one was: its turn is answered instead. */
export function refusal(refused: Exclude<Refused, { status: 'known' }>, path: string): Problem {
  switch (refused.status) {
    case 'busy': {
      const seconds = Math.max(1, Math.ceil(refused.retryAfter / 1000));
      return new Problem(
        409,
        'session-busy',
        `The session is busy with turn ${refused.turn}. Send the message again when it has ended: GET ${path} shows it.`,
        { headers: { 'retry-after': String(seconds) }, more: { turn: refused.turn } },
      );
    }
    case 'suspended':
      return new Problem(
        409,
        'turn-suspended',
        `Turn ${refused.turn} waits for a decision: GET ${path} shows it.`,
        {
          more: { turn: refused.turn },
        },
      );
    case 'key-reused':
      return new Problem(
        422,
        'idempotency-key-reused',
        'This Idempotency-Key was used with another body. Use a new key for a new message.',
      );
    case 'not-open':
      return new Problem(409, 'no-open-turn', 'The turn has ended.');
  }
}
