import { type CallChanges, inFrame, type SessionEvent } from '../journal/events.ts';
import { factsAtEnd } from '../journal/memories.ts';
import {
  type CallRecord,
  type FrameState,
  isSuspended,
  mayHaveHappened,
  openBatch,
  sentResult,
} from '../journal/state.ts';
import { unknownOutcome } from '../journal/unknown-outcome.ts';
import { type ParsedToolInput, parseToolInput } from '../tools/parse-tool-input.ts';
import { SignalError, signalled } from '../tools/signals.ts';
import {
  failure,
  modelText,
  type Signal,
  succeeded,
  type ToolResult,
  toolResult,
} from '../tools/tool-result.ts';
import { CallView } from './call-view.ts';
import { exceptionResult } from './exception-processor.ts';
import { callSeen, inspect, placeOf } from './inspect.ts';
import type { ToolCallSeen } from './inspector.ts';
import { Interrupted } from './interrupted.ts';
import { createInvocation } from './invoke.ts';
import { keptResult, resultOf } from './kept-result.ts';
import type { Loop } from './loop.ts';
import { isMoot, signalOf } from './next-step.ts';
import { notesOn, withRemark } from './notes-on.ts';
import type { Offer } from './offer-tools.ts';
import { permitCall } from './permit-call.ts';
import type { Target } from './routed.ts';
import { scheduling } from './scheduling.ts';

/** How a call ended, before it is an event. */
interface Ending {
  readonly result: ToolResult;
  readonly direct?: boolean;
  readonly changes?: CallChanges | undefined;
  readonly ms?: number | undefined;
}

/**
 * Runs one call, or goes on with one that an earlier invocation started, and emits its end. Whatever goes wrong
 * becomes a result that the model can read.
 *
 * @throws Interrupted when the call was left open for another invocation or for the turn's end to answer.
 */
export async function executeCall(
  loop: Loop,
  frame: FrameState,
  call: CallRecord,
  offered: Offer,
): Promise<void> {
  const batch = openBatch(frame);
  const isOver = signalOf(batch) !== undefined && isMoot(batch)(call);
  if (isSuspended(call) && !isOver)
    throw new Interrupted('suspended', `Call ${call.id} waits for an answer.`);
  // Read before anything runs: an end that does not come from the tool says nothing of what was done before.
  const inDoubt = mayHaveHappened(call) || loop.journal.state.turn?.frames.has(call.id);
  const seen = (): ToolCallSeen => seenOf(loop, frame, call, offered);
  inspect(loop, 'beforeToolCall', seen);
  const began = loop.invocation.now();
  const ended = await endingOf(loop, frame, call, offered);
  const told: Execution = ended.reached || !inDoubt ? ended : { result: unknownOutcome(call.name) };
  const ending = { ...told, changes: withHeldFacts(call, told.changes) };
  const { result, said = [] } = ending;
  loop.journal.emit(
    ...(result.type === 'error' ? [] : said).map((text) => messageSent(loop, call, text)),
    callEnded(loop, call, ending),
  );
  const ms = loop.invocation.now() - began;
  inspect(loop, 'afterToolCall', () => ({
    ...seen(),
    result: structuredClone({ ...result }),
    text: modelText(result),
    ms,
  }));
}

const seenOf = (
  loop: Loop,
  frame: FrameState,
  call: CallRecord,
  { byName, definitions }: Offer,
): ToolCallSeen => ({
  ...placeOf(loop, frame),
  call: callSeen(call),
  metadata: structuredClone(byName.get(call.name)?.metadata ?? {}),
  definition: () => structuredClone(definitions.find(({ name }) => name === call.name)),
});

/** `reached`: the tool got as far as its effect or its frame. */
interface Execution extends Ending {
  readonly reached?: boolean;
  readonly said?: readonly string[];
}

async function endingOf(loop: Loop, frame: FrameState, call: CallRecord, offered: Offer): Promise<Execution> {
  const permitted = await permitCall(loop, frame, call, offered);
  if (!permitted.ok) return { result: sentResult(call) ?? permitted.answer };
  const { tool } = permitted;
  const view = new CallView(loop, frame, call, offered.byName);
  const { schedule, scheduled } = scheduling(loop, call.id);
  const bound = { loop, frame, record: call, tool, view, offered: offered.byName };
  const invocation = createInvocation({ ...bound, schedule });
  const calling = settle(loop, tool.name, async () => {
    const parsed = readInput(permitted, call);
    return parsed.ok ? tool.call(parsed.input, invocation.call) : failure('invalid-input', parsed.message);
  });
  const answered = await unlessAborted(loop.invocation.signal, invocation.reached, calling);
  // What is noted of a result, as of what the journal keeps of it, has no secrets in it.
  const result = toolResult(loop.secrets.redact({ ...answered }));
  const noted = notesOn(loop, { id: call.id, tool, input: call.input, result }, invocation.call.view);
  const [clean, changes, said] = loop.secrets.redact([
    { ...withRemark(result, noted.remarks) },
    view.changes(noted.facts, await scheduled()),
    view.said,
  ]);
  const ended = withSignal(
    keptResult(loop, tool.name, toolResult(clean), changes),
    loop.secrets.redact(invocation.signal()),
  );
  return {
    result: ended,
    direct: tool.returnDirect && succeeded(ended) && invocation.acted(),
    changes: keptChanges(ended, changes),
    said,
    ms: invocation.ms(),
    reached: invocation.reached(),
  };
}

function readInput({ tool, input: routed }: Target, { input }: CallRecord): ParsedToolInput {
  if (routed) return { ok: true, input: routed };
  return tool.readInput ? { ok: true, input: tool.readInput(input) } : parseToolInput(tool.name, input);
}

/**
 * What of a call's changes takes effect: all of a success, and of one that broke off by a signal what it stored (LOOP-12).
 * Of facts, one that has not done what it is for keeps those for its end.
 */
function keptChanges(result: ToolResult, changes: CallChanges | undefined): CallChanges | undefined {
  if (succeeded(result)) return changes;
  const { facts: all = [], ...stored } = changes ?? {};
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

/** Leaves a call that is interrupted before it got as far as its effect; from there on, the effect decides. */
async function unlessAborted<T>(
  signal: AbortSignal,
  reached: () => boolean,
  calling: Promise<T>,
): Promise<T> {
  const early = Promise.withResolvers<never>();
  const onAbort = (): void => {
    if (!reached()) early.reject(signal.reason);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([calling, early.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Code around a leaf (a schema, a decorator) that throws has failed; only an interruption passes. */
async function settle(loop: Loop, tool: string, run: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return resultOf(loop, tool, await run());
  } catch (thrown) {
    if (thrown instanceof Interrupted) throw thrown;
    if (thrown instanceof SignalError) return signalled(thrown);
    return exceptionResult(loop, { tool, thrown });
  }
}

/** What a decorator made of a result may have lost the signal that came with it. */
function withSignal(result: ToolResult, signal: Signal | undefined): ToolResult {
  if (!signal || result.signal) return result;
  return result.type === 'error'
    ? toolResult({ ...result, signal })
    : toolResult({ ...result, signal, withheld: true });
}

function messageSent(
  { turn, frame }: Pick<Loop, 'turn' | 'frame'>,
  { id }: CallRecord,
  text: string,
): SessionEvent {
  return { type: 'message-sent', turn, ...inFrame(frame), call: id, text };
}

/** The event that ends a call. */
export function callEnded(
  loop: Pick<Loop, 'turn' | 'frame'>,
  call: CallRecord,
  ending: Ending,
): SessionEvent {
  const { result, direct, changes, ms } = ending;
  return {
    type: 'tool-call-ended',
    turn: loop.turn,
    ...inFrame(loop.frame),
    call: call.id,
    result,
    ...(ms !== undefined && { ms }),
    ...(direct && { direct }),
    ...(changes && { changes }),
  };
}
