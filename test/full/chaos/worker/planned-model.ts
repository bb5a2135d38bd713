import { type ChatModel, ModelError } from '../../../../src/index.ts';
import type { ModelMessage, ModelReply } from '../../../../src/model/entry.ts';
import { pause } from './pause.ts';
import { type Plan, type PlannedCall, parsePlan } from './plan.ts';

/**
 * A model whose replies depend only on the conversation. It requests the calls of the last plan step by step
 * and then answers, so a lost reply is generated again.
 */
export const plannedModel: ChatModel = {
  name: 'planned',
  async ask({ messages }, { signal, onText }) {
    const { plans, place } = findUnfinished(messages);
    await pause(plans.at(-1)?.think ?? 0, signal);
    if (signal.aborted) throw new ModelError('aborted', 'The request was aborted.');
    const calls = plans.flatMap(({ steps }) => steps)[place];
    if (calls) return callReply(calls);
    const text = `Done: ${plans.map(({ message }) => message).join(', ')}.`;
    for (const word of text.split(/(?<= )/)) onText?.(word);
    return { text, toolCalls: [], finish: 'stop' };
  },
};

const callReply = (calls: readonly PlannedCall[]): ModelReply => ({
  text: '',
  toolCalls: calls.map(({ tool, ...input }) => ({
    id: input.label,
    name: tool,
    input: JSON.stringify(input),
  })),
  finish: 'tool-calls',
});

/**
 * Returns the plans since the last text answer, and the number of steps that were requested. A plan that does
 * not steer starts a new list.
 */
function findUnfinished(messages: readonly ModelMessage[]): { plans: readonly Plan[]; place: number } {
  let plans: readonly Plan[] = [];
  let place = 0;
  for (const message of messages) {
    const plan = message.role === 'user' ? parsePlan(message.text) : undefined;
    const isAnswer = message.role === 'assistant' && message.toolCalls.length === 0;
    if (isAnswer || (plan && !plan.steers)) [plans, place] = [[], 0];
    if (plan) plans = [...plans, plan];
    if (message.role === 'assistant' && !isAnswer) place += 1;
  }
  return { plans, place };
}
