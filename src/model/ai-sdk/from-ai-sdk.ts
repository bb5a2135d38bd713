import {
  type AdapterOptions,
  askWithRetries,
  DEFAULT_RETRIES,
  type ExplainedFailure,
  type OpenAttempt,
  readTraits,
} from '../ask-patiently.ts';
import {
  type ChatModel,
  ModelError,
  type ModelFailure,
  type ModelMedia,
  type ModelReply,
} from '../chat-model.ts';
import { createMessageSanitizer } from '../message-gate.ts';
import { parseRetryAfter, type RetryClock, systemRetryClock } from '../retry.ts';
import {
  createStatusError,
  findReportedError,
  getErrorDetails,
  getErrorWords,
  isCreditExhausted,
  joinSentence,
} from '../server-error.ts';
import { isRecord, isScalar, parseJson, type UntrustedRecord } from '../untrusted-json.ts';
import { createBrokenConnectionError } from '../untrusted-reply.ts';
import { askThroughPauses } from './ask-sdk.ts';
import { checkFiles } from './media.ts';
import { getRefusalTraits } from './settings.ts';
import type { SdkModel } from './specification.ts';
import { getPrefixTraits } from './tool-changes.ts';
import { findSdkTraits, getThoughtReaderTraits, type KnownModel, type TraitOverrides } from './traits.ts';

/** Options for `fromAiSdk`. */
export interface FromAiSdkOptions extends AdapterOptions, TraitOverrides {
  /**
   * The longest silence in ms between two parts of a reply, which is always streamed. Defaults to 120,000.
   */
  readonly timeout?: number | undefined;
  /**
   * The files that the model accepts. Defaults to the types that both the provider's package and its server
   * support, if they are known. They are never known for a package of the specification v3. If a model
   * supports fewer types, set them here.
   */
  readonly media?: ModelMedia | undefined;
}

/**
 * Creates a model from a model of the AI SDK, of its specification `v4` or `v3`, such as
 * `createAnthropic()('claude-sonnet-5')`. It always requests a stream. Provider data of a reply (reasoning,
 * signatures, tools that the provider ran) returns to the provider in every later request. Failures that can
 * pass are retried until output begins. A setting or a file that the model does not support causes an error
 * that names it. OpenAI's server is asked to store nothing, unless `providerOptions` say otherwise. A reply
 * that Anthropic's server pauses is continued, in eight requests at most.
 *
 * @throws TypeError for a model of another specification, or if `prices`, `maxOutputTokens` or `media` are
 * invalid.
 *
 * @example
 * ```ts
 * const chat = fromAiSdk(gpt, { prices: { input: 0.25, output: 2 } });
 * ```
 */
export const fromAiSdk = (model: SdkModel, options: FromAiSdkOptions = {}): ChatModel =>
  createAiSdkModel(model, options, systemRetryClock);

/** `fromAiSdk` with an injected clock and random source. For tests; the package does not export it. */
export const createAiSdkModel = (
  model: SdkModel,
  { timeout, retries = DEFAULT_RETRIES, like, signsPrefix, wantsThoughts, ...limits }: FromAiSdkOptions,
  pace: RetryClock,
): ChatModel => {
  // The SDK also accepts a model's name, or a model of an older specification.
  const { specificationVersion: version = typeof model }: { readonly specificationVersion?: string } = model;
  if (version !== 'v4' && version !== 'v3') {
    throw new TypeError(
      `'model' must be a language model of the AI SDK's specification v4 or v3, but is: ${version}.`,
    );
  }
  const { modelId: name, provider } = model;
  const gate = createMessageSanitizer(createCredentialRedactor(name));
  const traits = readTraits(limits);
  const known: KnownModel = {
    sdk: model,
    traits: findSdkTraits(model, { like, signsPrefix, wantsThoughts }),
  };
  const { maxOutputTokens, media = known.traits.media } = traits;
  let isTold = !known.traits.isUnnamed;
  return {
    name,
    provider,
    ...traits,
    ...(media && { media }),
    heedsToolChoice: true,
    ...getPrefixTraits(known.traits),
    ...(known.traits.cache && { caches: true as const }),
    ...(known.traits.wantsThoughts && { wantsThoughts: known.traits.wantsThoughts }),
    ...getThoughtReaderTraits(model, known.traits),
    ...getRefusalTraits(known.traits),
    async ask(asked, options) {
      if (!isTold) options.warn?.(formatUnknownModel(model));
      isTold = true;
      const request = { maxOutputTokens, ...asked };
      checkFiles(model, media, request.messages);
      const runAttempt = (attempt: OpenAttempt): Promise<ModelReply> => {
        const explain = (thrown: unknown, otherwise?: ModelError): ModelError =>
          attempt.fail(explainFailure(thrown, pace.now(), otherwise));
        return askThroughPauses({ known, request, attempt, explain }, options.again);
      };
      const reply = await askWithRetries({ timeout, retries, gate, pace }, request, {
        ...options,
        work: runAttempt,
      });
      // With `provider`, the journal stores the reply's maker, which distinguishes a reply without thoughts
      // from those of other models.
      return known.traits.wantsThoughts ? { ...reply, provider: reply.provider ?? {} } : reply;
    },
  };
};

const formatUnknownModel = ({ modelId, provider }: SdkModel): string =>
  `the name '${modelId}' does not identify a model of '${provider}', so the requirements of that model are not known. Name the model, as in ` +
  "fromAiSdk(model, { like: 'claude-opus-5-5' })";

/**
 * Creates a function that removes everything that looks like a credential from a message. An SDK model does
 * not expose its key, so the key is recognizable only by its form. Keeps `name`, the model's own name,
 * because the reader needs it.
 */
const createCredentialRedactor =
  (name: string) =>
  (message: string): string =>
    name === '' ? redactCredentials(message) : message.split(name).map(redactCredentials).join(name);

const redactCredentials = (text: string): string =>
  text
    .replace(/\b(Bearer|Basic)\s+\S+/gi, '$1 [secret]')
    .replace(/\b((?:api[-_]?)?key|token|secret|password)=[^\s&]+/gi, '$1=[secret]')
    .replace(/[\w-]{8,}/g, (run) => (hasKeyPrefix(run) || looksLikeKey(run) ? '[secret]' : run));

const hasKeyPrefix = (run: string): boolean => /^(?:sk|pk|rk|gsk|xai|nvapi|hf|AIza)[-_]/.test(run);

const MIN_KEY_CHARACTERS = 20;

/** Recognizes a key: 20 characters with digits and both cases, or 32 hexadecimal digits. */
const looksLikeKey = (run: string): boolean =>
  /^[0-9a-f]{32,}$/i.test(run) ||
  (run.length >= MIN_KEY_CHARACTERS && /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run));

/**
 * Explains an error that a model of the AI SDK threw or put into its stream. Recognizes it by its fields,
 * because a provider can bring its own copy of the SDK's classes. Quotes only text of a server or of the SDK.
 * `otherwise` replaces an error without useful fields.
 */
export const explainFailure = (thrown: unknown, now: number, otherwise?: ModelError): ExplainedFailure => {
  const fields: UntrustedRecord = isRecord(thrown) ? thrown : { message: readText(thrown) };
  const name = readText(fields.name);
  const setUp = setupErrors.get(name);
  if (setUp !== undefined) {
    return {
      error: new ModelError(setUp, joinSentence('The model cannot be asked', readText(fields.message))),
    };
  }
  const called = explainCall(fields, now);
  if (called !== undefined) return called;
  const reported = thrown instanceof Error ? undefined : findReportedError({ error: getReport(fields) });
  if (reported !== undefined) return { error: reported };
  // A frame that is not a reply can be the server's error, if the provider expects replies only.
  const framed = isRecord(fields.value) ? findReportedError(fields.value) : undefined;
  if (framed !== undefined) return { error: framed };
  const failure = confidentialErrors.get(name);
  if (failure === undefined && otherwise !== undefined) return { error: otherwise };
  return { error: new ModelError(failure ?? 'server-error', `The model failed with ${name || 'an error'}.`) };
};

/** SDK errors about the setup, whose messages contain no values and can be quoted. */
const setupErrors: ReadonlyMap<string, ModelFailure> = new Map([
  ['AI_LoadAPIKeyError', 'unauthorized'],
  ['AI_LoadSettingError', 'bad-request'],
  ['AI_UnsupportedFunctionalityError', 'bad-request'],
]);

/** Errors whose message can contain the request, the reply or other data. Only their name is reported. */
const confidentialErrors: ReadonlyMap<string, ModelFailure> = new Map([
  ['AI_InvalidPromptError', 'bad-request'],
  ['AI_InvalidArgumentError', 'bad-request'],
  ['AI_JSONParseError', 'invalid-reply'],
  ['AI_TypeValidationError', 'invalid-reply'],
  ['AI_InvalidResponseDataError', 'invalid-reply'],
  ['AI_NoContentGeneratedError', 'invalid-reply'],
  ['AI_EmptyResponseBodyError', 'truncated'],
  ['AbortError', 'timeout'],
  ['TimeoutError', 'timeout'],
]);

/** Explains a failed HTTP call: `APICallError`, and the errors that the SDK's providers put into a stream. */
const explainCall = (call: UntrustedRecord, now: number): ExplainedFailure | undefined => {
  const status = getStatus(call);
  const words = readText(call.message);
  // If a provider of the SDK expects another error format, it reports only the status.
  const body = call.data ?? parseJson(readText(call.responseBody));
  const final = call.isRetryable === false || isCreditExhausted(body);
  if (status === undefined) {
    if (typeof call.isRetryable !== 'boolean') return undefined;
    return final
      ? { error: new ModelError('bad-request', joinSentence('The model refused the request', words)) }
      : {
          error: new ModelError(
            'unreachable',
            joinSentence("The model's server could not be reached", words),
          ),
        };
  }
  if (status < 300) {
    // For a broken body the SDK keeps the platform's error as the cause, and for an unreadable body its own.
    const { cause } = call;
    if (isRecord(cause) && !readText(cause.name).startsWith('AI_'))
      return { error: createBrokenConnectionError() };
    const start = "The model's reply could not be read";
    return { error: new ModelError('invalid-reply', joinSentence(start, words), { status }) };
  }
  const retryAfter = parseRetryAfter(getHeaders(call), now);
  const details = `${getErrorDetails(body)} ${getErrorWords(body)}`;
  const error = createStatusError(status, { words, details, retryAfter });
  return { error, retryAfter: final ? Infinity : retryAfter };
};

const getStatus = ({ statusCode }: UntrustedRecord): number | undefined =>
  typeof statusCode === 'number' && statusCode >= 100 && statusCode <= 599 ? statusCode : undefined;

const getHeaders = ({ responseHeaders: headers }: UntrustedRecord): Pick<Headers, 'get'> => ({
  get: (name) => (isRecord(headers) && Object.hasOwn(headers, name) ? readText(headers[name]) || null : null),
});

/** Returns a server's error report from a stream, reduced to values that JSON can represent. */
const getReport = (thrown: UntrustedRecord): UntrustedRecord => {
  const report = isRecord(thrown.error) ? thrown.error : thrown;
  return Object.fromEntries(
    ['message', 'type', 'code', 'status'].flatMap((key) =>
      isScalar(report[key]) ? [[key, report[key]]] : [],
    ),
  );
};

const readText = (value: unknown): string => (typeof value === 'string' ? value : '');
