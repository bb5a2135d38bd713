import type { AiBinding, WorkersAiOptions } from '../../../../../src/model/workers-ai/entry.ts';
import { workersAiWithClock } from '../../../../doors/model.ts';
import { fakePace } from '../openai-compatible/fake-server.ts';
import { type Asking, settle } from '../settle.ts';

/** What the binding does with one run. */
export type Answer = (inputs: Record<string, unknown>, signal: AbortSignal | undefined) => unknown;

/** Answers run after run, the last answer again for ever; records what it was given. */
export const fakeBinding = (answers: readonly Answer[]) => {
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

/** Asks an adapter over a fresh fake binding once; streaming when `stream`. */
export const ask = async (
  answers: Answer | readonly Answer[],
  asking: Asking & Partial<WorkersAiOptions> = {},
) => {
  const { binding, runs } = fakeBinding(typeof answers === 'function' ? [answers] : answers);
  const { pace, waits } = fakePace();
  const model = workersAiWithClock(binding, { model: '@cf/m-1', ...asking }, pace);
  return { ...(await settle(model, asking)), waits, runs };
};
