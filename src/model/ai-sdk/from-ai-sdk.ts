import type { LanguageModelV4 } from '@ai-sdk/provider';
import { askPatiently, DEFAULT_RETRIES, DEFAULT_TIMEOUT, type OpenAttempt } from '../ask-patiently.ts';
import type { ChatModel, ModelReply, ModelRequest } from '../chat-model.ts';
import { createMessageGate } from '../message-gate.ts';
import { checkMaxOutputTokens, checkPrices, type Prices } from '../prices.ts';
import { type Pace, realPace } from '../retry.ts';
import { waitOrRelease } from '../wait-or-release.ts';
import { blotCredentials } from './blot-credentials.ts';
import { toCallOptions } from './call-options.ts';
import { explainFailure } from './explain-failure.ts';
import { readGenerated } from './read-generated.ts';
import { type Explain, readParts } from './read-parts.ts';

/** How a model of the AI SDK is asked. */
export interface FromAiSdkOptions {
  /** The longest silence in ms: for a whole reply, or between two parts of a streamed one. Default 120,000. */
  readonly timeout?: number | undefined;
  /** How often a failure that may pass is tried again, before any output. Default 2. */
  readonly retries?: number | undefined;
  /** For cost limits. */
  readonly prices?: Prices | undefined;
  /** The most tokens of one reply. Default: the provider's own, and 4,096 under a token or cost limit. */
  readonly maxOutputTokens?: number | undefined;
}

/** One attempt: its result is read as it comes when somebody listens, and as a whole otherwise. */
const attemptReply = async (
  model: LanguageModelV4,
  request: ModelRequest,
  { attempt, explain }: { readonly attempt: OpenAttempt; readonly explain: Explain },
): Promise<ModelReply> => {
  const { patience, signal, streamed } = attempt;
  const options = toCallOptions(request, signal);
  if (!streamed) {
    const result: unknown = await patience.wait(async () => model.doGenerate(options), explain);
    return readGenerated(result, request.output !== undefined);
  }
  const result: unknown = await waitOrRelease(patience, () => model.doStream(options), {
    broken: explain,
    release: ({ stream }) => stream.cancel(),
  });
  return readParts(result, attempt, explain);
};

/**
 * A model of the AI SDK (`specificationVersion` `v4`), such as `createAnthropic()('claude-sonnet-5')`. It is given
 * function tools and text, and its settings stay its own. Failures that may pass are tried again while no text has been
 * handed on. What a provider keeps beside a reply (reasoning, signatures, sources) is not kept.
 *
 * @throws TypeError for a model of another specification, and when `prices` or `maxOutputTokens` make no sense.
 */
export const fromAiSdk = (model: LanguageModelV4, options: FromAiSdkOptions = {}): ChatModel =>
  pacedFromAiSdk(model, options, realPace);

/** `fromAiSdk` with time and chance given. For tests, and not exported by the package. */
export const pacedFromAiSdk = (
  model: LanguageModelV4,
  { timeout = DEFAULT_TIMEOUT, retries = DEFAULT_RETRIES, ...limits }: FromAiSdkOptions,
  pace: Pace,
): ChatModel => {
  // The SDK also takes a model's name, or a model of an older specification, where it takes a model.
  const { specificationVersion: version = typeof model }: { readonly specificationVersion?: string } = model;
  if (version !== 'v4') {
    throw new TypeError(`'model' is not a language model of the AI SDK's specification v4, but: ${version}.`);
  }
  const gate = createMessageGate(blotCredentials(model.modelId));
  const most = checkMaxOutputTokens(limits.maxOutputTokens);
  return {
    name: model.modelId,
    ...checkPrices(limits.prices),
    ...most,
    async ask(request, { signal, onText, again }) {
      const work = (attempt: OpenAttempt): Promise<ModelReply> =>
        attemptReply(
          model,
          { ...most, ...request },
          {
            attempt,
            explain: (thrown, otherwise) => attempt.fail(explainFailure(thrown, pace.now(), otherwise)),
          },
        );
      return askPatiently({ timeout, retries, gate, pace }, request, { signal, onText, again, work });
    },
  };
};
