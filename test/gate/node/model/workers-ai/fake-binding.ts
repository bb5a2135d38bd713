import type { AiBinding, WorkersAiOptions } from '../../../../../src/model/workers-ai/entry.ts';
import { createWorkersAi } from '../../../../doors/model.ts';
import { createFakePace } from '../openai-compatible/fake-server.ts';
import { type AskParameters, settle } from '../settle.ts';

/** The behavior of the binding for one run. */
export type FakeAnswer = (inputs: Record<string, unknown>, signal: AbortSignal | undefined) => unknown;

/** Returns a binding that returns these answers in turn and repeats the last one. It records each run. */
export const createFakeBinding = (answers: readonly FakeAnswer[]) => {
  const runs: { model: string; inputs: Record<string, unknown>; signal: AbortSignal | undefined }[] = [];
  const binding: AiBinding = {
    async run(model, inputs, { signal } = {}) {
      const next = answers[Math.min(runs.length, answers.length - 1)];
      runs.push({ model, inputs, signal });
      return next?.(inputs, signal);
    },
  };
  return { binding, runs };
};

/** Asks an adapter once over a new fake binding, with a listener for text if `stream` is `true`. */
export const ask = async (
  answers: FakeAnswer | readonly FakeAnswer[],
  asking: AskParameters & Partial<WorkersAiOptions> = {},
) => {
  const { binding, runs } = createFakeBinding(typeof answers === 'function' ? [answers] : answers);
  const { pace, waits } = createFakePace();
  const model = createWorkersAi(binding, { model: '@cf/m-1', ...asking }, pace);
  return { ...(await settle(model, asking)), waits, runs };
};
