import type { NotStarted } from '../../journal/session-port.ts';
import { readTurn } from '../../session/fold-session.ts';
import type { Target } from '../../worker/target.ts';
import { pendingViews } from '../../worker/target.ts';
import { IDEMPOTENCY_KEY } from '../idempotency-key.ts';
import { listedPending } from './listed-pending.ts';

/** Why a session did not take the message of a call, for the model that called. A known one was taken: its turn is answered. */
export async function agentRefusal(
  target: Target,
  refused: Exclude<NotStarted, { status: 'known' }>,
): Promise<string> {
  switch (refused.status) {
    case 'busy':
      return (
        `The session is busy with turn ${refused.turn}. Send the message again when it has ended, or without a session ` +
        'to begin another conversation.'
      );
    case 'suspended': {
      const { turn } = refused;
      const pending = pendingViews(target, await readTurn(target.port, turn));
      return (
        `Turn ${turn} of the session waits for an answer from outside. Send the message again when that is there, or ` +
        `without a session to begin another conversation.${listedPending(pending)}`
      );
    }
    case 'key-reused':
      return `This ${IDEMPOTENCY_KEY} was used with another input. Use a new key for a new message.`;
    case 'full':
      return `${refused.most} messages wait in this session, and no more may. Send the message again when some have been answered.`;
  }
}

/** What a client is told when no answer came: the message may be stored, and sent again it would be a second one. */
export const mayBeTaken = ({ path }: Target, turn: string): string =>
  `The session did not answer, and may have taken the message all the same, as turn ${turn}: GET ${path} shows it. ` +
  `Send it again only with the ${IDEMPOTENCY_KEY} that it had.`;
