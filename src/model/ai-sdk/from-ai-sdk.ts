import {
  type AdapterOptions,
  askPatiently,
  DEFAULT_RETRIES,
  type OpenAttempt,
  traitsOf,
} from '../ask-patiently.ts';
import type { ChatModel, ModelError, ModelMedia, ModelReply } from '../chat-model.ts';
import { createMessageGate } from '../message-gate.ts';
import { type Pace, realPace } from '../retry.ts';
import { askThroughPauses } from './ask-sdk.ts';
import { cacheTraits } from './cache.ts';
import { explainFailure } from './explain-failure.ts';
import { checkFiles, mediaOf } from './media.ts';
import type { SdkModel } from './specification.ts';
import { prefixTraits } from './tool-changes.ts';
import { refusedBy } from './traits.ts';

/** How a model of the AI SDK is asked. */
export interface FromAiSdkOptions extends AdapterOptions {
  /** The longest silence in ms between two parts of a reply, which is always streamed. Default 120,000. */
  readonly timeout?: number | undefined;
  /**
   * Which files the model takes. Default: what the package of its provider sends and the provider's server takes, where both
   * are known, as they are of no package of the specification v3. A model of a provider may take less: say so here.
   */
  readonly media?: ModelMedia | undefined;
}

/**
 * A model of the AI SDK, of its specification `v4` or `v3`, such as `createAnthropic()('claude-sonnet-5')`. It is always
 * asked for a stream. What its provider keeps beside a reply (reasoning, signatures, tools that it ran itself) goes back to
 * it in every later request. Failures that may pass are tried again while nothing has been handed on. A setting that the
 * model cannot be given is refused by name, and so is a file. OpenAI's server is told to store nothing, unless `providerOptions` say
 * otherwise; a reply that Anthropic's server pauses is gone on with, in eight requests at most.
 *
 * @throws TypeError for a model of another specification, and when `prices`, `maxOutputTokens` or `media` make no sense.
 */
export const fromAiSdk = (model: SdkModel, options: FromAiSdkOptions = {}): ChatModel =>
  pacedFromAiSdk(model, options, realPace);

/** `fromAiSdk` with time and chance given. For tests, and not exported by the package. */
export const pacedFromAiSdk = (
  model: SdkModel,
  { timeout, retries = DEFAULT_RETRIES, ...limits }: FromAiSdkOptions,
  pace: Pace,
): ChatModel => {
  // The SDK also takes a model's name, or a model of an older specification, where it takes a model.
  const { specificationVersion: version = typeof model }: { readonly specificationVersion?: string } = model;
  if (version !== 'v4' && version !== 'v3') {
    throw new TypeError(
      `'model' is not a language model of the AI SDK's specification v4 or v3, but: ${version}.`,
    );
  }
  const { modelId: name, provider } = model;
  const gate = createMessageGate(blotCredentials(name));
  const traits = traitsOf(limits);
  const { maxOutputTokens, media = mediaOf(model) } = traits;
  return {
    name,
    provider,
    ...traits,
    ...(media && { media }),
    heedsToolChoice: true,
    ...prefixTraits(model),
    ...cacheTraits(model),
    ...refusedBy(model.provider),
    async ask(asked, options) {
      const request = { maxOutputTokens, ...asked };
      checkFiles(model, media, request.messages);
      const work = (attempt: OpenAttempt): Promise<ModelReply> => {
        const explain = (thrown: unknown, otherwise?: ModelError): ModelError =>
          attempt.fail(explainFailure(thrown, pace.now(), otherwise));
        return askThroughPauses({ model, request, attempt, explain }, options.again);
      };
      return askPatiently({ timeout, retries, gate, pace }, request, { ...options, work });
    },
  };
};

/**
 * Makes what takes everything that looks like a credential out of a message. The model of an SDK keeps its key to itself,
 * so the key can only be known by its looks. `name`, the model's own, is kept: the reader needs it.
 */
const blotCredentials =
  (name: string) =>
  (message: string): string =>
    name === '' ? blot(message) : message.split(name).map(blot).join(name);

const blot = (text: string): string =>
  text
    .replace(/\b(Bearer|Basic)\s+\S+/gi, '$1 [secret]')
    .replace(/\b((?:api[-_]?)?key|token|secret|password)=[^\s&]+/gi, '$1=[secret]')
    .replace(/[\w-]{8,}/g, (run) => (hasKeyPrefix(run) || isRandom(run) ? '[secret]' : run));

const hasKeyPrefix = (run: string): boolean => /^(?:sk|pk|rk|gsk|xai|nvapi|hf|AIza)[-_]/.test(run);

const SHORTEST_KEY = 20;

/** Mixed in a way that names and words are not, or a long number in hexadecimal digits. */
const isRandom = (run: string): boolean =>
  /^[0-9a-f]{32,}$/i.test(run) ||
  (run.length >= SHORTEST_KEY && /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run));
