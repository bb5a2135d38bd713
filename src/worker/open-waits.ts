/** Which calls a turn waits for, as far as a caller who ends it must know: also where no module takes answers. */
import { waitId } from '../journal/conversation.ts';
import { parseKnown } from '../journal/event-rows.ts';
import type { EventType, StoredEvent } from '../journal/events.ts';
import type { SessionPort } from '../journal/session-port.ts';
import type { Wait } from '../journal/wait.ts';
import { lackedRole, roleRequired } from './auth.ts';
import type { Caller } from './host.ts';

/** A call that waits for an answer. */
export interface OpenWait {
  /** Names the question in the session. */
  readonly id: string;
  readonly call: string;
  readonly wait: Wait;
}

/** Returns what an open turn waits for. It folds nothing, and reads what this code knows of events that a newer version wrote. */
export async function openWaits(
  port: Pick<SessionPort, 'read'>,
  turn: string,
  isWanted: (wait: Wait) => boolean = () => true,
): Promise<readonly OpenWait[]> {
  const asked = (await eventsOf(port, turn, ['tool-call-suspended'])).filter(
    (event) => event.type === 'tool-call-suspended',
  );
  if (!asked.some(({ wait }) => isWanted(wait))) return [];
  const settled = await eventsOf(port, turn, ['tool-call-answered', 'tool-call-ended']);
  return asked.flatMap(({ seq, call, wait }) => {
    const isSettled = settled.some((event) => 'call' in event && event.call === call && event.seq > seq);
    const number = asked.filter((one) => one.call === call && one.seq < seq).length;
    return isSettled || !isWanted(wait) ? [] : [{ id: waitId(call, number), call, wait }];
  });
}

async function eventsOf(
  port: Pick<SessionPort, 'read'>,
  turn: string,
  names: readonly EventType[],
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  for (let from: number | null = 1; from !== null; ) {
    const page: Awaited<ReturnType<SessionPort['read']>> = await port.read({
      from,
      turn,
      types: { names, until: Number.MAX_SAFE_INTEGER },
    });
    events.push(...(page?.rows ?? []).flatMap(parseKnown));
    from = page?.next ?? null;
  }
  return events;
}

/** A caller, and a session. */
interface Visit {
  readonly port: Pick<SessionPort, 'read'>;
  readonly caller: Caller;
}

/**
 * Lets pass a caller who may end a turn now: to end a turn that waits for a decision is to decide. One that comes to wait for somebody
 * right after this was not waiting when it was asked.
 *
 * @throws SessionError if it waits for somebody with a role that the caller lacks.
 */
export async function mustMayEnd(
  { port, caller }: Visit,
  turn: string,
  what: 'cancel' | 'erase' | 'delete files of',
): Promise<void> {
  const [first] = await openWaits(port, turn, (wait) => lackedRole(caller, wait) !== undefined);
  const role = first && lackedRole(caller, first.wait);
  if (role === undefined) return;
  const which = what === 'cancel' ? `Turn ${turn}` : `Turn ${turn} of this session`;
  const who = `waits for somebody with the role '${role}', and nobody else may ${what} it.`;
  throw roleRequired(`${which} ${who}`, { role, turn });
}
