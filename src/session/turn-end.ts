import type { AgendaRow } from '../journal/agenda.ts';
import type { FinalOutcome, TurnError } from '../journal/events.ts';
import type { Change, Leased, SessionFull } from '../journal/session-port.ts';
import { type Snapshot, toSnapshot } from '../journal/snapshot.ts';
import type { SessionState, TurnState } from '../journal/state.ts';
import { Interrupted } from '../loop/holder.ts';
import type { LoopEnd } from '../loop/loop.ts';
import { ModelError } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { ToolResolutionError } from '../sources/resolution/tool-source.ts';
import { attempt } from '../tool/async.ts';
import type { ReachedLimit } from '../tool/frame.ts';
import type { Json } from '../tool/json.ts';
import { type Log, mistake } from '../tool/log.ts';
import { defineSeam, type ModuleUse } from '../tool/module-use.ts';
import { ToolConfigurationError } from '../tool/signals.ts';
import type { Signal } from '../tool/tool-result.ts';
import { orHandOver } from './send-again.ts';

/** Why one invocation's part of a turn is over. */
export type Stopped =
  | { readonly why: 'suspended' | 'handed-over' | 'lost'; readonly detail: string }
  | {
      readonly why: 'ended';
      readonly outcome: FinalOutcome;
      readonly limit?: ReachedLimit;
      readonly error?: TurnError;
      readonly signal?: Signal;
      readonly text?: string;
      readonly object?: Json;
      /** What failed the turn, and is for the log alone. */
      readonly thrown?: unknown;
    };

/** The end of a turn that was cancelled. */
export const CANCELLED: Stopped = { why: 'ended', outcome: 'cancelled' };

/** How a turn's own loop stopped. */
export type AnswerEnd = LoopEnd & {
  /** Its answer, where transformers changed it. */
  readonly text?: string;
};

/** Every way in which a loop can stop, as data. A loop that cannot reach its session leaves its turn to another invocation. */
export async function stopOf(loop: Promise<AnswerEnd>): Promise<Stopped> {
  try {
    const { outcome, ...more } = await loop;
    if (outcome === 'suspended') return { why: outcome, detail: '' };
    return { why: 'ended', outcome, ...more };
  } catch (failure) {
    const thrown = orHandOver(failure);
    if (!(thrown instanceof Interrupted)) return { why: 'ended', ...failed(thrown) };
    if (thrown.why !== 'cancelled') return { why: thrown.why, detail: thrown.message };
    return CANCELLED;
  }
}

function failed(thrown: unknown): { outcome: 'failed'; error: TurnError; thrown?: unknown } {
  if (thrown instanceof ModelError) {
    const { message, retryAfter: ms = Infinity } = thrown;
    const seconds = Math.ceil(ms / 1000);
    // A model of one's own, or a server, may say anything: a header is written in whole seconds.
    const wait = Number.isSafeInteger(seconds) && seconds > 0 && { retryAfter: seconds };
    return { outcome: 'failed', error: { type: 'model-failure', message, ...wait } };
  }
  if (
    thrown instanceof ConfigurationError ||
    thrown instanceof ToolResolutionError ||
    thrown instanceof ToolConfigurationError
  ) {
    const { message, cause } = thrown;
    return { outcome: 'failed', error: { type: 'misconfigured', message }, thrown: cause };
  }
  const message = 'The turn failed inside the Worker.';
  return { outcome: 'failed', error: { type: 'internal', message }, thrown };
}

/** The longest pause before a turn that was handed over resumes, and the first one, in ms. */
const LONGEST_PAUSE = 5 * 60_000;
const FIRST_PAUSE = 1_000;

/**
 * Returns the milliseconds after which a turn that is handed over resumes: 0, or a pause if the invocation resumed it without progress.
 * Each further one in a row doubles the pause, up to five minutes.
 */
export const pauseOf = ({ resumedIdly }: Pick<TurnState, 'resumedIdly'>): number =>
  resumedIdly === 0 ? 0 : Math.min(FIRST_PAUSE * 2 ** (resumedIdly - 1), LONGEST_PAUSE);

/** The end of a turn that nobody could bring any further. */
export const stuck = (turn: TurnState, { expirations }: Leased): AnswerEnd => ({
  outcome: 'failed',
  error: {
    type: 'stuck',
    message: `The turn was taken over ${Math.max(expirations, turn.resumedIdly)} times without progress; its last event is ${turn.lastEvent}.`,
  },
});

interface EndedTurn {
  readonly state: SessionState;
  /** The version of the kinds of tools that folded the state. */
  readonly reducer: number;
  readonly leased: Pick<Leased, 'snapshot'>;
  /** Of the events after the last snapshot. */
  readonly bytes: number;
  readonly log: Log;
}

/** A snapshot is written when more events than this would have to be folded. */
const SNAPSHOT_AFTER = 200;
/** Characters; it travels with an append, and with the answer to every `begin`. */
const MAX_SNAPSHOT = 4 * 1024 * 1024;

/** The snapshot of a session after a turn; `undefined` while the events after the last one are read as fast. */
export function snapshotIfDue({ state, reducer, leased, bytes, log }: EndedTurn): Snapshot | undefined {
  const isLong = state.seq - (leased.snapshot?.seq ?? 0) > SNAPSHOT_AFTER;
  const isHeavy = bytes > (leased.snapshot?.body.length ?? 0);
  // One that covers what was cut off spares the next turn from reading it.
  const hasCut = (state.cut?.from ?? 1) > (leased.snapshot?.messagesFrom ?? 1);
  return (isLong && isHeavy) || hasCut ? snapshotOf({ state, reducer, log }) : undefined;
}

/** A snapshot only saves time, so a state that cannot be written down, or weighs too much, is left to the journal. */
function snapshotOf({ state, reducer, log }: Omit<EndedTurn, 'leased' | 'bytes'>): Snapshot | undefined {
  // What a kind's code could not fold would be hidden from the code that can.
  if (state.brokenMemories) return undefined;
  try {
    const body = toSnapshot(state);
    if (body.length > MAX_SNAPSHOT) return undefined;
    return { seq: state.seq, reducer, body, messagesFrom: state.cut?.from };
  } catch (failure) {
    log(mistake('a snapshot could not be made', failure));
    return undefined;
  }
}

/** What whoever writes to a session that is full is told, and what mends it. */
export const fullText = ({ most, used }: Pick<SessionFull, 'most' | 'used'>): string =>
  `The session is full: it weighs ${used} bytes, and above ${most} it takes nothing more. Begin another, or erase this one.`;

/** The session takes nothing any more of what its turn makes. */
export class SessionFullError extends Error {
  override readonly name = 'SessionFullError';

  constructor(full: SessionFull) {
    super(fullText(full));
  }
}

/**
 * How a turn has stopped. `suspended`: it waits for someone outside, as for an approval. `failed`: it ended without an answer, by an
 * error. `ended`: it ended in any other way, also as cancelled.
 */
export type TurnStop = 'suspended' | 'ended' | 'failed';

/** A turn that stops with the append that is about to be stored. Its session may be unreadable. */
export interface StoppedTurn {
  readonly id: string;
  readonly stop: TurnStop;
  /** The last event of the turn when it stopped. */
  readonly seq: number;
  /** The name of its session, as in a `DueRow`: it says the owner, the agent and the id. */
  readonly name: string;
}

/** What is stored with the stop of a turn, in the same commit. */
export interface StoredWithStop {
  /** Work that the module does later, by its seam `due`, in this order. Each `ref` is unique within the session. */
  readonly agenda?: readonly Pick<AgendaRow, 'ref'>[] | undefined;
}

/**
 * The seam `ended`: asked with every append that ends or suspends a turn, by whatever writes it. Synchronous. Nothing is stored if the
 * append is refused, or if the turn suspends and resumes at once. If the function throws, the turn stops without it.
 */
export const ENDED = defineSeam<(turn: StoppedTurn) => StoredWithStop | undefined>();

/** An invocation that stops the turn of its lease. */
export interface Stopping {
  /** Of the modules in scope. */
  readonly uses: readonly ModuleUse[];
  readonly leased: Pick<Leased, 'name' | 'page'>;
  readonly log: Log;
}

/** Returns what modules store with the stop of the leased turn, whose last event is `seq`. */
export function storedWithStop(
  { uses, leased, log }: Stopping,
  { stop, seq }: Pick<StoppedTurn, 'stop' | 'seq'>,
): Pick<Change, 'agenda'> {
  const agenda: AgendaRow[] = [];
  for (const use of uses) {
    const ended = ENDED.of(use);
    if (!ended) continue;
    const { module, key } = use;
    const { name, page } = leased;
    const asked = attempt(() => ended({ id: page.openTurn?.id ?? '', stop, seq, name }));
    if (asked.ok)
      for (const { ref } of asked.value?.agenda ?? []) agenda.push({ module: module.name, key, ref });
    else {
      const message = `module '${module.name}' failed at the stop of a turn`;
      log(mistake(message, asked.thrown));
    }
  }
  return agenda.length > 0 ? { agenda } : {};
}

/** How a turn stops that ends with this outcome. */
export const stopOfEnd = (outcome: string | undefined): TurnStop =>
  outcome === 'failed' ? 'failed' : 'ended';
