import type { Target } from '../app/target.ts';
import { pendingViews } from '../app/target.ts';
import type { NotStarted } from '../journal/session-port.ts';
import { readTurn } from '../session/fold-session.ts';
import { Problem } from './problem.ts';

/** Why a message was not taken. A known one was: its turn is answered instead. */
export async function refusal(
  refused: Exclude<NotStarted, { status: 'known' }>,
  target: Pick<Target, 'path' | 'port'>,
): Promise<Problem> {
  switch (refused.status) {
    case 'busy':
      return new Problem(
        409,
        'session-busy',
        `The session is busy with turn ${refused.turn}. Send the message again when it has ended: GET ${target.path} shows it.`,
        { headers: { 'retry-after': toSeconds(refused.retryAfter) }, more: { turn: refused.turn } },
      );
    case 'suspended': {
      const { turn } = refused;
      const pending = pendingViews(target, await readTurn(target.port, turn));
      return new Problem(
        409,
        'turn-suspended',
        `Turn ${turn} waits for an answer from outside. Answer its pending calls, or send the message with ?pending=decline.`,
        { more: { turn, pending } },
      );
    }
    case 'key-reused':
      return new Problem(
        422,
        'idempotency-key-reused',
        'This Idempotency-Key was used with another body. Use a new key for a new message.',
      );
    case 'full':
      return queueFull(refused);
  }
}

/** As many messages wait in the session as may. */
export const queueFull = ({ most }: Extract<NotStarted, { status: 'full' }>): Problem =>
  new Problem(
    429,
    'queue-full',
    `${most} messages wait in this session, and no more may. Send the message again when some have been answered.`,
    { headers: { 'retry-after': '30' } },
  );

const toSeconds = (ms: number): string => String(Math.max(1, Math.ceil(ms / 1000)));
