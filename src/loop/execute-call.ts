import { unknownOutcome } from '../journal/close-turn.ts';
import { isSuspended, mayHaveHappened, sentResult } from '../journal/state.ts';
import { type ParsedToolInput, parseToolInput } from '../tool/check-input.ts';
import { failure, modelText, type ToolResult } from '../tool/tool-result.ts';
import { type CallEnding, endingOf, eventsOf } from './call-ending.ts';
import { inspect, toolCallSeen } from './inspect.ts';
import { Interrupted } from './interrupted.ts';
import { type PreparedCall, prepareCall } from './invoke.ts';
import { exceptionResult, resultOf } from './journaled-result.ts';
import { isSupersededBySignal } from './next-step.ts';
import { permitCall } from './permit-call.ts';
import type { PermittedRun, ToolCallRun } from './tool-call-run.ts';

/**
 * Runs one call, or goes on with one that an earlier invocation started, and emits its end. Whatever goes wrong
 * becomes a result that the model can read.
 *
 * @throws Interrupted when the call was left open for another invocation or for the turn's end to answer.
 */
export async function executeCall(run: ToolCallRun): Promise<void> {
  const { loop, record } = run;
  const { holder, journal } = loop;
  const isOver = run.signal !== undefined && isSupersededBySignal(run.batch)(record);
  if (isSuspended(record) && !isOver)
    throw new Interrupted('suspended', `Call ${record.id} waits for an answer.`);
  // Read before anything runs: an end that does not come from the tool says nothing of what was done before.
  const inDoubt = mayHaveHappened(record) || journal.state.turn?.frames.has(record.id);
  inspect(loop, 'beforeToolCall', () => toolCallSeen(run));
  const began = holder.now();
  const ended = await endOf(run);
  const ending: CallEnding = ended.reached || !inDoubt ? ended : { result: unknownOutcome(record.name) };
  journal.emit(...eventsOf(run, ending));
  const ms = holder.now() - began;
  const { result } = ending;
  inspect(loop, 'afterToolCall', () => ({
    ...toolCallSeen(run),
    result: structuredClone({ ...result }),
    text: modelText(result),
    ms,
  }));
}

/** Calls the tool, if the call is permitted, and decides what becomes of its answer. */
async function endOf(run: ToolCallRun): Promise<CallEnding> {
  const permission = await permitCall(run);
  if (!permission.ok) return { result: sentResult(run.record) ?? permission.answer };
  const { run: permitted } = permission;
  const prepared = prepareCall(permitted);
  return endingOf(permitted, prepared, await answerOf(permitted, prepared));
}

/** What the tool answers. @throws the reason of the holder's signal when that aborts before the effect is reached. */
async function answerOf(run: PermittedRun, { call, progress }: PreparedCall): Promise<ToolResult> {
  const { signal } = run.loop.holder;
  const calling = callTool(run, call);
  const early = Promise.withResolvers<never>();
  const onAbort = (): void => {
    // From there on, the effect decides.
    if (!progress.reached) early.reject(signal.reason);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([calling, early.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function readInput({ tool, input: routed, record: { input } }: PermittedRun): ParsedToolInput {
  if (routed) return { ok: true, input: routed };
  return tool.readInput ? { ok: true, input: tool.readInput(input) } : parseToolInput(tool.name, input);
}

/** Code around an effect (a schema, a decorator) that throws has failed; only an interruption passes. */
async function callTool(run: PermittedRun, call: PreparedCall['call']): Promise<ToolResult> {
  const { loop, tool } = run;
  try {
    const read = readInput(run);
    if (!read.ok) return failure('invalid-input', read.message);
    return resultOf(loop, tool.name, await tool.call(read.input, call));
  } catch (thrown) {
    if (thrown instanceof Interrupted) throw thrown;
    return exceptionResult(loop, { tool: tool.name, thrown });
  }
}
