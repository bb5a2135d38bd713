import { ROOT } from '../journal/events.ts';
import type { CallRecord, FrameState } from '../journal/state.ts';
import { ModelError } from '../model/chat-model.ts';
import type { DoneCall, Frame, FrameOutcome } from '../tools/tool.ts';
import { toolResult } from '../tools/tool-result.ts';
import { partsOf } from './frame-parts.ts';
import { Interrupted } from './interrupted.ts';
import { type Loop, withLimits } from './loop.ts';
import { plannedModel } from './planned-model.ts';
import { answerShown } from './transform.ts';

/**
 * Runs the nested loop of a call, or goes on inside the one that is open: the call itself holds no slot and is never
 * in doubt.
 */
export async function runFrame(
  loop: Loop,
  parent: FrameState,
  call: CallRecord,
  config: Frame,
): Promise<FrameOutcome> {
  const { journal, turn } = loop;
  const frames = journal.state.turn?.frames;
  if (!frames?.has(call.id)) {
    const inParent = parent.id === ROOT ? {} : { parent: parent.id };
    const { name, ownBlackboard } = config;
    const { message, facts } = loop.secrets.redact({ message: config.message, facts: config.facts });
    journal.emit({
      type: 'frame-started',
      turn,
      frame: call.id,
      ...inParent,
      name,
      message,
      ...(facts && facts.length > 0 && { facts }),
      ...(ownBlackboard && { ownBlackboard }),
    });
  }
  const frame = frames?.get(call.id);
  if (!frame) throw new Error(`The frame of call ${call.id} is not in the journal.`);
  // A plan, and the bounds of one, are for its own frame: what nests inside a step is a loop like any other.
  const around = loop.aroundPlan ?? { model: loop.model, limits: loop.limits };
  const { sources = [], strategies = [] } = config;
  const nested: Loop = {
    ...loop,
    ...around,
    ...partsOf(config),
    frame: call.id,
    instructions: config.instructions,
    tools: config.tools,
    strategies: [...sources, ...loop.kinds, ...strategies],
    context: config.context?.merge(loop.context) ?? loop.context,
    limits: withLimits(config.limits, around.limits),
    aroundPlan: undefined,
    ...(config.plan && { model: plannedModel(config.plan, () => callsOf(frame)), aroundPlan: around }),
  };
  return outcomeOf(nested, frame);
}

async function outcomeOf(loop: Loop, frame: FrameState): Promise<FrameOutcome> {
  try {
    const { outcome, error, signal } = await loop.run(loop, frame);
    if (outcome === 'suspended') throw new Interrupted(outcome, `A call in the frame of ${frame.id} waits.`);
    const ended = { ...leftBy(frame), ...(signal && { signal }) };
    if (outcome === 'completed' || outcome === 'returned-direct' || outcome === 'limit-reached') {
      return { outcome, text: signal?.reason ?? answerShown(loop, frame), ...ended };
    }
    const text = error?.message ?? signal?.reason ?? `The nested loop ended as ${outcome}.`;
    return { outcome: 'failed', text, ...ended };
  } catch (failure) {
    if (!(failure instanceof ModelError)) throw failure;
    return { outcome: 'failed', text: failure.message, ...leftBy(frame) };
  }
}

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
