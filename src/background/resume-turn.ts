import type { Env } from '../app/host.ts';
import type { Invoked } from '../app/invoked.ts';
import { turnPart } from '../app/turn-part.ts';
import type { HandOver } from '../journal/session-port.ts';
import { readerOf } from '../session/fold-session.ts';
import { runTurn } from '../session/run-turn.ts';
import { parseSessionName } from '../session/session-name.ts';

/**
 * Goes on with a turn that nobody holds, as far as this invocation may; a turn that is over, waits or is held by somebody
 * is left alone, so it may be asked for any number of times. What the deployment lacks for a turn is found out under its
 * lease, so that even then the turn has an outcome.
 *
 * @throws Error when the name names no session, NewerEventError when the session is for a newer deployment, and
 *   SessionUnavailableError when it cannot be reached.
 */
export async function resumeTurn(host: Invoked, env: Env, { name, turn }: HandOver): Promise<void> {
  const { agent } = parseSessionName(name);
  const port = host.session(env, name);
  const sentAt = host.clock.now();
  const leased = await port.resume({ nonce: host.newId(), turn, reader: readerOf(host.kinds) });
  if (leased.status !== 'leased') return;
  await runTurn(turnPart({ host, env }, { port, agent }), leased, sentAt);
}
