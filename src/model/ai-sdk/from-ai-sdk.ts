import type { LanguageModelV4 } from '@ai-sdk/provider';
import { askPatiently, DEFAULT_RETRIES, type OpenAttempt } from '../ask-patiently.ts';
import type { ChatModel, ModelError, ModelReply, ModelRequest } from '../chat-model.ts';
import { createMessageGate } from '../message-gate.ts';
import { waitOrRelease } from '../patience.ts';
import { checkMaxOutputTokens, checkPrices, type Prices } from '../prices.ts';
import { type Pace, realPace } from '../retry.ts';
import { isRecord } from '../untrusted-json.ts';
import { brokenConnection, cutShort, invalidReply, listOf, stringOf } from '../untrusted-reply.ts';
import { toCallOptions } from './call-options.ts';
import { explainFailure } from './explain-failure.ts';
import { createSdkReply } from './sdk-reply.ts';

/** How a model of the AI SDK is asked. */
export interface FromAiSdkOptions {
  /**
   * The longest silence in ms: between two parts of a streamed reply, 120,000 unless given, or for a whole one, 600,000 unless
   * given.
   */
  readonly timeout?: number | undefined;
  /** How often a failure that may pass is tried again, before any output. Default 2. */
  readonly retries?: number | undefined;
  /** What the model costs, for cost limits. */
  readonly prices?: Prices | undefined;
  /** The most tokens of one reply. Default: the provider's own, and 4,096 under a token or cost limit. */
  readonly maxOutputTokens?: number | undefined;
}

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
  { timeout, retries = DEFAULT_RETRIES, ...limits }: FromAiSdkOptions,
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
    async ask(request, { signal, onText, again, alive }) {
      const work = (attempt: OpenAttempt): Promise<ModelReply> =>
        attemptReply(
          model,
          { ...most, ...request },
          {
            attempt,
            explain: (thrown, otherwise) => attempt.fail(explainFailure(thrown, pace.now(), otherwise)),
          },
        );
      return askPatiently({ timeout, retries, gate, pace }, request, { signal, onText, again, alive, work });
    },
  };
};

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

/** Makes our error of what a model threw; `otherwise` is for one that says nothing to us. */
type Explain = (thrown: unknown, otherwise?: ModelError) => ModelError;

/**
 * Reads what `doGenerate` came to. `structured`: the answer was to have a form, for which some providers give its text
 * apart from drafts.
 *
 * @throws ModelError whenever there is no complete reply.
 */
const readGenerated = (result: unknown, structured: boolean): ModelReply => {
  if (!isRecord(result)) throw invalidReply("The model's reply is not an object.");
  const reply = createSdkReply(() => {});
  for (const part of listOf(result, 'content')) {
    if (!isRecord(part)) throw invalidReply("The model's reply holds a content part that is not an object.");
    // Reasoning, files and sources have no place in our replies.
    if (part.type === 'text') reply.addText(stringOf(part, 'text'));
    if (part.type === 'tool-call') reply.addCall(part);
  }
  const ended = reply.end(result);
  const { structuredOutputText: chosen } = result;
  return structured && typeof chosen === 'string' ? { ...ended, text: chosen } : ended;
};

/**
 * Reads what `doStream` came to, and hands its text on as it arrives. The stream is cancelled on every path.
 *
 * @throws ModelError whenever there is no complete reply; what `explain` makes of an error in the stream.
 */
const readParts = async (
  result: unknown,
  { patience, onText }: OpenAttempt,
  explain: Explain,
): Promise<ModelReply> => {
  const stream = isRecord(result) ? result.stream : undefined;
  if (!(stream instanceof ReadableStream)) throw invalidReply('The model gave no stream.');
  const reply = createSdkReply(onText);
  const broken = (thrown: unknown): ModelError => explain(thrown, brokenConnection());
  const reader: ReadableStreamDefaultReader<unknown> = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await patience.wait(() => reader.read(), broken);
      if (done) throw cutShort();
      if (!isRecord(value)) continue;
      // A part of any other type is not for us, or was not thought of when this was written.
      if (value.type === 'text-delta') reply.addText(stringOf(value, 'delta'));
      if (value.type === 'tool-call') reply.addCall(value);
      if (value.type === 'error') throw explain(value.error);
      if (value.type === 'finish') return reply.end(value);
    }
  } finally {
    // It is not awaited: a model that hangs may never let the cancellation settle.
    reader.cancel().catch(() => {});
  }
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
