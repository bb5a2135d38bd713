import type { EventPage } from '../../journal/event-page.ts';
import { NewerEventError, parseEvent } from '../../journal/event-rows.ts';
import { FINAL_OUTCOME, type StoredEvent, TURN_ERROR } from '../../journal/events.ts';
import { startTurn } from '../../journal/fold-loop.ts';
import { OUTCOMES_WITH_ANSWER, reduce } from '../../journal/reduce.ts';
import { PRICED_USAGE } from '../../journal/reply-data.ts';
import {
  createEmptyState,
  type SessionState,
  STOPPING_CALL,
  TURN_ARTIFACT,
  TURN_FILE,
  TURN_TOOLS,
  type TurnState,
} from '../../journal/state.ts';
import type { PendingCall } from '../../journal/wait.ts';
import { attempt } from '../../tool/async.ts';
import { TURN_SAID } from '../../tool/call.ts';
import { REACHED_LIMIT } from '../../tool/frame.ts';
import type { Json } from '../../tool/json.ts';
import { ANY_JSON, INTEGER, type Infer, type Shape, TEXT, TEXT_OR_NULL } from '../../tool/shape.ts';
import type { ToolMemory } from '../../tool/tool-memory.ts';
import { SIGNAL } from '../../tool/tool-result.ts';
import { MAX_PAGE_BYTES } from '../fold-session.ts';
import { UnreadableError } from '../read-session.ts';
import type { TurnEnd } from '../run-turn.ts';
import { SessionErasedError, SessionUnavailableError } from '../send-again.ts';
import { isOpen, NoticeQueue, type SessionActivity, type WatchOptions } from './follow-session.ts';

/** A turn whose outcome a client awaits. */
export interface AwaitedTurn extends WatchOptions {
  /** The session's id, and the name of its agent. */
  readonly session: string;
  readonly agent: string;
  readonly turn: string;
}

/**
 * The state of a turn as reported to a client that awaits it. `queued`: it is in line behind a turn that
 * waits for an answer. `kept`: it is stored, but this invocation cannot wait for its end. Another invocation
 * runs it.
 */
export type TurnOutcome =
  | { readonly status: 'ended'; readonly answer: TurnAnswer }
  | { readonly status: 'suspended'; readonly answer: PartialOutcome; readonly events: readonly StoredEvent[] }
  | { readonly status: 'queued'; readonly turn: string; readonly behind: string }
  | { readonly status: 'kept'; readonly turn: string };

/**
 * Returns the outcome of a turn that runs here. If another invocation resumes it, waits for its end.
 *
 * @throws any error of `awaitOutcome` or `running`.
 */
export async function waitForOwnOutcome(
  awaited: AwaitedTurn,
  running: Promise<TurnEnd>,
): Promise<TurnOutcome> {
  const end = await running.catch(toKeptOrThrow);
  if (end === 'kept') return { status: 'kept', turn: awaited.turn };
  if (end.status !== 'ended') return awaitOutcome(awaited);
  const { session, agent } = awaited;
  return { status: 'ended', answer: toTurnAnswer(session, agent, end.turn) as TurnAnswer }; // The turn has ended.
}

/**
 * Waits for the outcome of a turn that runs in another invocation, or that is waiting or already over.
 *
 * @throws SessionErasedError if the turn no longer exists.
 * @throws the signal's reason if it aborts.
 */
export async function awaitOutcome(awaited: AwaitedTurn): Promise<TurnOutcome> {
  const { turn, session, agent } = awaited;
  const end = await waitForStopOrBlock(awaited).catch(toKeptOrThrow);
  if (end === 'kept') return { status: 'kept', turn };
  if ('behind' in end) return { status: 'queued', turn, behind: end.behind };
  const answer = foldStoppedTurn(session, agent, end);
  return answer.outcome === 'suspended'
    ? { status: 'suspended', answer, events: end }
    : { status: 'ended', answer };
}

/**
 * Returns `kept` for a failure after which another invocation will read the turn, or end it. Rethrows any
 * other failure.
 */
export function toKeptOrThrow(failure: unknown): 'kept' {
  if (DEFERRING_ERRORS.some((kind) => failure instanceof kind)) return 'kept';
  throw failure;
}

const DEFERRING_ERRORS = [NewerEventError, SessionUnavailableError, UnreadableError];

interface WatchedTurn extends WatchOptions {
  readonly turn: string;
}

/**
 * Resolves with the events of a turn once it has ended or waits for a decision. Reads no events before that,
 * since notices report the stop at no cost.
 *
 * @throws SessionErasedError if the turn no longer exists.
 * @throws SessionUnavailableError if the invocation must end before.
 * @throws the signal's reason if it aborts.
 */
export const waitForStop = (watched: WatchedTurn): Promise<StoredEvent[]> =>
  waitForStopOr<never>(watched, () => undefined);

/**
 * Like `waitForStop`, but also resolves, with the id of the turn in front, as soon as the turn is in line
 * behind one that waits for an answer.
 */
const waitForStopOrBlock = (watched: WatchedTurn): Promise<StoredEvent[] | BlockingTurn> =>
  waitForStopOr(watched, (at) => findBlockingTurn(at, watched.turn));

async function waitForStopOr<Otherwise extends object>(
  { port, clock, signal, meter, turn }: WatchedTurn,
  otherwise: (at: SessionActivity) => Otherwise | undefined,
): Promise<StoredEvent[] | Otherwise> {
  const notices = new NoticeQueue({ port, clock, signal, meter });
  try {
    // Read before the page, so that a notice that arrives meanwhile counts as new.
    let { count } = notices;
    let at: SessionActivity = await port.read({ from: Number.MAX_SAFE_INTEGER, turn, limit: 1 });
    for (;;) {
      const other = otherwise(at);
      if (other) return other;
      const seen = count;
      const isOver = (told: SessionActivity): boolean => !isOpen(told, turn) || otherwise(told) !== undefined;
      if (isOpen(at, turn)) await notices.until((told) => notices.count > seen && isOver(told));
      signal.throwIfAborted();
      count = notices.count;
      const events: StoredEvent[] = [];
      let from: number | null = 1;
      while (from !== null) {
        if (meter?.nearEnd)
          throw new SessionUnavailableError(new Error(`this invocation has ${meter.nearEnd}`));
        const page: EventPage | null = await port.read({ from, turn, maxBytes: MAX_PAGE_BYTES });
        if (page === null) throw new SessionErasedError();
        events.push(...page.rows.map(parseEvent));
        from = page.next;
        at = page;
      }
      // The turn may have been resumed since.
      if (isOpen(at, turn)) continue;
      if (events.length === 0) throw new SessionErasedError();
      return events;
    }
  } finally {
    notices.close();
  }
}

/** The open turn, which waits for an answer while another turn is in line behind it. */
export interface BlockingTurn {
  readonly behind: string;
}

/** Returns the turn in front if it waits for an answer, which can take any time. */
export const findBlockingTurn = (at: SessionActivity, turn: string): BlockingTurn | undefined =>
  at?.openTurn?.state === 'waiting' && at.waiting.some((one) => one.turn === turn && one.status === 'queued')
    ? { behind: at.openTurn.id }
    : undefined;

/** The shape of any stopped turn. */
export const STOPPED_TURN_SHAPE = {
  object: {
    turn: TEXT,
    loopId: TEXT,
    session: TEXT,
    agent: TEXT,
    /** The limit and its value, for a turn that is `limit-reached`. */
    limit: { optional: REACHED_LIMIT },
    text: TEXT,
    /** The text, parsed as the agent's output. */
    object: { optional: ANY_JSON },
    artifacts: { listOf: TURN_ARTIFACT },
    /**
     * The files from its calls, including those in nested loops, in the order in which their batches ended.
     * Read each at `GET .../files/{id}`. Absent if empty.
     */
    files: { optional: { listOf: TURN_FILE } },
    /**
     * Messages that its calls, including nested ones, sent to the user before the answer, in order.
     * Absent if empty.
     */
    said: { optional: { listOf: TURN_SAID } },
    /** Changes to its tools. Absent if the tools did not change, and no external source was queried. */
    tools: { optional: TURN_TOOLS },
    usage: PRICED_USAGE,
    iterations: INTEGER,
    toolCalls: INTEGER,
    model: TEXT_OR_NULL,
    error: { optional: TURN_ERROR },
    /** The signal that ended the turn, if a call sent one. */
    signal: { optional: SIGNAL },
    /**
     * The calls of its own loop that ended it: those that returned directly or sent the signal. Absent if
     * empty.
     */
    stoppedBy: { optional: { listOf: STOPPING_CALL } },
  },
} as const satisfies Shape;

/** The response for a turn that has ended. */
export interface TurnAnswer extends Infer<typeof TURN_ANSWER_SHAPE> {}
export const TURN_ANSWER_SHAPE = {
  object: { outcome: FINAL_OUTCOME },
  and: STOPPED_TURN_SHAPE,
} as const satisfies Shape;

/**
 * The response for a turn that waits for an answer from outside: its state so far, and the calls that wait.
 */
export interface SuspendedTurn extends PartialOutcome {
  readonly pending: readonly PendingCall[];
}

/** The state so far of a turn that waits. */
interface PartialOutcome extends Infer<typeof STOPPED_TURN_SHAPE> {
  readonly outcome: 'suspended';
}

/**
 * Returns the outcome of a stopped turn, folded from its own events: its answer, or its state so far. For a
 * turn that cannot be folded and ended without an answer, returns only its end.
 *
 * @throws UnreadableError if it cannot be folded, and has an answer or is open.
 */
export function foldStoppedTurn(
  session: string,
  agent: string,
  events: readonly StoredEvent[],
): TurnAnswer | PartialOutcome {
  const turn = foldTurn(events) as TurnState; // The first event is its start.
  return (
    toTurnAnswer(session, agent, turn) ?? { ...toStoppedTurn(session, agent, turn), outcome: 'suspended' }
  );
}

function foldTurn(events: readonly StoredEvent[]): TurnState | undefined {
  const state = createEmptyState();
  const folded = attempt(() => {
    for (const stored of events) reduce(state, stored);
  });
  if (folded.ok) return state.turn;
  const turn = foldUnansweredEnd(events);
  if (!turn) throw new UnreadableError(folded.thrown);
  return turn;
}

/** Returns the end of a turn without an answer, from its first and last event. */
function foldUnansweredEnd(events: readonly StoredEvent[]): TurnState | undefined {
  const [first, last] = [events.at(0), events.at(-1)];
  if (first?.type !== 'turn-started' || last?.type !== 'turn-ended') return undefined;
  if (OUTCOMES_WITH_ANSWER.includes(last.outcome)) return undefined;
  const { outcome, limit, error, signal } = last;
  return { ...startTurn(createEmptyState(), first), outcome, limit, error, signal };
}

/** Returns the answer of a folded turn, or `undefined` while it is open. */
export function toTurnAnswer(session: string, agent: string, turn: TurnState): TurnAnswer | undefined {
  const { outcome, limit, error, signal, object, stoppedBy } = turn;
  if (!outcome) return undefined;
  return {
    ...toStoppedTurn(session, agent, turn),
    outcome,
    ...(limit && { limit }),
    ...(object !== undefined && { object }),
    ...(error && { error }),
    ...(signal && { signal }),
    ...(stoppedBy.length > 0 && { stoppedBy }),
  };
}

function toStoppedTurn(session: string, agent: string, turn: TurnState): Infer<typeof STOPPED_TURN_SHAPE> {
  const { id, loopId, text, artifacts, files, said, tools, usage, iterations, toolCalls, model } = turn;
  return {
    turn: id,
    loopId,
    session,
    agent,
    text,
    artifacts,
    ...(files.length > 0 && { files }),
    ...(said.length > 0 && { said }),
    ...((tools.sourcesAsked > 0 || tools.late.length + tools.gone.length > 0) && { tools }),
    usage,
    iterations,
    toolCalls,
    model: model ?? null,
  };
}

/**
 * The type of an answer's `object` for an agent whose output has the type `Output`: the same type if that is
 * JSON, and otherwise `Json`.
 */
export type AnswerObject<Output> = [Output] extends [OptionalJson] ? Output : Json;

/** JSON with optional properties, as in the types of schemas. */
type OptionalJson =
  | null
  | boolean
  | number
  | string
  | undefined
  | readonly OptionalJson[]
  | { readonly [key: string]: OptionalJson };

/** Returns the memories of modules that a viewer of a session can see. */
export const getVisibleMemory = (
  { memories: values }: SessionState,
  { memories }: { readonly memories: readonly ToolMemory[] },
): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    memories.flatMap(({ name, isHidden }) => {
      const value = values.get(name);
      return isHidden || value === undefined ? [] : [[name, value]];
    }),
  );
