import { type ChatModel, ModelError } from '../../../../src/index.ts';
import type { ModelMessage, ModelReply } from '../../../../src/model/entry.ts';
import { findPlan, listCalls, type Plan, type PlannedCall } from './plan.ts';
import type { Outside } from './port.ts';

/**
 * A model whose replies depend only on the conversation. It requests the calls of the last plan step by step
 * and then answers, so a lost reply is generated again. It does not repeat calls that the notice of a fork
 * lists as cut off.
 */
export const createPlannedModel = (outside: Outside): ChatModel => ({
  name: 'planned',
  async ask({ messages }, { signal, onText, alive }) {
    const { plans, known } = findUnfinished(messages);
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(new ModelError('aborted', 'The request was aborted.'));
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    const wait = (ms: number): Promise<void> => Promise.race([outside.pause(ms), aborted.promise]);
    aborted.promise.catch(() => {});
    const fate = outside.modelFate();
    alive?.();
    await wait(fate === 'silent' ? 300_000 : (plans.at(-1)?.think ?? 0));
    if (fate === 'error') throw new ModelError('server-error', 'The provider returned 503.', { status: 503 });
    const left = plans
      .flatMap(({ steps }) => steps)
      .map((step) => step.filter((call) => !isKnown(call, known)));
    const calls = left.find((step) => step.length > 0);
    if (calls) return callReply(calls);
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
 * Returns `true` if the call was requested, or if it or an inner call happened in the part that was cut off.
 */
const isKnown = (call: PlannedCall, known: ReadonlySet<string>): boolean =>
  listCalls([[call]]).some(({ label }) => known.has(label));

/**
 * Returns the plans since the last text answer, and the labels of all calls that were made. A plan that does
 * not steer replaces earlier plans. The text of a failed reply is not an answer.
 */
function findUnfinished(messages: readonly ModelMessage[]): {
  plans: readonly Plan[];
  known: ReadonlySet<string>;
} {
  let plans: readonly Plan[] = [];
  const known = new Set<string>();
  for (const message of messages) {
    const plan = message.role === 'user' ? findPlan(message.text) : undefined;
    const isAnswer =
      message.role === 'assistant' && message.toolCalls.length === 0 && message.text.endsWith('.');
    if (isAnswer || (plan && !plan.steers)) plans = [];
    if (plan) plans = [...plans, plan];
    if (message.role === 'assistant')
      for (const { input } of message.toolCalls) known.add((JSON.parse(input) as PlannedCall).label); // the input is from the planned model
    if (message.role === 'user' && message.text.startsWith(CUT_OFF_TEXT))
      for (const [, label = ''] of message.text.matchAll(/"label":"([^"]+)"/g)) known.add(label);
  }
  return { plans, known };
}

/** The start of the notice that lists a fork's cut-off calls. */
const CUT_OFF_TEXT = 'A later part of this conversation was cut off.';
