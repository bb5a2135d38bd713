import { type ClientOptions, createClient } from '../../client/entry.ts';
import type { StoredEvent } from '../../journal/entry.ts';
import { operatorAccessIn } from '../../modules/operators/entry.ts';

type Team = Pick<ClientOptions, 'url' | 'token' | 'fetch'>;

/** Stops the running turn in an owner's session, and returns how operators have accessed the session. */
export async function stopSession(team: Team, owner: string, session: string) {
  const one = createClient({ ...team, agent: 'clerk', owner }).session(session);
  const { openTurn } = await one.state();
  if (openTurn !== null) await one.cancel(openTurn);
  const events: StoredEvent[] = [];
  for await (const event of one.events()) events.push(event);
  return operatorAccessIn(events);
}
