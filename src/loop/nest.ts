import { findLastReply } from '../journal/conversation.ts';
import { ROOT } from '../journal/events.ts';
import type { FrameState } from '../journal/state.ts';
import { ModelError } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { DoneCall, FrameOutcome } from '../tool/frame.ts';
import { createWarningEntry } from '../tool/log.ts';
import { SignalError, ToolConfigurationError } from '../tool/signals.ts';
import type { CallRun } from '../tool/tool.ts';
import {
  createToolResult,
  createWithheldResult,
  error,
  isOutcomeUnknown,
  isSuccess,
  type Signal,
  type ToolResult,
  text,
} from '../tool/tool-result.ts';
import { getThrownMessage } from './exception-processor.ts';
import { createCallEndedError, InterruptionError } from './holder.ts';
import { getLoopTime, type Loop, type LoopJournal, type LoopSpec } from './loop.ts';
import { type Frame, resolveNestedSpec } from './loop-agent.ts';
import { findModelProblem } from './loop-seams.ts';
import { findSettingsProblem } from './loop-settings.ts';
import { runForOutput } from './run-loop.ts';
import { RunningCall } from './running-call.ts';
import { getShownAnswer } from './shown-history.ts';

/**
 * Runs a nested tool loop in a frame of a call, or resumes the open frame. A call can nest at most once. If
 * the tool does not await it, the nested loop ends with the call.
 *
 * @throws TypeError if the call does not come from a loop of this copy of holdfast.
 */
export function nest(call: CallRun, frame: Frame): Promise<FrameOutcome> {
  const outcome = nestInCall(RunningCall.of(call), frame);
  outcome.catch(() => undefined);
  return outcome;
}

/**
 * Returns whether a frame of this call is open, because an earlier invocation was cut off inside it. `nest`
 * then resumes it.
 */
export const hasOpenFrame = (call: CallRun): boolean => findOpenFrame(RunningCall.of(call)) !== undefined;

async function nestInCall(opener: RunningCall, frame: Frame): Promise<FrameOutcome> {
  opener.enter();
  const ran = opener.time.outside(() => runFrame(opener, frame));
  opener.answer = async () => toNestedResult(await ran);
  const outcome = await ran;
  opener.signal = outcome.signal && isTurnEnding(outcome.signal) ? outcome.signal : undefined;
  return outcome;
}

/** Returns whether a signal ends the turn. Other signals end only the loop in which they were sent. */
const isTurnEnding = ({ type }: Signal): boolean => type !== 'replan' && type !== 'terminate-action';

/** Returns the result of a nested loop, for a call whose tool does not return one. */
function toNestedResult({ outcome, text: words }: FrameOutcome): ToolResult {
  if (outcome === 'failed') return error(words);
  return outcome === 'limit-reached' ? createWithheldResult(words) : text(words);
}

/**
 * The maximum nesting depth. Agents that ask each other by name would otherwise recurse until the turn's
 * limits.
 */
const MAX_DEPTH = 16;

/** The maximum number of tools named in an error about earlier work. */
const MAX_NAMED = 20;

/** The call that opens a nested loop, and the loop around it. */
type Opener = Pick<RunningCall, 'loop' | 'record'>;

/** Runs the loop of a frame. The call itself uses no slot, and its outcome is never in doubt. */
async function runFrame(opener: Opener, given: Frame): Promise<FrameOutcome> {
  const spec = resolveSpec(opener, given);
  if (typeof spec === 'string') return { outcome: 'failed', text: spec, calls: [], added: [] };
  checkModel(given, spec);
  if (!findOpenFrame(opener)) openFrame(opener, given);
  const frame = findOpenFrame(opener) as FrameState; // The frame is open now.
  return runToOutcome({
    ...opener.loop,
    spec,
    frame,
    journal: createFrameJournal(opener.loop.journal, frame),
  });
}

const findOpenFrame = ({ loop, record }: Opener): FrameState | undefined =>
  loop.journal.state.turn?.frames.get(record.id);

/**
 * Returns the spec of the nested loop, or why it cannot run here, as text for the model that asked for it.
 */
function resolveSpec(opener: Opener, given: Frame): LoopSpec | string {
  const { loop, record } = opener;
  if (loop.spec.depth >= MAX_DEPTH) {
    const where = `${loop.frame.path}/${given.name}`;
    loop.log(
      createWarningEntry(`a loop was not run, since loops are already nested ${MAX_DEPTH} deep: ${where}`),
    );
    return `Not run: loops are nested ${MAX_DEPTH} deep already, which is the limit. Do the work here, without delegating it.`;
  }
  const listDoneCalls = (): DoneCall[] => toDoneCalls(findOpenFrame(opener));
  let spec: LoopSpec | string;
  try {
    spec = resolveNestedSpec(loop, given, { id: record.id, calls: listDoneCalls });
  } catch (failure) {
    // A missing part of the deployment ends only the call. The turn's own agent has all that it needs.
    if (!(failure instanceof ConfigurationError)) throw failure;
    spec = failure.message;
  }
  return typeof spec === 'string' && findOpenFrame(opener)
    ? `${spec} The work had begun, and its outcome is unknown.`
    : spec;
}

/** @throws ToolConfigurationError if a module cannot be used with the model, or the model refuses the settings. */
function checkModel({ name }: Frame, { model, settings, uses }: LoopSpec): void {
  const modules = uses.map(({ use }) => use);
  const problem = findModelProblem(modules, model) ?? findSettingsProblem({ model, settings });
  if (problem) throw new ToolConfigurationError(`The loop of '${name}' ${problem}.`);
}

function openFrame({ loop, record }: Opener, given: Frame): void {
  const { journal, turn, secrets, memories, frame: parent } = loop;
  const { name, ownBlackboard } = given;
  const at = getLoopTime(loop);
  const { message, facts, held } = secrets.redact({
    message: given.message,
    facts: given.facts?.map((fact) => ({ ...fact, at })),
    held: memories.live?.heldBy(record.id) ?? {},
  });
  journal.emit({
    type: 'frame-started',
    turn,
    frame: record.id,
    ...(parent.id !== ROOT && { parent: parent.id }),
    name,
    message,
    ...(facts && facts.length > 0 && { facts }),
    ...held,
    ...(ownBlackboard && { ownBlackboard }),
  });
}

async function runToOutcome(loop: Loop): Promise<FrameOutcome> {
  const { frame } = loop;
  try {
    const { outcome, limit, error, signal, object } = await runForOutput(loop);
    if (outcome === 'suspended')
      throw new InterruptionError(outcome, `A call in the frame of ${frame.id} waits.`);
    const made = object !== undefined && { object, objectType: loop.spec.output?.type?.name };
    const ended = { ...collectWork(frame), ...(signal && { signal }), ...made };
    if (outcome === 'completed' || outcome === 'returned-direct' || outcome === 'limit-reached') {
      const said = signal?.reason ?? getShownAnswer(loop);
      return { outcome, ...(limit && { limit }), text: said || formatRefusal(frame), ...ended };
    }
    const why = findThrownMessage(frame) ?? error?.message ?? signal?.reason ?? outcome;
    return { outcome: 'failed', text: formatBrokenOff(why, ended.calls), ...ended };
  } catch (failure) {
    if (failure instanceof InterruptionError || failure instanceof SignalError) throw failure;
    const left = collectWork(frame);
    const text = formatBrokenOff(getThrownMessage(frame.path, failure), left.calls);
    // An error that code around the loop throws is handled like an error of a tool.
    if (!(failure instanceof ModelError)) throw new Error(text, { cause: failure });
    return { outcome: 'failed', text, ...left };
  }
}

/** Returns the message of the tool exception that ended the loop, for the result of the outer call. */
function findThrownMessage(frame: FrameState): string | undefined {
  const results = (findLastReply(frame.messages)?.calls ?? []).flatMap(({ ended }) => ended?.result ?? []);
  const thrown = results.find((result) => result.signal?.type === 'fail');
  return thrown?.type === 'error' ? thrown.message : undefined;
}

/**
 * Returns why a loop broke off and which tools it had called, so that the outer model does not request the
 * work twice.
 */
function formatBrokenOff(why: string, calls: readonly DoneCall[]): string {
  const done = calls
    .filter(({ result }) => isSuccess(result) || isOutcomeUnknown(result))
    .map(({ tool }) => tool);
  if (done.length === 0) return why;
  const names = [...new Set(done)].slice(0, MAX_NAMED).join(', ');
  return `${why} Before that it had called ${names}: their effects remain, so do not have them repeated.`;
}

/** Returns the text for a loop that reached a limit before it had an answer. */
const formatRefusal = ({ refused }: FrameState): string => {
  if (!refused) return '';
  const limit =
    refused.limit === 'cost' ? `cost limit of $${refused.most}` : `limit of ${refused.most} tokens`;
  return `Stopped: the ${limit} was reached before there was an answer.`;
};

/** Returns the calls and blackboard entries of a nested loop, for the call that opened it. */
const collectWork = (frame: FrameState): Pick<FrameOutcome, 'calls' | 'added'> => ({
  calls: toDoneCalls(frame),
  added: frame.inherited === undefined ? [] : structuredClone(frame.blackboard.slice(frame.inherited)),
});

function toDoneCalls(frame: FrameState | undefined): DoneCall[] {
  const calls = (frame?.messages ?? []).flatMap((message) =>
    message.role === 'assistant' ? message.calls : [],
  );
  return calls.flatMap(({ name, ended }) =>
    ended ? [{ tool: name, result: createToolResult(ended.result), nested: ended.nested ?? false }] : [],
  );
}

/**
 * Returns the journal for a nested loop. It refuses events once the call that opened the loop has ended
 * without waiting for it.
 */
const createFrameJournal = (journal: LoopJournal, { id }: FrameState): LoopJournal => ({
  get state() {
    return journal.state;
  },
  get changed() {
    return journal.changed;
  },
  emit(...events) {
    if (!journal.state.turn?.frames.has(id)) throw createCallEndedError(id);
    journal.emit(...events);
  },
  durable: () => journal.durable(),
});
