import type { AgendaRow } from '../journal/agenda.ts';
import type { FinalOutcome, TurnError } from '../journal/events.ts';
import type { AppendData, LeaseGrant, SessionFull } from '../journal/session-port.ts';
import { type Snapshot, toSnapshot } from '../journal/snapshot.ts';
import type { SessionState, TurnState } from '../journal/state.ts';
import { InterruptionError } from '../loop/holder.ts';
import type { LoopEnd } from '../loop/loop.ts';
import { ModelError } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { ToolResolutionError } from '../sources/resolution/tool-source.ts';
import { attempt } from '../tool/async.ts';
import type { ReachedLimit } from '../tool/frame.ts';
import type { Json } from '../tool/json.ts';
import { createErrorEntry, type Log } from '../tool/log.ts';
import { defineSeam, type ModuleUse } from '../tool/module-use.ts';
import { ToolConfigurationError } from '../tool/signals.ts';
import type { Signal } from '../tool/tool-result.ts';
import { toHandOverError } from './send-again.ts';

/** The reason why one invocation's part of a turn ended. */
export type TurnStopReason =
  | { readonly why: 'suspended' | 'handed-over' | 'lost'; readonly detail: string }
  | {
      readonly why: 'ended';
      readonly outcome: FinalOutcome;
      readonly limit?: ReachedLimit;
      readonly error?: TurnError;
      readonly signal?: Signal;
      readonly text?: string;
      readonly object?: Json;
      /** The error that failed the turn, for the log only. */
      readonly thrown?: unknown;
    };

/** The end of a cancelled turn. */
export const CANCELLED_REASON: TurnStopReason = { why: 'ended', outcome: 'cancelled' };

/** How a turn's own loop ended. */
export type AnswerEnd = LoopEnd & {
  /** Its answer, if transformers changed it. */
  readonly text?: string;
};

/**
 * Awaits a loop and returns how it stopped, as data. If the loop cannot reach its session, the turn is left
 * to another invocation.
 */
export async function awaitStop(loop: Promise<AnswerEnd>): Promise<TurnStopReason> {
  try {
    const { outcome, ...more } = await loop;
    if (outcome === 'suspended') return { why: outcome, detail: '' };
    return { why: 'ended', outcome, ...more };
  } catch (failure) {
    const thrown = toHandOverError(failure);
    if (!(thrown instanceof InterruptionError)) return { why: 'ended', ...toFailedEnd(thrown) };
    if (thrown.why !== 'cancelled') return { why: thrown.why, detail: thrown.message };
    return CANCELLED_REASON;
  }
}

function toFailedEnd(thrown: unknown): { outcome: 'failed'; error: TurnError; thrown?: unknown } {
  if (thrown instanceof ModelError) {
    const { message, retryAfter: ms = Infinity } = thrown;
    const seconds = Math.ceil(ms / 1000);
    // A custom model or a server can send any value, but the header needs whole seconds.
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

/** The maximum and the first pause before a handed-over turn resumes, in ms. */
const MAX_PAUSE_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 1_000;

/**
 * Returns the milliseconds after which a handed-over turn resumes: 0, or a pause if the invocation resumed it
 * without progress. Each further such invocation in a row doubles the pause, up to five minutes.
 */
export const resumePauseMs = ({ resumedIdly }: Pick<TurnState, 'resumedIdly'>): number =>
  resumedIdly === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (resumedIdly - 1), MAX_PAUSE_MS);

/** Returns the end of a turn that made no progress in many invocations. */
export const createStuckEnd = (turn: TurnState, { expirations }: LeaseGrant): AnswerEnd => ({
  outcome: 'failed',
  error: {
    type: 'stuck',
    message: `The turn was taken over ${Math.max(expirations, turn.resumedIdly)} times without progress. Its last event is ${turn.lastEvent}.`,
  },
});

interface EndedTurn {
  readonly state: SessionState;
  /** The version in snapshots, which depends on the modules that folded the state. */
  readonly reducer: number;
  readonly leased: Pick<LeaseGrant, 'snapshot'>;
  /** The size of the events after the last snapshot. */
  readonly bytes: number;
  readonly log: Log;
}

/** The number of events to fold above which a snapshot is written. */
const SNAPSHOT_AFTER_EVENTS = 200;
/** The maximum characters of a snapshot, which travels with an append and with the reply to every `begin`. */
const MAX_SNAPSHOT_CHARACTERS = 4 * 1024 * 1024;

/** Returns the snapshot to store after a turn, or `undefined` if reading the events is still as fast. */
export function createSnapshotIfDue({ state, reducer, leased, bytes, log }: EndedTurn): Snapshot | undefined {
  const isLong = state.seq - (leased.snapshot?.seq ?? 0) > SNAPSHOT_AFTER_EVENTS;
  const isHeavy = bytes > (leased.snapshot?.body.length ?? 0);
  // A snapshot that covers the cut spares the next turn from reading the removed part.
  const hasCut = (state.cut?.from ?? 1) > (leased.snapshot?.messagesFrom ?? 1);
  return (isLong && isHeavy) || hasCut ? createSnapshot({ state, reducer, log }) : undefined;
}

/**
 * Returns a snapshot, or `undefined` if the state cannot be serialized or is too large. A snapshot only saves
 * time, since the journal contains all data.
 */
function createSnapshot({ state, reducer, log }: Omit<EndedTurn, 'leased' | 'bytes'>): Snapshot | undefined {
  // A snapshot would lack facts that this code cannot fold, even for code that can.
  if (state.brokenMemories) return undefined;
  try {
    const body = toSnapshot(state);
    if (body.length > MAX_SNAPSHOT_CHARACTERS) return undefined;
    return { seq: state.seq, reducer, body, messagesFrom: state.cut?.from };
  } catch (failure) {
    log(createErrorEntry('a snapshot could not be made', failure));
    return undefined;
  }
}

/** Returns the error message of a full session, with ways to fix it. */
export const formatSessionFull = ({ most, used }: Pick<SessionFull, 'most' | 'used'>): string =>
  `The session is full: it uses ${used} bytes, and the limit is ${most}. Start a new session, or erase this one.`;

/** Thrown if the session has no more room for the events of its turn. */
export class SessionFullError extends Error {
  override readonly name = 'SessionFullError';

  constructor(full: SessionFull) {
    super(formatSessionFull(full));
  }
}

/**
 * How a turn stopped. `suspended`: it waits for an answer from outside, such as an approval. `failed`: it
 * ended with an error and no answer. `ended`: it ended in any other way, including by a cancel.
 */
export type TurnStop = 'suspended' | 'ended' | 'failed';

/** A turn that the next append stops. Its session can be unreadable. */
export interface StoppedTurn {
  readonly id: string;
  readonly stop: TurnStop;
  /** The last event of the turn when it stopped. */
  readonly seq: number;
  /** The name of its session, as in a `DueRow`. It contains the owner, the agent and the session's id. */
  readonly name: string;
}

/** Data to store with the stop of a turn, in the same commit. */
export interface StoredWithStop {
  /**
   * Work that the module does later through its seam `due`, in this order. Each `ref` is unique within the
   * session.
   */
  readonly agenda?: readonly Pick<AgendaRow, 'ref'>[] | undefined;
}

/**
 * The seam `ended`: called with every append that ends or suspends a turn. Synchronous. Its data is not
 * stored if the append is refused, or if the turn suspends and resumes at once. If the function throws, the
 * turn stops without its data.
 */
export const STOP_SEAM = defineSeam<(turn: StoppedTurn) => StoredWithStop | undefined>();

/** An invocation that stops the turn of its lease. */
export interface StoppingInvocation {
  /** The uses of the modules in scope. */
  readonly uses: readonly ModuleUse[];
  readonly leased: Pick<LeaseGrant, 'name' | 'page'>;
  readonly log: Log;
}

/** Returns the data that modules store with the stop of the leased turn. `seq` is the turn's last event. */
export function collectStopData(
  { uses, leased, log }: StoppingInvocation,
  { stop, seq }: Pick<StoppedTurn, 'stop' | 'seq'>,
): Pick<AppendData, 'agenda'> {
  const agenda: AgendaRow[] = [];
  for (const use of uses) {
    const ended = STOP_SEAM.of(use);
    if (!ended) continue;
    const { module, key } = use;
    const { name, page } = leased;
    const asked = attempt(() => ended({ id: page.openTurn?.id ?? '', stop, seq, name }));
    if (asked.ok)
      for (const { ref } of asked.value?.agenda ?? []) agenda.push({ module: module.name, key, ref });
    else {
      const message = `module '${module.name}' failed when a turn stopped`;
      log(createErrorEntry(message, asked.thrown));
    }
  }
  return agenda.length > 0 ? { agenda } : {};
}

/** Returns how a turn with this outcome stops. */
export const toTurnStop = (outcome: string | undefined): TurnStop =>
  outcome === 'failed' ? 'failed' : 'ended';
