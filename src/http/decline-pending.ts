import { readTurn } from '../session/fold-session.ts';
import type { CancelNote } from '../session/notes.ts';
import { openQuestions } from '../session/questions.ts';
import { runTurn, type TurnHost } from '../session/run-turn.ts';
import { turnStopped } from '../session/turn-stopped.ts';
import type { Exchange } from './exchange.ts';
import { mustHaveRole } from './must-have-role.ts';
import { resume } from './turn-response.ts';

/**
 * Declines everything that a turn waits for, and ends the turn as cancelled, without another model call; resolves when
 * it has ended. One note does both, so that nothing lies between: a client that is lost on the way sends its message
 * again, and finds the turn as it was, or over.
 *
 * @throws Problem when the caller lacks a role that one of the calls asks for; then nothing was declined.
 */
export async function declinePending(exchange: Exchange, part: TurnHost, turn: string): Promise<void> {
  const { host, target, request } = exchange;
  const { port, caller } = target;
  for (const question of openQuestions(await readTurn(port, turn))) mustHaveRole(caller, question);
  const note: CancelNote = { declinedBy: caller.id };
  await port.post('cancel', turn, JSON.stringify(note));
  const sentAt = host.clock.now();
  const leased = await resume(exchange, turn);
  if (leased.status === 'leased') await runTurn(part, leased, sentAt);
  else await turnStopped({ port, clock: host.clock, meter: host.meter, turn, signal: request.signal });
}
