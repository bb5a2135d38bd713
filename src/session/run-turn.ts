import { closeOpenCalls, getAnswerText } from '../journal/conversation.ts';
import { NewerEventError } from '../journal/event-rows.ts';
import { CUT_OFF, ROOT, type StoredEvent } from '../journal/events.ts';
import { TurnMemories } from '../journal/memories.ts';
import { OUTCOMES_WITH_ANSWER } from '../journal/reduce.ts';
import type { LeaseGrant, SessionPort } from '../journal/session-port.ts';
import type { FrameState, TurnState } from '../journal/state.ts';
import { InterruptionError } from '../loop/holder.ts';
import type { Loop } from '../loop/loop.ts';
import { type Modules, NO_MODULES } from '../loop/modules.ts';
import { runForOutput } from '../loop/run-loop.ts';
import { getShownAnswer } from '../loop/shown-history.ts';
import { createRedactingLog, toLog, writeProblems } from '../tool/console-log.ts';
import { collectCredentials, envOfTools } from '../tool/env.ts';
import type { LogPlace } from '../tool/log.ts';
import { Secrets } from '../tool/secrets.ts';
import { type FoldedSession, foldAndRenew } from './fold-session.ts';
import { HeldSession } from './held-session.ts';
import { logLongConversation } from './long-conversation.ts';
import { Meter } from './meter.ts';
import { UNLIMITED_PLATFORM } from './read-platform.ts';
import { awaitSecrets } from './read-secrets.ts';
import {
  endWithoutReading,
  handleUnreadable,
  isAbandoned,
  MAX_EXPIRATIONS,
  MAX_STRIKES,
  toFailureLogLine,
  type UnfinishedTurn,
} from './read-session.ts';
import {
  type AnswerEnd,
  awaitStop,
  CANCELLED_REASON,
  collectStopData,
  createSnapshotIfDue,
  createStuckEnd,
  resumePauseMs,
  SessionFullError,
  type TurnStop,
  type TurnStopReason,
  toTurnStop,
} from './turn-end.ts';
import { type TurnHost, toLoopSpec } from './turn-host.ts';

/** The state of a turn when its invocation stops. */
export type TurnEnd =
  | { readonly status: 'ended'; readonly turn: TurnState }
  /**
   * Another invocation resumes the turn, or it waits for a decision. `seq` is the last event that was shown.
   */
  | { readonly status: 'suspended' | 'handed-over' | 'lost'; readonly seq: number };

/**
 * Runs a leased turn to its end, or as far as this invocation can. When it returns, all of its work is
 * durable or abandoned, on every path.
 *
 * @throws NewerEventError if a newer version of this code wrote to the session, which is then left alone.
 * @throws UnreadableError if the turn cannot be read. It is tried again later.
 */
export async function runTurn(host: TurnHost, leased: LeaseGrant, sentAt: number): Promise<TurnEnd> {
  const { port, clock, meter = new Meter(UNLIMITED_PLATFORM, clock.now), modules = NO_MODULES } = host;
  const { log: write = toLog(writeProblems), uses = modules.uses } = host;
  const { openTurn, head } = leased.page;
  const place: HeldTurn['place'] = { ...host.place, turn: openTurn?.id };
  const log = createRedactingLog(write, place, () => held.secrets);
  const held: HeldTurn = {
    ...{ host, modules, uses, port, clock, meter, leased, sentAt, log, head, place },
    secrets: Secrets.NONE,
  };
  try {
    // Beyond these limits, even the holder that should have abandoned the turn fell silent. End the turn
    // without reading it.
    if (leased.strikes <= MAX_STRIKES && leased.expirations <= MAX_EXPIRATIONS) return await readAndRun(held);
    await endWithoutReading(held);
  } catch (failure) {
    await handleUnreadable(held, failure);
  }
  return { status: 'lost', seq: held.head };
}

/** A leased session, and the resources of its invocation. */
interface HeldTurn extends UnfinishedTurn {
  readonly host: TurnHost;
  readonly modules: Modules;
  readonly port: SessionPort;
  readonly meter: Meter;
  readonly sentAt: number;
  /** The last event known to be stored. */
  head: number;
  /** The place that every line of its log includes. */
  readonly place: { -readonly [Key in keyof LogPlace]: LogPlace[Key] };
  /** The secrets of its tools, once they are minted. The log redacts them. */
  secrets: Secrets;
}

/** @throws any error of reading the turn. */
async function readAndRun(held: HeldTurn): Promise<TurnEnd> {
  const { host, modules, leased } = held;
  const { leave } = host;
  const { folded, heard } = await foldAndRenew({ ...held, ...modules });
  const { state, turnEvents } = folded;
  const { turn } = state;
  // The session was erased while it was read.
  if (state.seq < held.head) return { status: 'lost', seq: held.head };
  if (!turn || turn.id !== held.place.turn) {
    // The lease is not for a turn of the conversation: the session is a fork that is still being copied.
    if (!(await host.copyOn?.(leased))) throw new NewerEventError();
    return { status: 'lost', seq: held.head };
  }
  held.place.principal = turn.principal.id;
  const session = new HeldSession({
    ...held,
    sentAt: heard,
    state,
    ...modules,
    show: host.show,
    liveText: host.liveText,
    waitUntil: host.waitUntil,
    env: host.env,
    keepsNothing: host.keepsNothing,
  });
  session.live.stored(turnEvents);
  const handOverTurn = (): void => session.handOver('its client has gone');
  leave?.addEventListener('abort', handOverTurn);
  if (leave?.aborted) handOverTurn();
  try {
    return await runUntilStopped({ held, folded, turn, session });
  } catch (failure) {
    const { full, acknowledged } = session.outbox;
    if (full) throw new SessionFullError(full);
    if (failure instanceof InterruptionError) return { status: 'lost', seq: acknowledged };
    throw failure;
  } finally {
    leave?.removeEventListener('abort', handOverTurn);
    await session.close();
    held.head = session.outbox.acknowledged;
  }
}

/** One invocation's part of a turn. */
interface TurnInvocation {
  readonly held: HeldTurn;
  readonly folded: FoldedSession;
  readonly turn: TurnState;
  readonly session: HeldSession;
}

async function runUntilStopped(run: TurnInvocation): Promise<TurnEnd> {
  const { session, turn } = run;
  const { leased } = run.held;
  const { outbox } = session;
  if (turn.outcome) {
    // The end of the turn was stored, but the lease was not released.
    await outbox.release('ended', collectTurnStopData(run, toTurnStop(turn.outcome)));
    logEnd(run);
    return { status: 'ended', turn };
  }
  if (leased.cause !== 'started') outbox.emit({ type: 'turn-resumed', turn: turn.id, cause: leased.cause });
  session.inbox.takeIn(leased.inbox);
  if (turn.cancelRequested) session.cancel();
  let taken: number;
  let end: TurnStopReason;
  do {
    taken = session.inbox.taken;
    end = await awaitStop(runLoop(run));
  } while (hasMoreWork(session, end, taken));
  // Decided after the last await. A cancel that arrived while the loop stopped must not wait for another
  // holder, which may never come.
  const last = turn.cancelRequested && end.why !== 'lost' && end.why !== 'ended' ? CANCELLED_REASON : end;
  if (last.why === 'lost') throw new InterruptionError(last.why, last.detail);
  if (last.why === 'ended') {
    await endTurn(run, last);
    return { status: last.why, turn };
  }
  if (last.why === 'suspended') await outbox.release(last.why, collectTurnStopData(run, last.why));
  else {
    outbox.emit({ type: 'turn-yielded', turn: turn.id, reason: last.detail });
    await outbox.release('yielded', { resumeAfter: resumePauseMs(turn) });
  }
  return { status: last.why, seq: outbox.acknowledged };
}

/**
 * Returns whether the loop has more work. A message that arrived while it stopped must not wait for another
 * holder, which may never come.
 */
function hasMoreWork(session: HeldSession, end: TurnStopReason, taken: number): boolean {
  if (end.why !== 'ended') return end.why === 'suspended' && session.inbox.taken > taken;
  if (session.inbox.taken > taken) return true;
  return !end.signal && OUTCOMES_WITH_ANSWER.includes(end.outcome) && session.takeSteers(ROOT);
}

async function runLoop(run: TurnInvocation): Promise<AnswerEnd> {
  const { held, turn } = run;
  const { host, leased } = held;
  if (isAbandoned(leased, turn)) return createStuckEnd(turn, leased);
  const frame = turn.frames.get(ROOT) as FrameState; // The turn is open.
  const minted = (host.secrets && (await mintSecrets(run, host.secrets))) ?? Secrets.NONE;
  held.secrets = minted.hidingToo(collectCredentials(host.env ?? {}));
  const loop = assembleLoop(run, frame);
  const end: AnswerEnd = await runForOutput(loop);
  const text = getShownAnswer(loop);
  const told: AnswerEnd = text === getAnswerText(frame.messages) ? end : { ...end, text };
  if (end.outcome !== 'completed' || !turn.limited) return told;
  // If a limit was reached on the way, the answer may be incomplete.
  const { iterations: most } = loop.spec;
  const limit =
    turn.limit ?? (frame.iterations >= most ? ({ kind: 'iterations', most } as const) : undefined);
  return { ...told, outcome: 'limit-reached', ...(limit && { limit }) };
}

/** Mints the secrets of the turn, within the hook's time limit and until the turn is cancelled. */
function mintSecrets(
  { session, turn }: TurnInvocation,
  mint: NonNullable<TurnHost['secrets']>,
): Promise<Secrets | undefined> {
  const mintForTurn = async (): Promise<Secrets> => mint(turn.principal, turn.id);
  return awaitSecrets(session, mintForTurn(), session.signal);
}

async function endTurn(
  run: TurnInvocation,
  { why: _, thrown, ...end }: Extract<TurnStopReason, { why: 'ended' }>,
): Promise<void> {
  const { session, folded, turn } = run;
  const { host, leased, modules, log } = run.held;
  const { outbox, live } = session;
  const { state, tailBytes } = folded;
  const { said: text } = live;
  if (text && !OUTCOMES_WITH_ANSWER.includes(end.outcome)) {
    const model = host.agent.model ?? host.model;
    outbox.emit({
      type: 'model-replied',
      turn: turn.id,
      model: model.name,
      text,
      toolCalls: [],
      finish: CUT_OFF,
    });
  }
  outbox.emit(...closeOpenCalls(turn, end.outcome), { type: 'turn-ended', turn: turn.id, ...end });
  const bytes = tailBytes + outbox.bytes;
  const snapshot = createSnapshotIfDue({ state, reducer: modules.reducer, leased, bytes, log });
  // Measured only with a snapshot, which is rare, so that most turns skip it.
  if (snapshot) logLongConversation(run.held, state);
  await outbox.release('ended', { snapshot, ...collectTurnStopData(run, toTurnStop(end.outcome)) });
  logEnd(run, thrown);
}

/**
 * Returns the data that modules store with the stop of the turn. All of its events must have been emitted.
 */
const collectTurnStopData = ({ held, session }: TurnInvocation, stop: TurnStop) =>
  collectStopData(held, { stop, seq: session.outbox.state.seq });

/**
 * Logs the outcome of the turn, and the reason if it failed. `thrown` is the unexpected error. If the outcome
 * was not stored, the invocation that ends the turn later logs it.
 */
function logEnd(run: TurnInvocation, thrown?: unknown): void {
  const { held, session, turn } = run;
  const { outcome = 'open', error, usage, callsByTool, iterations, model } = turn;
  held.log({
    level: 'info',
    ...(error && { ...toFailureLogLine(error, thrown), error: error.type }),
    event: 'turn',
    outcome,
    ms: session.now() - getStartTime(run),
    model,
    iterations,
    usage,
    tools: Object.fromEntries(callsByTool),
  });
}

/**
 * Assembles the turn's own loop from its agent's declarations and its invocation's resources.
 *
 * @throws any error of the host's hooks.
 */
function assembleLoop(run: TurnInvocation, frame: FrameState): Loop {
  const { held, folded, turn, session } = run;
  const { host, modules, leased, log, secrets } = held;
  const { agents } = host;
  return {
    spec: toLoopSpec(host, turn),
    frame,
    session: host.place?.session ?? '',
    agent: host.agent.name,
    turn: turn.id,
    startedAt: getStartTime(run),
    startsBefore: findCallStarts(folded.turnEvents),
    takeOvers: Math.max(leased.expirations, turn.resumedSinceReply),
    inSession: true,
    journal: session.outbox,
    holder: session,
    live: session.live,
    secrets,
    env: envOfTools(host.env ?? {}),
    log,
    files: session.files,
    slots: session.slots,
    locks: { passed: new Set() },
    memories: new TurnMemories({ state: session.outbox.state, memories: modules.memories, log }),
    starts: host.keepsNothing
      ? undefined
      : { journal: session.outbox, agent: host.agent, log, started: [], named: new Set() },
    madeTools: new Map(),
    modules,
    agents,
  };
}

const getStartTime = ({ folded, session }: TurnInvocation): number =>
  folded.turnEvents.at(0)?.at ?? session.now();

/** Returns the last start time of each call. */
function findCallStarts(events: readonly StoredEvent[]): ReadonlyMap<string, number> {
  const starts = new Map<string, number>();
  for (const event of events) if (event.type === 'tool-call-started') starts.set(event.call, event.at);
  return starts;
}
