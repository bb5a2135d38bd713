import { type ChatModel, ModelError } from '../../../../src/index.ts';
import type { ModelMessage, ModelReply } from '../../../../src/model/entry.ts';
import { type Plan, type PlannedCall, planIn } from './plan.ts';
import type { Outside } from './port.ts';

/**
 * A model whose reply follows from the conversation alone: it does the calls of the plan that it was last sent, step by step, and
 * answers. A reply that was lost is given again.
 */
export const plannedModel = (outside: Outside): ChatModel => ({
  name: 'planned',
  async ask({ messages }, { signal, onText, alive }) {
    const { plans, place } = unfinished(messages);
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(new ModelError('aborted', 'The request was aborted.'));
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    const wait = (ms: number): Promise<void> => Promise.race([outside.pause(ms), aborted.promise]);
    aborted.promise.catch(() => {});
    const fate = outside.modelFate();
    alive?.();
    await wait(fate === 'silent' ? 300_000 : (plans.at(-1)?.think ?? 0));
    if (fate === 'error') throw new ModelError('server-error', 'The provider answered 503.', { status: 503 });
    const calls = plans.flatMap(({ steps }) => steps)[place];
    if (calls) return asking(calls);
    const text = `Done: ${plans.map(({ message }) => message).join(', ')}.`;
    for (const [index, word] of text.split(/(?<= )/).entries()) {
      await wait(index * 20);
      onText?.(word);
      if (fate === 'breaks')
        throw new ModelError('truncated', 'The stream broke off.', { outputBegan: true });
    }
    return { text, toolCalls: [], finish: 'stop' };
  },
});

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
