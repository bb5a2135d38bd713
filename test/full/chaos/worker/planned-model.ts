import { type ChatModel, ModelError } from '../../../../src/index.ts';
import type { ModelMessage, ModelReply } from '../../../../src/model/entry.ts';
import { pause } from './pause.ts';
import { type Plan, type PlannedCall, planIn } from './plan.ts';

/**
 * A model whose reply follows from the conversation alone: it does the calls of the plan that it was last sent, step by
 * step, and answers. So a reply that was lost is given again.
 */
export const plannedModel: ChatModel = {
  name: 'planned',
  async ask({ messages }, { signal, onText }) {
    const { plans, place } = unfinished(messages);
    await pause(plans.at(-1)?.think ?? 0, signal);
    if (signal.aborted) throw new ModelError('aborted', 'The request was aborted.');
    const calls = plans.flatMap(({ steps }) => steps)[place];
    if (calls) return asking(calls);
    const text = `Done: ${plans.map(({ message }) => message).join(', ')}.`;
    for (const word of text.split(/(?<= )/)) onText?.(word);
    return { text, toolCalls: [], finish: 'stop' };
  },
};

const asking = (calls: readonly PlannedCall[]): ModelReply => ({
  text: '',
  toolCalls: calls.map(({ tool, ...input }) => ({
    id: input.label,
    name: tool,
    input: JSON.stringify(input),
  })),
  finish: 'tool-calls',
});

/** The plans since the last answer in words, and how many of their steps were asked for. A plan that does not steer begins anew. */
function unfinished(messages: readonly ModelMessage[]): { plans: readonly Plan[]; place: number } {
  let plans: readonly Plan[] = [];
  let place = 0;
  for (const message of messages) {
    const plan = message.role === 'user' ? planIn(message.text) : undefined;
    const isAnswer = message.role === 'assistant' && message.toolCalls.length === 0;
    if (isAnswer || (plan && !plan.steers)) [plans, place] = [[], 0];
    if (plan) plans = [...plans, plan];
    if (message.role === 'assistant' && !isAnswer) place += 1;
  }
  return { plans, place };
}
