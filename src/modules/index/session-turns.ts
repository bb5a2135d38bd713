/** The turns of a session, for protocols that list what was said. */
import type { EventType, StoredEvent } from '../../journal/events.ts';
import { PAGE_BYTES, pagesFrom } from '../../session/fold-session.ts';
import { readTurn } from '../../session/read-session.ts';
import type { TurnAnswer } from '../../session/watching/turn-outcome.ts';
import { stoppedTurn } from '../../session/watching/turn-outcome.ts';
import type { Entered } from '../../worker/session-from-code.ts';

/** The turns of a session. */
export interface SessionTurns {
  /** The ids of those that have begun, in their order. */
  readonly begun: readonly string[];
  /** How many messages have no turn yet. */
  readonly waiting: number;
}

const STARTS: readonly EventType[] = ['turn-started'];

/** Reads which turns a session has. Reads the start of each, and nothing else. */
export async function turnsOf({ target: { port } }: Pick<Entered, 'target'>): Promise<SessionTurns> {
  const types = { names: STARTS, until: Number.MAX_SAFE_INTEGER };
  const first = await port.read({ from: 1, types, maxBytes: PAGE_BYTES });
  const begun: string[] = [];
  for await (const { rows } of pagesFrom(port, first, { types })) begun.push(...rows.map(({ turn }) => turn));
  return { begun, waiting: first?.waiting.length ?? 0 };
}

/** A turn that has ended. */
export interface EndedTurn {
  readonly events: readonly StoredEvent[];
  readonly answer: TurnAnswer;
}

/** Reads a turn, in one message for most. Returns `undefined` if it has not ended, or there is none. */
export async function endedTurn(
  { target }: Pick<Entered, 'target'>,
  turn: string,
): Promise<EndedTurn | undefined> {
  const events = await readTurn(target.port, turn);
  if (!events.some(({ type }) => type === 'turn-ended')) return undefined;
  const answer = stoppedTurn(target.session, target.agent.name, events);
  return answer.outcome === 'suspended' ? undefined : { events, answer };
}
