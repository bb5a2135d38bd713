import { ROOT } from '../journal/events.ts';
import { answerText, type CallRecord, type FrameState } from '../journal/state.ts';
import { ModelError } from '../model/chat-model.ts';
import type { Json } from '../tools/json.ts';
import type { Frame, FrameOutcome } from '../tools/tool.ts';
import { Interrupted } from './interrupted.ts';
import { type Loop, withLimits } from './loop.ts';

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
    const { name, message } = config;
    journal.emit({ type: 'frame-started', turn, frame: call.id, ...inParent, name, message });
  }
  const frame = frames?.get(call.id);
  if (!frame) throw new Error(`The frame of call ${call.id} is not in the journal.`);
  const nested: Loop = {
    ...loop,
    frame: call.id,
    instructions: config.instructions,
    tools: config.tools,
    limits: withLimits(config.limits, loop.limits),
  };
  return outcomeOf(nested, frame);
}

async function outcomeOf(loop: Loop, frame: FrameState): Promise<FrameOutcome> {
  try {
    const { outcome, error } = await loop.run(loop, frame);
    if (outcome === 'suspended') throw new Interrupted(outcome, `A call in the frame of ${frame.id} waits.`);
    const artifacts = artifactsOf(frame);
    if (outcome === 'completed' || outcome === 'returned-direct' || outcome === 'limit-reached') {
      return { outcome, text: answerText(frame.messages), artifacts };
    }
    return { outcome: 'failed', text: error?.message ?? `The nested loop ended as ${outcome}.`, artifacts };
  } catch (failure) {
    if (!(failure instanceof ModelError)) throw failure;
    return { outcome: 'failed', text: failure.message, artifacts: artifactsOf(frame) };
  }
}

function artifactsOf(frame: FrameState): Json[] {
  const calls = frame.messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
  return calls.flatMap(({ ended }) => (ended?.result.type === 'artifact' ? [ended.result.value] : []));
}
