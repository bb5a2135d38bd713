import { ROOT } from '../journal/events.ts';
import type { CallRecord, FrameState } from '../journal/state.ts';
import { ModelError } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { DoneCall, Frame, FrameOutcome } from '../tools/frame.ts';
import { SignalError, ToolConfigurationError } from '../tools/signals.ts';
import { succeeded, type ToolResult, toolResult } from '../tools/tool-result.ts';
import { unpriced, withBudgets } from './budget.ts';
import { partsOf } from './frame-parts.ts';
import { Interrupted } from './interrupted.ts';
import { type Loop, withCallLimits } from './loop.ts';
import { findAgent, framed } from './loop-agent.ts';
import { messageOf } from './message-of.ts';
import { plannedModel } from './planned-model.ts';
import { runForOutput } from './run-for-output.ts';
import { answerShown } from './transform.ts';

/** How many loops may be inside each other: agents that ask each other by name would go on until the turn's limits. */
const MAX_DEPTH = 16;

/** Tools that are named to whoever has to know what was done. */
const MAX_NAMED = 20;

/**
 * Runs the nested loop of a call, or goes on inside the one that is open: the call itself holds no slot and is never
 * in doubt.
 */
export async function runFrame(
  loop: Loop,
  parent: FrameState,
  call: CallRecord,
  given: Frame,
): Promise<FrameOutcome> {
  const frames = loop.journal.state.turn?.frames;
  const isOpen = frames?.has(call.id) ?? false;
  const config = configOf(loop, given, isOpen);
  if (typeof config === 'string') return { outcome: 'failed', text: config, calls: [], added: [] };
  checkPriced(loop, call, config);
  if (!isOpen) openFrame(loop, parent, call, config);
  const frame = frames?.get(call.id);
  if (!frame) throw new Error(`The frame of call ${call.id} is not in the journal.`);
  return outcomeOf(nestedLoop(loop, frame, config), frame);
}

/** The frame as it can be run here; or why it cannot, in words for the model that asked for it. */
function configOf(loop: Loop, given: Frame, isOpen: boolean): Frame | string {
  if (loop.depth >= MAX_DEPTH) {
    return `Not run: loops are nested ${MAX_DEPTH} deep already, the most there may be. Do it here, without handing it on.`;
  }
  const { agent: asked } = partsOf(given);
  if (asked === undefined) return given;
  const agent = agentOf(() => findAgent(loop.agents, asked));
  const config = typeof agent === 'string' ? agent : agentOf(() => framed(loop, given, agent));
  return typeof config === 'string' && isOpen
    ? `${config} The work had begun, and what was done of it is not known.`
    : config;
}

/** What a deployment lacks ends the call and not the turn, whose own agent has all it needs. */
function agentOf<T>(find: () => T): T | string {
  try {
    return find();
  } catch (failure) {
    if (failure instanceof ConfigurationError) return failure.message;
    throw failure;
  }
}

/** @throws ToolConfigurationError when a cost limit would have to hold a model whose price nobody knows. */
function checkPriced(loop: Loop, call: CallRecord, config: Frame): void {
  const model = partsOf(config).model ?? (loop.aroundPlan ?? loop).model;
  const problem = config.plan
    ? undefined
    : unpriced(model, withBudgets(loop.budgets, call.id, config.limits));
  if (problem) throw new ToolConfigurationError(`The loop of '${config.name}' ${problem}.`);
}

function openFrame(
  { journal, turn, secrets, memories, invocation, startedAt }: Loop,
  parent: FrameState,
  call: CallRecord,
  config: Frame,
): void {
  const { name, ownBlackboard } = config;
  const at = Math.max(invocation.now(), startedAt);
  const { message, facts, held } = secrets.redact({
    message: config.message,
    facts: config.facts?.map((fact) => ({ ...fact, at })),
    held: memories.heldBy(call.id),
  });
  journal.emit({
    type: 'frame-started',
    turn,
    frame: call.id,
    ...(parent.id !== ROOT && { parent: parent.id }),
    name,
    message,
    ...(facts && facts.length > 0 && { facts }),
    ...held,
    ...(ownBlackboard && { ownBlackboard }),
  });
}

/** The loop inside another; what neither the frame nor its parts decide is as around it. */
function nestedLoop(loop: Loop, frame: FrameState, config: Frame): Loop {
  // A plan, and the bounds of one, are for its own frame: what nests inside a step is a loop like any other.
  const around = loop.aroundPlan ?? { model: loop.model, iterations: loop.iterations };
  const { agent: _, ...parts } = partsOf(config);
  const { sources = [], strategies = [], plan } = config;
  return {
    ...loop,
    ...around,
    output: undefined,
    ...parts,
    frame: frame.id,
    depth: loop.depth + 1,
    instructions: config.instructions,
    tools: config.tools,
    strategies: [...sources, ...loop.kinds, ...strategies],
    context: config.context?.merge(loop.context) ?? loop.context,
    iterations: config.limits?.iterations ?? around.iterations,
    callLimits: withCallLimits(loop.callLimits, frame.id, config.limits),
    budgets: withBudgets(loop.budgets, frame.id, config.limits),
    aroundPlan: undefined,
    ...(plan && { model: plannedModel(plan, () => callsOf(frame)), aroundPlan: around }),
  };
}

async function outcomeOf(loop: Loop, frame: FrameState): Promise<FrameOutcome> {
  try {
    const { outcome, error, signal, object } = await runForOutput(loop, frame);
    if (outcome === 'suspended') throw new Interrupted(outcome, `A call in the frame of ${frame.id} waits.`);
    const ended = { ...leftBy(frame), ...(signal && { signal }), ...(object !== undefined && { object }) };
    if (outcome === 'completed' || outcome === 'returned-direct' || outcome === 'limit-reached') {
      const said = signal?.reason ?? answerShown(loop, frame);
      return { outcome, text: said || refusalText(frame), ...ended };
    }
    const why = error?.message ?? signal?.reason ?? `The nested loop ended as ${outcome}.`;
    return { outcome: 'failed', text: brokenOff(why, ended.calls), ...ended };
  } catch (failure) {
    if (failure instanceof Interrupted || failure instanceof SignalError) throw failure;
    const left = leftBy(frame);
    const text = brokenOff(messageOf(frame.path, failure), left.calls);
    // What code around the loop throws is judged as what a tool throws.
    if (!(failure instanceof ModelError)) throw new Error(text, { cause: failure });
    return { outcome: 'failed', text, ...left };
  }
}

/** Why a loop broke off, and what was done before: whoever asked would ask again, and do it twice. */
function brokenOff(why: string, calls: readonly DoneCall[]): string {
  const done = calls.filter(({ result }) => succeeded(result) || isDoubtful(result)).map(({ tool }) => tool);
  if (done.length === 0) return why;
  const names = [...new Set(done)].slice(0, MAX_NAMED).join(', ');
  return `${why} Before that it had called ${names}: what these did stands, so do not have it done again.`;
}

const isDoubtful = (result: ToolResult): boolean =>
  result.type === 'error' && result.reason === 'unknown-outcome';

/** Read by whoever asked a loop that had said nothing when its limit was met. */
const refusalText = ({ refused }: FrameState): string => {
  if (!refused) return '';
  const limit =
    refused.limit === 'cost' ? `cost limit of $${refused.most}` : `limit of ${refused.most} tokens`;
  return `Stopped: the ${limit} was reached before there was an answer.`;
};

/** What a nested loop leaves to the call that opened it. */
const leftBy = (frame: FrameState): Pick<FrameOutcome, 'calls' | 'added'> => ({
  calls: callsOf(frame),
  added: frame.inherited === undefined ? [] : structuredClone(frame.blackboard.slice(frame.inherited)),
});

function callsOf(frame: FrameState): DoneCall[] {
  const calls = frame.messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
  return calls.flatMap(({ name, ended }) =>
    ended ? [{ tool: name, result: toolResult(ended.result), nested: ended.nested ?? false }] : [],
  );
}
