import {
  closeOpenCalls,
  createUnknownOutcomeResult,
  findExitInside,
  findKnownResult,
  hasBegun,
  isSuspended,
  mayHaveHappened,
} from '../journal/conversation.ts';
import type { CallRecord } from '../journal/state.ts';
import { raceAbort, StopController } from '../tool/async.ts';
import { CALL_ORIGINS } from '../tool/call-origin.ts';
import { parseToolInput } from '../tool/check-input.ts';
import type { ReachedLimit } from '../tool/frame.ts';
import type { AnyTool, CallRun } from '../tool/tool.ts';
import {
  createFailureResult,
  isOutcomeUnknown,
  isToolResult,
  type Signal,
  type ToolResult,
} from '../tool/tool-result.ts';
import { OverheadTimer } from './around-time.ts';
import { type Batch, CallView, type LaneCall } from './batch.ts';
import { type CallEnding, toCallEnding, toEndEvents, withSignal } from './call-ending.ts';
import { toCallRun } from './call-run.ts';
import { getThrownMessage } from './exception-processor.ts';
import { createCallEndedError, InterruptionError } from './holder.ts';
import { getPrincipal, type Loop } from './loop.ts';
import { callInModules, notifyWatchers } from './loop-seams.ts';
import { findSignal, isSupersededBySignal } from './next-step.ts';
import { toLateCall } from './reconcile.ts';
import { RunningCall } from './running-call.ts';
import { checkDeclaredOutput, createExceptionResult, toKeptResult } from './tool-answer.ts';
import { createNotFoundResult } from './tool-not-found.ts';

/**
 * Runs one call, or resumes a call that an earlier invocation started, and emits its end. Every failure
 * becomes a result that the model can read. The earlier calls of its lane must have ended, since the call
 * sees their changes.
 *
 * @throws InterruptionError if the call is left open, for another invocation or for the end of the turn.
 */
export async function executeCall(batch: Batch, place: LaneCall): Promise<void> {
  const { loop, offer } = batch;
  const { record } = place;
  const { holder, journal } = loop;
  const { turn } = journal.state;
  const signal = findSignal(batch.batch);
  const isOver = signal !== undefined && isSupersededBySignal(batch.batch, turn)(record);
  if (record.waits && !isOver && isSuspended(record))
    throw new InterruptionError('suspended', `Call ${record.id} waits for an answer.`);
  // Read before anything runs: an end that does not come from the tool does not show whether the call has
  // acted.
  const inDoubt = mayHaveHappened(record) || turn?.frames.has(record.id);
  if (turn && !hasBegun(turn, record)) loop.locks.passed.add(record.id);
  const isWatched = loop.spec.uses.length > 0;
  if (isWatched) notifyWatchers(loop, { at: 'call', record, offer });
  const began = holder.now();
  const ended = await runToEnding(batch, place, signal);
  const isKnown = ended.reached ? !isOutcomeUnknown(ended.result) : !inDoubt;
  const known = isKnown ? ended : resolveEnding(record, ended);
  const opened = journal.state.turn?.frames.has(record.id) ? journal.state.turn : undefined;
  const exit = opened && findExitInside(opened, record.id);
  const result = exit ? withSignal(known.result, exit) : known.result;
  if (record.ended) {
    // The loop around it ended the call while it ran. If its outcome is unknown, its result is still
    // journaled.
    if (!isOutcomeUnknown(result)) holder.late(toLateCall(record), Promise.resolve(result));
    throw createCallEndedError(record.id);
  }
  // Open calls in the nested loop end before this call does.
  const inside = opened ? closeOpenCalls(opened, 'failed', record.id) : [];
  journal.emit(...inside, ...toEndEvents(loop, record, { ...known, result }));
  if (isWatched) notifyWatchers(loop, { at: 'result', record, offer, result, ms: holder.now() - began });
}

/**
 * Returns the end of a call whose outcome this invocation does not know. Another invocation may have stored
 * its result meanwhile.
 */
function resolveEnding(record: CallRecord, ended: CallEnding): CallEnding {
  const known = findKnownResult(record);
  if (known) return { result: known };
  return ended.reached ? ended : { result: createUnknownOutcomeResult(record.name) };
}

/** Runs the tool if the call is permitted, and returns how the call ended. */
async function runToEnding(batch: Batch, place: LaneCall, signal: Signal | undefined): Promise<CallEnding> {
  const { loop, offer } = batch;
  const { record, input, earlier } = place;
  const time = new OverheadTimer(loop.holder, { tool: record.name, log: loop.log });
  try {
    const { tool, answer } = await permitCall(batch, place, { signal, time });
    if (!tool) return { result: findKnownResult(record) ?? answer };
    const view = new CallView(loop, record, earlier);
    const call = new RunningCall({ loop, record, tool, input, view, time });
    const run = toCallRun(call, offer, await loop.holder.digest(loop.turn));
    return await toCallEnding(call, run, await waitForResult(call, run));
  } finally {
    time.end();
  }
}

/**
 * Resolves with the tool's result. If code around the effect takes too long, resolves with the result of the
 * effect, or with an error if the effect did not run.
 *
 * @throws the reason of the holder's signal if it aborts before the effect is reached.
 */
async function waitForResult(call: RunningCall, run: CallRun): Promise<ToolResult> {
  const { signal } = call.loop.holder;
  const calling = callTool(call, callWithInput(call, run));
  const late = call.time.over.then((answer) => (call.answer ? callTool(call, call.answer()) : answer));
  const answer = Promise.race([calling, late]);
  const stop = new StopController(signal);
  try {
    return await stop.until(answer);
  } catch (thrown) {
    if (!call.reached) throw thrown;
    return await answer; // From here on, the effect decides how the call ends.
  } finally {
    stop.end();
  }
}

/** Calls the tool with its parsed input, through the modules around the call. */
async function callWithInput(call: RunningCall, run: CallRun): Promise<unknown> {
  const { loop, tool, record } = call;
  const next = async (): Promise<ToolResult> => {
    const known = call.input ?? tool.readInput?.(record.input);
    const read = known ? { ok: true as const, input: known } : parseToolInput(tool.name, record.input);
    if (!read.ok) return createFailureResult('invalid-input', read.message);
    return CALL_ORIGINS.inCall(run.origin, () => tool.call(read.input, run));
  };
  const setReachedLimit = (limit: ReachedLimit): void => {
    call.limit ??= limit;
  };
  const { uses } = loop.spec;
  const answered = await (uses.length > 0
    ? callInModules(uses, run, { next, reached: setReachedLimit })
    : next());
  call.time.end();
  return answered;
}

/**
 * Turns an exception of code around an effect (a schema, a decorator) into an error result. Only
 * `InterruptionError` passes through.
 */
async function callTool({ loop, tool }: RunningCall, calling: Promise<unknown>): Promise<ToolResult> {
  try {
    const result = await toKeptResult(loop, tool.name, await calling);
    return tool.output ? checkDeclaredOutput(loop, tool, result) : result;
  } catch (thrown) {
    if (thrown instanceof InterruptionError) throw thrown;
    return createExceptionResult(loop, tool, thrown);
  }
}

/** The tool of a permitted call, or the result of a refused one. */
type Permission =
  | { readonly tool: AnyTool; readonly answer?: undefined }
  | { readonly tool?: undefined; readonly answer: ToolResult };

/**
 * Decides whether a call runs. It does not if another call ended the loop (`signal`), if its tool is not
 * offered, or if the agent's policy refuses it.
 */
async function permitCall(
  { loop, batch, offer }: Batch,
  { record, tool, input }: LaneCall,
  { signal, time }: { readonly signal: Signal | undefined; readonly time: OverheadTimer },
): Promise<Permission> {
  const { policies } = loop.spec;
  const { turn } = loop.journal.state;
  const isBegun = turn !== undefined && hasBegun(turn, record);
  if (signal && (!isBegun || isSupersededBySignal(batch, turn)(record)))
    return { answer: createSkippedResult(record.name, signal) };
  if (!tool) return { answer: createNotFoundResult(record.name, offer.byName, policies.unknownTools) };
  if (!policies.isEligible) return { tool };
  // The policy judges the tool that would run, not the unfolding tool in front of it.
  const meant = input ? { id: record.id, name: tool.name, input: JSON.stringify(input) } : record;
  const answer = await checkEligibility(loop, meant, time);
  return answer ? { answer } : { tool };
}

const createSkippedResult = (tool: string, { reason }: Signal): ToolResult =>
  createFailureResult(
    'skipped',
    `Skipped: '${tool}' was not run, since another call of this reply ended the loop: ${reason}`,
  );

/** Returns the result of a call that the agent's policy refuses, or `undefined` if it permits the call. */
async function checkEligibility(
  loop: Loop,
  { id, name, input }: Pick<CallRecord, 'id' | 'name' | 'input'>,
  time: OverheadTimer,
): Promise<ToolResult | undefined> {
  const { policies, context } = loop.spec;
  const { signal } = loop.holder;
  try {
    const asked = time.during('isEligible', () =>
      policies.isEligible?.({ id, name, input }, context, getPrincipal(loop)),
    );
    const verdict = await raceAbort(signal, Promise.race([asked, time.over]));
    if (isToolResult(verdict)) return verdict;
    if (verdict) return undefined;
    return createFailureResult('declined', `Tool '${name}' was not run: this call is not permitted.`);
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    const why = getThrownMessage(name, thrown);
    return createFailureResult('declined', `Tool '${name}' was not run: its permission check failed: ${why}`);
  }
}
