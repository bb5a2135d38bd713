import { type ChatModel, ModelError } from '../../../../src/index.ts';
import type { ModelMessage, ModelReply } from '../../../../src/model/entry.ts';
import { callsOf, type Plan, type PlannedCall, planIn } from './plan.ts';
import type { Outside } from './port.ts';

/**
 * A model whose reply follows from the conversation alone: it does the calls of the plan that it was last sent, step by step, and
 * answers. A reply that was lost is given again. What it reads of calls that a fork has cut off, it does not do again.
 */
export const plannedModel = (outside: Outside): ChatModel => ({
  name: 'planned',
  async ask({ messages }, { signal, onText, alive }) {
    const { plans, known } = unfinished(messages);
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
    const left = plans
      .flatMap(({ steps }) => steps)
      .map((step) => step.filter((call) => !isKnown(call, known)));
    const calls = left.find((step) => step.length > 0);
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

/** A call was asked for, or it, or one inside of it, was done in a part that was cut off. */
const isKnown = (call: PlannedCall, known: ReadonlySet<string>): boolean =>
  callsOf([[call]]).some(({ label }) => known.has(label));

/**
 * The plans since the last answer in words, and the labels of all calls that are known to be made. A plan that does not steer replaces
 * those before it. What a failed reply has said is no answer.
 */
function unfinished(messages: readonly ModelMessage[]): {
  plans: readonly Plan[];
  known: ReadonlySet<string>;
} {
  let plans: readonly Plan[] = [];
  const known = new Set<string>();
  for (const message of messages) {
    const plan = message.role === 'user' ? planIn(message.text) : undefined;
    const isAnswer =
      message.role === 'assistant' && message.toolCalls.length === 0 && message.text.endsWith('.');
    if (isAnswer || (plan && !plan.steers)) plans = [];
    if (plan) plans = [...plans, plan];
    if (message.role === 'assistant')
      for (const { input } of message.toolCalls) known.add((JSON.parse(input) as PlannedCall).label); // it wrote it
    if (message.role === 'user' && message.text.startsWith(CUT_OFF))
      for (const [, label = ''] of message.text.matchAll(/"label":"([^"]+)"/g)) known.add(label);
  }
  return { plans, known };
}

/** How it begins what a fork's model is shown of the calls that were cut off. */
const CUT_OFF = 'A later part of this conversation was cut off.';
