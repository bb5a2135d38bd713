import { answerText, closeOpenCalls } from '../journal/conversation.ts';
import { NewerEventError } from '../journal/event-rows.ts';
import { CUT_OFF, ROOT, type StoredEvent } from '../journal/events.ts';
import { TurnMemories } from '../journal/memories.ts';
import { ANSWERED } from '../journal/reduce.ts';
import type { Leased, SessionPort } from '../journal/session-port.ts';
import type { FrameState, TurnState } from '../journal/state.ts';
import { Interrupted } from '../loop/holder.ts';
import type { Loop } from '../loop/loop.ts';
import { type Modules, NO_MODULES } from '../loop/modules.ts';
import { runForOutput } from '../loop/run-loop.ts';
import { answerShown } from '../loop/shown-history.ts';
import { hiding, toLog, writeProblems } from '../tool/console-log.ts';
import { credentialsIn, envOfTools } from '../tool/env.ts';
import type { LogPlace } from '../tool/log.ts';
import { Secrets } from '../tool/secrets.ts';
import { type FoldedSession, foldWhileHeld } from './fold-session.ts';
import { HeldSession } from './held-session.ts';
import { noteLength } from './long-conversation.ts';
import { Meter } from './meter.ts';
import { UNLIMITED } from './read-platform.ts';
import { mintedInTime } from './read-secrets.ts';
import {
  endUnread,
  failureOf,
  isGivenUp,
  leaveUnread,
  MAX_EXPIRATIONS,
  MAX_STRIKES,
  type UnreadTurn,
} from './read-session.ts';
import {
  type AnswerEnd,
  CANCELLED,
  pauseOf,
  SessionFullError,
  type Stopped,
  snapshotIfDue,
  stopOf,
  stopOfEnd,
  storedWithStop,
  stuck,
  type TurnStop,
} from './turn-end.ts';
import { specOf, type TurnHost } from './turn-host.ts';

/** Where a turn stands when its invocation stops. */
export type TurnEnd =
  | { readonly status: 'ended'; readonly turn: TurnState }
  /** Another invocation goes on, or a decision is waited for; `seq` is the last event that was shown. */
  | { readonly status: 'suspended' | 'handed-over' | 'lost'; readonly seq: number };

/**
 * Runs a leased turn to its end, or as far as this invocation may. Everything it did is durable or given up when it
 * returns, on every path.
 *
 * @throws NewerEventError when a newer version of this code wrote to the session, which is then left alone; UnreadableError when
 *   the turn cannot be read, and is tried once more.
 */
export async function runTurn(host: TurnHost, leased: Leased, sentAt: number): Promise<TurnEnd> {
  const { port, clock, meter = new Meter(UNLIMITED, clock.now), modules = NO_MODULES } = host;
  const { log: write = toLog(writeProblems), uses = modules.uses } = host;
  const { openTurn, head } = leased.page;
  const place: Held['place'] = { ...host.place, turn: openTurn?.id };
  const log = hiding(write, place, () => held.secrets);
  const held: Held = {
    ...{ host, modules, uses, port, clock, meter, leased, sentAt, log, head, place },
    secrets: Secrets.NONE,
  };
  try {
    // Beyond these, whoever was to give the turn up fell silent as well: it is not read any more.
    if (leased.strikes <= MAX_STRIKES && leased.expirations <= MAX_EXPIRATIONS) return await readAndRun(held);
    await endUnread(held);
  } catch (failure) {
    await leaveUnread(held, failure);
  }
  return { status: 'lost', seq: held.head };
}

/** A leased session, and what its invocation brings. */
interface Held extends UnreadTurn {
  readonly host: TurnHost;
  readonly modules: Modules;
  readonly port: SessionPort;
  readonly meter: Meter;
  readonly sentAt: number;
  /** The last event that is stored, as far as this invocation knows. */
  head: number;
  /** What every line of its log says of it. */
  readonly place: { -readonly [Key in keyof LogPlace]: LogPlace[Key] };
  /** Those of its tools, once they are minted: the log hides them. */
  secrets: Secrets;
}

/** @throws what reading the turn does. */
async function readAndRun(held: Held): Promise<TurnEnd> {
  const { host, modules, leased } = held;
  const { leave } = host;
  const { folded, heard } = await foldWhileHeld({ ...held, ...modules });
  const { state, turnEvents } = folded;
  const { turn } = state;
  // It was erased while it was read.
  if (state.seq < held.head) return { status: 'lost', seq: held.head };
  if (!turn || turn.id !== held.place.turn) {
    // The lease is of no turn of the conversation: the session is a fork into which events are still copied.
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
  const handOver = (): void => session.handOver('its client has gone');
  leave?.addEventListener('abort', handOver);
  if (leave?.aborted) handOver();
  try {
    return await drive({ held, folded, turn, session });
  } catch (failure) {
    const { full, acknowledged } = session.outbox;
    if (full) throw new SessionFullError(full);
    if (failure instanceof Interrupted) return { status: 'lost', seq: acknowledged };
    throw failure;
  } finally {
    leave?.removeEventListener('abort', handOver);
    await session.close();
    held.head = session.outbox.acknowledged;
  }
}

/** One invocation's part of one turn. */
interface Run {
  readonly held: Held;
  readonly folded: FoldedSession;
  readonly turn: TurnState;
  readonly session: HeldSession;
}

async function drive(run: Run): Promise<TurnEnd> {
  const { session, turn } = run;
  const { leased } = run.held;
  const { outbox } = session;
  if (turn.outcome) {
    // Its end was stored, and the lease was not given back.
    await outbox.release('ended', stopped(run, stopOfEnd(turn.outcome)));
    logEnd(run);
    return { status: 'ended', turn };
  }
  if (leased.cause !== 'started') outbox.emit({ type: 'turn-resumed', turn: turn.id, cause: leased.cause });
  session.inbox.takeIn(leased.inbox);
  if (turn.cancelRequested) session.cancel();
  let taken: number;
  let end: Stopped;
  do {
    taken = session.inbox.taken;
    end = await stopOf(loopEnd(run));
  } while (goesOn(session, end, taken));
  // Decided after the last wait: a cancel that came while the loop stopped is not left to a holder that may never come.
  const last = turn.cancelRequested && end.why !== 'lost' && end.why !== 'ended' ? CANCELLED : end;
  if (last.why === 'lost') throw new Interrupted(last.why, last.detail);
  if (last.why === 'ended') {
    await endTurn(run, last);
    return { status: last.why, turn };
  }
  if (last.why === 'suspended') await outbox.release(last.why, stopped(run, last.why));
  else {
    outbox.emit({ type: 'turn-yielded', turn: turn.id, reason: last.detail });
    await outbox.release('yielded', { resumeAfter: pauseOf(turn) });
  }
  return { status: last.why, seq: outbox.acknowledged };
}

/** Whether the loop has something to do again: what came while it stopped is not left to a holder that may never come. */
function goesOn(session: HeldSession, end: Stopped, taken: number): boolean {
  if (end.why !== 'ended') return end.why === 'suspended' && session.inbox.taken > taken;
  if (session.inbox.taken > taken) return true;
  return !end.signal && ANSWERED.includes(end.outcome) && session.takeSteers(ROOT);
}

async function loopEnd(run: Run): Promise<AnswerEnd> {
  const { held, turn } = run;
  const { host, leased } = held;
  if (isGivenUp(leased, turn)) return stuck(turn, leased);
  const frame = turn.frames.get(ROOT) as FrameState; // the turn is open
  const minted = (host.secrets && (await mintedFor(run, host.secrets))) ?? Secrets.NONE;
  held.secrets = minted.hidingToo(credentialsIn(host.env ?? {}));
  const loop = assembleLoop(run, frame);
  const end: AnswerEnd = await runForOutput(loop);
  const text = answerShown(loop);
  const told: AnswerEnd = text === answerText(frame.messages) ? end : { ...end, text };
  if (end.outcome !== 'completed' || !turn.limited) return told;
  // An answer for which a limit was met on the way is not all that could be.
  const { iterations: most } = loop.spec;
  const limit =
    turn.limit ?? (frame.iterations >= most ? ({ kind: 'iterations', most } as const) : undefined);
  return { ...told, outcome: 'limit-reached', ...(limit && { limit }) };
}

/** A cancel does not wait for a hook that hangs, and nor does the turn for ever. */
function mintedFor(
  { session, turn }: Run,
  mint: NonNullable<TurnHost['secrets']>,
): Promise<Secrets | undefined> {
  const minting = async (): Promise<Secrets> => mint(turn.principal, turn.id);
  return mintedInTime(session, minting(), session.signal);
}

async function endTurn(
  run: Run,
  { why: _, thrown, ...end }: Extract<Stopped, { why: 'ended' }>,
): Promise<void> {
  const { session, folded, turn } = run;
  const { host, leased, modules, log } = run.held;
  const { outbox, live } = session;
  const { state, tailBytes } = folded;
  const { said: text } = live;
  if (text && !ANSWERED.includes(end.outcome)) {
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
  const snapshot = snapshotIfDue({ state, reducer: modules.reducer, leased, bytes, log });
  // With a snapshot, since one is stored seldom: most turns are not measured.
  if (snapshot) noteLength(run.held, state);
  await outbox.release('ended', { snapshot, ...stopped(run, stopOfEnd(end.outcome)) });
  logEnd(run, thrown);
}

/** What modules store with the stop of the turn, of which everything is emitted. */
const stopped = ({ held, session }: Run, stop: TurnStop) =>
  storedWithStop(held, { stop, seq: session.outbox.state.seq });

/**
 * Logs the outcome of the turn, and why it failed. `thrown`: the unforeseen error. An outcome that was not stored is logged by the
 * invocation that ends the turn later.
 */
function logEnd(run: Run, thrown?: unknown): void {
  const { held, session, turn } = run;
  const { outcome = 'open', error, usage, callsByTool, iterations, model } = turn;
  held.log({
    level: 'info',
    ...(error && { ...failureOf(error, thrown), error: error.type }),
    event: 'turn',
    outcome,
    ms: session.now() - startOf(run),
    model,
    iterations,
    usage,
    tools: Object.fromEntries(callsByTool),
  });
}

/**
 * The turn's own loop, of what its agent declares and what its invocation brings.
 *
 * @throws what a part of the host does.
 */
function assembleLoop(run: Run, frame: FrameState): Loop {
  const { held, folded, turn, session } = run;
  const { host, modules, leased, log, secrets } = held;
  const { agents } = host;
  return {
    spec: specOf(host, turn),
    frame,
    session: host.place?.session ?? '',
    agent: host.agent.name,
    turn: turn.id,
    startedAt: startOf(run),
    startsBefore: startsIn(folded.turnEvents),
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
    made: new Map(),
    modules,
    agents,
  };
}

/** When the turn started. */
const startOf = ({ folded, session }: Run): number => folded.turnEvents.at(0)?.at ?? session.now();

/** When calls were started, each the last time. */
function startsIn(events: readonly StoredEvent[]): ReadonlyMap<string, number> {
  const starts = new Map<string, number>();
  for (const event of events) if (event.type === 'tool-call-started') starts.set(event.call, event.at);
  return starts;
}
