import type { NotStarted } from '../journal/session-port.ts';
import { Problem } from './problem.ts';

/** Why a message was not taken. A known one was: its turn is answered instead. */
export function refusal(refused: Exclude<NotStarted, { status: 'known' }>, path: string): Problem {
  switch (refused.status) {
    case 'busy':
      return new Problem(
        409,
        'session-busy',
        `The session is busy with turn ${refused.turn}. Send the message again when it has ended: GET ${path} shows it.`,
        { headers: { 'retry-after': toSeconds(refused.retryAfter) }, more: { turn: refused.turn } },
      );
    case 'suspended':
      return new Problem(
        409,
        'turn-suspended',
        `Turn ${refused.turn} waits for a decision: GET ${path} shows it.`,
        { more: { turn: refused.turn } },
      );
    case 'key-reused':
      return new Problem(
        422,
        'idempotency-key-reused',
        'This Idempotency-Key was used with another body. Use a new key for a new message.',
      );
  }
}

const toSeconds = (ms: number): string => String(Math.max(1, Math.ceil(ms / 1000)));
