import {
  closeOpenCalls,
  exitInside,
  hasBegun,
  isSuspended,
  knownResult,
  mayHaveHappened,
  unknownOutcome,
} from '../journal/conversation.ts';
import type { CallChanges, SessionEvent } from '../journal/events.ts';
import { factsAtEnd } from '../journal/memories.ts';
import { framesAround } from '../journal/spending.ts';
import type { CallRecord } from '../journal/state.ts';
import { CALLS } from '../tool/call-origin.ts';
import { parseToolInput } from '../tool/check-input.ts';
import type { ReachedLimit } from '../tool/frame.ts';
import {
  failure,
  isOutcomeUnknown,
  type Signal,
  succeeded,
  type ToolResult,
  toolResult,
} from '../tool/tool-result.ts';
import type { AroundTime } from './around-time.ts';
import { callEnded, Interrupted } from './holder.ts';
import { prepareCall } from './live-call.ts';
import { inLoop } from './loop.ts';
import { throughModules, watched } from './loop-seams.ts';
import { isSupersededBySignal } from './next-step.ts';
import { permitCall } from './permit-call.ts';
import { lateCall } from './reconcile.ts';
import { type Remarked, remarksOn } from './remarks.ts';
import { asDeclared, exceptionResult, journaledResult, resultOf } from './tool-answer.ts';
import type { PermittedRun, PreparedCall, ToolCallRun } from './tool-call-run.ts';

/**
 * Runs one call, or goes on with one that an earlier invocation started, and emits its end. Whatever goes wrong
 * becomes a result that the model can read.
 *
 * @throws Interrupted when the call was left open for another invocation or for the turn's end to answer.
 */
export async function executeCall(run: ToolCallRun): Promise<void> {
  const { loop, record } = run;
  const { holder, journal } = loop;
  const { turn } = journal.state;
  const isOver = run.signal !== undefined && isSupersededBySignal(run.batch, turn)(record);
  if (isSuspended(record) && !isOver)
    throw new Interrupted('suspended', `Call ${record.id} waits for an answer.`);
  // Read before anything runs: an end that does not come from the tool says nothing of what was done before.
  const inDoubt = mayHaveHappened(record) || turn?.frames.has(record.id);
  if (turn && !hasBegun(turn, record)) loop.locks.passed.add(record.id);
  const isWatched = loop.spec.uses.length > 0;
  if (isWatched) watched(loop, { at: 'call', record, offer: run.offer });
  const began = holder.now();
  const ended = await endOf(run);
  const isKnown = ended.reached ? !isOutcomeUnknown(ended.result) : !inDoubt;
  const known = isKnown ? ended : foundEnding(record, ended);
  const opened = journal.state.turn?.frames.has(record.id) ? journal.state.turn : undefined;
  const exit = opened && exitInside(opened, record.id);
  const result = exit ? withSignal(known.result, exit) : known.result;
  if (record.ended) {
    // It was ended with the loop around it while it ran. Its result still counts if its outcome is unknown.
    if (!isOutcomeUnknown(result)) holder.late(lateCall(record), Promise.resolve(result));
    throw callEnded(record.id);
  }
  // What is still open in the loop of the call ends before the call does.
  const inside = opened ? closeOpenCalls(opened, 'failed', record.id) : [];
  journal.emit(...inside, ...eventsOf(run, { ...known, result }));
  if (isWatched) watched(loop, { at: 'result', record, offer: run.offer, result, ms: holder.now() - began });
}

/** The end of a call whose outcome this invocation does not know: another one may have left its result behind meanwhile. */
function foundEnding(record: CallRecord, ended: CallEnding): CallEnding {
  const known = knownResult(record);
  if (known) return { result: known };
  return ended.reached ? ended : { result: unknownOutcome(record.name) };
}

/** Calls the tool, if the call is permitted, and decides what becomes of its answer. */
async function endOf(run: ToolCallRun): Promise<CallEnding> {
  const time = run.times.begin(run.record.name, run.loop.log);
  try {
    const permission = await permitCall(run, time);
    if (!permission.ok) return { result: knownResult(run.record) ?? permission.answer };
    const { run: permitted } = permission;
    const prepared = prepareCall(permitted, time, await run.loop.holder.idempotencyKey(run.record.id));
    return await endingOf(permitted, prepared, await answerOf(permitted, prepared, time));
  } finally {
    time.end();
  }
}

/**
 * Resolves with what the tool answers; if code around its effect does not finish in time, with what the effect came to, or that it was
 * not run.
 *
 * @throws the reason of the holder's signal when that aborts before the effect is reached.
 */
async function answerOf(run: PermittedRun, prepared: PreparedCall, time: AroundTime): Promise<ToolResult> {
  const { signal } = run.loop.holder;
  const { progress } = prepared;
  const calling = callTool(run, calledIn(run, prepared, time));
  const early = Promise.withResolvers<never>();
  const onAbort = (): void => {
    // From there on, the effect decides.
    if (!progress.reached) early.reject(signal.reason);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  try {
    const late = time.over.then((answer) => (progress.answer ? callTool(run, progress.answer()) : answer));
    return await Promise.race([calling, early.promise, late]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Calls the tool with the input as it reads it, through the modules around the call. */
async function calledIn(run: PermittedRun, prepared: PreparedCall, time: AroundTime): Promise<unknown> {
  const { loop, tool } = run;
  const { call, progress } = prepared;
  const next = async (): Promise<ToolResult> => {
    const { input: written } = run.record;
    const known = run.input ?? tool.readInput?.(written);
    const read = known ? { ok: true as const, input: known } : parseToolInput(tool.name, written);
    if (!read.ok) return failure('invalid-input', read.message);
    const { input } = read;
    return CALLS.inCall(call.origin, () => tool.call(input, call));
  };
  const reached = (limit: ReachedLimit): void => {
    progress.limit ??= limit;
  };
  const { uses } = loop.spec;
  const answered = await (uses.length > 0 ? throughModules(uses, call, { next, reached }) : next());
  time.end();
  return answered;
}

/** Code around an effect (a schema, a decorator) that throws has failed; only an interruption passes. */
async function callTool({ loop, tool }: PermittedRun, calling: Promise<unknown>): Promise<ToolResult> {
  try {
    const result = await resultOf(loop, tool.name, await calling);
    return tool.output ? asDeclared(loop, tool, result) : result;
  } catch (thrown) {
    if (thrown instanceof Interrupted) throw thrown;
    return exceptionResult(loop, tool, thrown);
  }
}

/** How a call ended, before it is an event. */
interface CallEnding {
  readonly result: ToolResult;
  /** It was beyond this limit, and did not run. */
  readonly limit?: ReachedLimit;
  readonly direct?: boolean;
  readonly changes?: CallChanges | undefined;
  /** Said to the user by the call, in order. */
  readonly said?: readonly string[];
  /** Milliseconds inside `run`, or `undefined` when nothing ran. */
  readonly ms?: number | undefined;
  /** The tool got as far as its effect or its frame. */
  readonly reached?: boolean;
}

/**
 * Answers what is journaled of a call that its tool has answered: no secrets, no more than fits, and its changes if it
 * succeeded.
 */
async function endingOf(
  run: PermittedRun,
  { call, progress, starts }: PreparedCall,
  answered: ToolResult,
): Promise<CallEnding> {
  const { loop, record, tool, view } = run;
  const { secrets } = loop;
  // What is noted of a result, as of what the journal keeps of it, has no secrets in it.
  const result = toolResult(secrets.redact({ ...answered }));
  const { id, input } = record;
  const noted: Remarked =
    loop.spec.strategies.length > 0 ? remarksOn(loop, { id, tool, input, result }, call) : { result };
  const [clean, changes, said] = secrets.redact([
    { ...noted.result },
    view.changes(noted.facts, starts && (await Promise.all(starts.later))),
    view.said,
  ]);
  const kept = journaledResult(loop, { tool: tool.name, result: toolResult(clean), changes });
  const signal = secrets.redact(progress.signal);
  const ended = signal ? withSignal(kept, signal) : kept;
  return {
    result: ended,
    ...(progress.limit && { limit: progress.limit }),
    direct: tool.returnDirect && succeeded(ended) && (progress.reached || progress.received),
    changes: changes && keptChanges(ended, changes),
    said,
    ms: progress.ms,
    reached: progress.reached,
  };
}

/** The events that end a call: what it said to the user comes before its result, if it succeeded. */
function eventsOf({ loop, record }: ToolCallRun, ending: CallEnding): SessionEvent[] {
  const { result, limit, direct, ms, said = [] } = ending;
  const changes = record.atEnd ? withHeldFacts(record, ending.changes) : ending.changes;
  const place = { ...inLoop(loop), call: record.id };
  const sent = loop.starts?.started.filter(({ as, by }) => as === 'sent' && by === record).length ?? 0;
  const told = result.type === 'error' ? [] : said;
  const under = told.length > 0 && outermostCall(loop);
  return [
    ...told.map(
      (text): SessionEvent => ({
        type: 'message-sent',
        ...place,
        text,
        tool: record.name,
        ...(under && { under }),
      }),
    ),
    {
      type: 'tool-call-ended',
      ...place,
      result,
      ...(ms !== undefined && { ms }),
      ...(limit && { limit }),
      ...(direct && { direct }),
      ...(changes && { changes }),
      ...(sent > 0 && { sent }),
    },
  ];
}

/** The call of the turn's own loop that a nested loop is inside of. */
function outermostCall({ journal, frame }: ToolCallRun['loop']): string | undefined {
  const { turn } = journal.state;
  return turn && framesAround(turn, frame).at(-2)?.id;
}

/** What a decorator made of a result may have lost the signal that came with it. */
function withSignal(result: ToolResult, signal: Signal): ToolResult {
  if (result.signal) return result;
  return result.type === 'error'
    ? toolResult({ ...result, signal })
    : toolResult({ ...result, signal, withheld: true });
}

/**
 * What of a call's changes takes effect: all of a success, and of one that broke off by a signal what it stored.
 * Of facts, one that has not done what it is for keeps those for its end.
 */
function keptChanges(result: ToolResult, changes: CallChanges): CallChanges | undefined {
  if (succeeded(result)) return changes;
  const { facts: all = [], ...stored } = changes;
  const facts = all.filter(({ on }) => on === 'end');
  const kept = {
    ...(result.type !== 'error' && result.signal && stored),
    ...(facts.length > 0 && { facts }),
  };
  return Object.keys(kept).length > 0 ? kept : undefined;
}

/** An end that does not come from the tool, or of code that has changed since, tells nothing of what was stored with the start. */
function withHeldFacts(call: CallRecord, changes: CallChanges | undefined): CallChanges | undefined {
  const facts = factsAtEnd(call, changes?.facts);
  return facts.length > 0 ? { ...changes, facts } : changes;
}
