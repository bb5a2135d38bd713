/** The turns of a session, for protocols that list its content. */
import type { EventType, StoredEvent } from '../../journal/events.ts';
import { MAX_PAGE_BYTES, readPages } from '../../session/fold-session.ts';
import { readTurn } from '../../session/read-session.ts';
import type { TurnAnswer } from '../../session/watching/turn-outcome.ts';
import { foldStoppedTurn } from '../../session/watching/turn-outcome.ts';
import type { OpenedSession } from '../../worker/session-from-code.ts';

export interface SessionTurns {
  /** The ids of the turns that have started, in order. */
  readonly begun: readonly string[];
  /** The number of messages without a turn. */
  readonly waiting: number;
}

const START_EVENT_TYPES: readonly EventType[] = ['turn-started'];

/** Returns the turns of a session. Reads only the start of each turn. */
export async function readTurnIds({
  target: { port },
}: Pick<OpenedSession, 'target'>): Promise<SessionTurns> {
  const types = { names: START_EVENT_TYPES, until: Number.MAX_SAFE_INTEGER };
  const first = await port.read({ from: 1, types, maxBytes: MAX_PAGE_BYTES });
  const begun: string[] = [];
  for await (const { rows } of readPages(port, first, { types })) begun.push(...rows.map(({ turn }) => turn));
  return { begun, waiting: first?.waiting.length ?? 0 };
}

export interface EndedTurn {
  readonly events: readonly StoredEvent[];
  readonly answer: TurnAnswer;
}

/**
 * Returns a turn, in most cases with one request. Returns `undefined` if it has not ended or does not exist.
 */
export async function readEndedTurn(
  { target }: Pick<OpenedSession, 'target'>,
  turn: string,
): Promise<EndedTurn | undefined> {
  const events = await readTurn(target.port, turn);
  if (!events.some(({ type }) => type === 'turn-ended')) return undefined;
  const answer = foldStoppedTurn(target.session, target.agent.name, events);
  return answer.outcome === 'suspended' ? undefined : { events, answer };
}
