import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { FromAiSdkOptions } from '../../../../../src/model/ai-sdk/entry.ts';
import { createAiSdkModel } from '../../../../doors/model.ts';
import { createFakePace } from '../openai-compatible/fake-server.ts';
import { type AskParameters, settle } from '../settle.ts';

/** The behavior of a fake model for one request: it returns a result of either kind, or throws. */
export type FakeAnswer = (options: LanguageModelV4CallOptions) => unknown;

interface UsageDetails {
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
  readonly reasoning?: unknown;
}

export const createUsage = (
  input: unknown,
  output: unknown,
  { cacheRead, cacheWrite, reasoning }: UsageDetails = {},
) => ({
  inputTokens: { total: input, noCache: undefined, cacheRead, cacheWrite },
  outputTokens: { total: output, text: undefined, reasoning },
});

export const createFinish = (unified: unknown = 'stop', counted: unknown = createUsage(3, 4)) => ({
  type: 'finish',
  finishReason: { unified, raw: undefined },
  usage: counted,
});

export const createDelta = (text: unknown) => ({ type: 'text-delta', id: '1', delta: text });

export const createCallPart = (
  toolCallId: unknown,
  toolName: unknown,
  input: unknown,
  more: object = {},
) => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input,
  ...more,
});

/** Returns a result that is not streamed. */
export const createGeneratedResult = (content: unknown, more: object = {}) => ({
  content,
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: createUsage(3, 4),
  warnings: [],
  ...more,
});

export const createGeneratedText = (text: unknown) => createGeneratedResult([{ type: 'text', text }]);

/** Returns a streamed result. After its parts, the stream closes, hangs, or fails with an error. */
export const createStreamedResult = (
  parts: readonly unknown[],
  end: 'close' | 'hang' | { readonly broken: unknown } = 'close',
  cancelled: () => void = () => {},
) => {
  const waiting = [...parts];
  const stream = new ReadableStream<unknown>(
    {
      pull(controller) {
        if (waiting.length > 0) return controller.enqueue(waiting.shift());
        if (end === 'close') return controller.close();
        if (end !== 'hang') return controller.error(end.broken);
        return new Promise(() => {});
      },
      cancel: cancelled,
    },
    { highWaterMark: 0 },
  );
  return { stream };
};

/**
 * Returns a model that gives these answers in turn and repeats the last one. It records each request. With
 * `whole`, it does not stream.
 */
export const createFakeModel = (
  answers: readonly FakeAnswer[],
  { modelId = 'm-1', provider = 'fake', version = 'v4', whole = false }: FakeOptions = {},
) => {
  const calls: LanguageModelV4CallOptions[] = [];
  const answer = async (options: LanguageModelV4CallOptions) => {
    const next = answers[Math.min(calls.length, answers.length - 1)];
    calls.push(options);
    return next?.(options);
  };
  const model = {
    specificationVersion: version,
    provider,
    modelId,
    supportedUrls: {},
    doGenerate: answer,
    ...(!whole && { doStream: answer }),
    // The answers can have any form, because invalid answers are tested too.
  } as unknown as LanguageModelV4;
  return { model, calls };
};

interface FakeOptions {
  readonly modelId?: string | undefined;
  readonly provider?: string | undefined;
  readonly version?: string | undefined;
  readonly whole?: boolean | undefined;
}

/** Asks an adapter once over a new fake model, which streams if `stream` is `true`. */
export const ask = async (
  answers: FakeAnswer | readonly FakeAnswer[],
  {
    modelId,
    provider,
    version,
    ...asking
  }: AskParameters & FromAiSdkOptions & Omit<FakeOptions, 'whole'> = {},
) => {
  const whole = asking.stream !== true;
  const fake = createFakeModel(typeof answers === 'function' ? [answers] : answers, {
    modelId,
    provider,
    version,
    whole,
  });
  const { pace, waits } = createFakePace();
  const outcome = await settle(createAiSdkModel(fake.model, asking, pace), asking);
  return { ...outcome, waits, calls: fake.calls };
};
