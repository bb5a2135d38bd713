import {
  type AdapterOptions,
  askWithRetries,
  DEFAULT_RETRIES,
  type ExplainedFailure,
  type OpenAttempt,
  readTraits,
  waitOrRelease,
} from '../ask-patiently.ts';
import {
  createBadRequestError,
  toCommonFields,
  toProviderOptionFields,
  toWireMessage,
  toWireTool,
  type WireFormat,
} from '../chat-completions/to-wire.ts';
import {
  type ChatModel,
  ModelError,
  type ModelMedia,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  type OutputFormat,
} from '../chat-model.ts';
import { ConfigurationError } from '../configuration-error.ts';
import { createMessageSanitizer } from '../message-gate.ts';
import { type RetryClock, systemRetryClock } from '../retry.ts';
import { createStatusError, joinSentence, readRequestLength } from '../server-error.ts';
import type { ModelSettings } from '../settings.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import { readRun } from './read-run.ts';

/**
 * The part of Workers AI's `AI` binding that is used. Cloudflare's `Ai` satisfies it, and so does a wrapper.
 */
export interface AiBinding {
  run(
    model: string,
    inputs: Record<string, unknown>,
    options?: { readonly signal?: AbortSignal; readonly extraHeaders?: Readonly<Record<string, string>> },
  ): Promise<unknown>;
}

/** Options for `workersAi`. */
export interface WorkersAiOptions extends AdapterOptions {
  /**
   * The model's id, such as `@cf/meta/llama-3.3-70b-instruct-fp8-fast`. The model must support function
   * calling.
   */
  readonly model: string;
  /**
   * The longest silence in ms between two chunks. Defaults to 120,000. JSON mode does not stream, so there it
   * limits the whole reply and defaults to 600,000.
   */
  readonly timeout?: number | undefined;
  /**
   * The files that the model accepts as bytes in messages: images, and for some models PDF, WAV and MP3.
   * Defaults to unknown. All other lists must be empty, because the binding fetches no URLs and results are
   * sent as text.
   */
  readonly media?: ModelMedia | undefined;
}

/**
 * Creates a model of Workers AI from its binding. Transient failures (no capacity, silence, a cut-off
 * reply) are retried until output begins, but not an exhausted daily allocation. Reasoning goes back to the
 * model. The `providerOptions.workersAi` of a request are merged into the inputs of its run.
 *
 * @throws ConfigurationError if the binding is missing. Throws TypeError if `prices`, `maxOutputTokens` or
 * `media` are invalid.
 *
 * @example Through an AI Gateway:
 * ```ts
 * const run: AiBinding['run'] = (model, inputs, options) =>
 *   env.AI.run(model, inputs, { ...options, gateway: { id: 'my-gateway' } });
 * const model = workersAi({ run }, { model: '@cf/meta/llama-3.3-70b-instruct-fp8-fast' });
 * ```
 */
export const workersAi = (binding: AiBinding, options: WorkersAiOptions): ChatModel =>
  createWorkersAi(binding, options, systemRetryClock);

/** `workersAi` with an injected clock and random source. For tests; the package does not export it. */
export const createWorkersAi = (
  binding: AiBinding,
  { model, timeout, retries = DEFAULT_RETRIES, ...limits }: WorkersAiOptions,
  pace: RetryClock,
): ChatModel => {
  // Without the binding, the value is `undefined` despite its type.
  if (typeof (binding as AiBinding | undefined)?.run !== 'function') {
    throw new ConfigurationError(
      "The Workers AI binding is missing. Declare it in wrangler.toml: [ai] with binding = 'AI'.",
    );
  }
  // The binding has no credential that an error could contain.
  const gate = createMessageSanitizer((message) => message);
  const traits = readTraits(limits, 'message.url', 'result.data', 'result.url');
  const { maxOutputTokens } = traits;
  return {
    name: model,
    provider: 'workers-ai',
    caches: true,
    ...traits,
    async ask(request, asked) {
      const inputs = toRunInputs({ maxOutputTokens, ...request });
      const runAttempt = async (attempt: OpenAttempt): Promise<ModelReply> => {
        const explainBroken = (thrown: unknown): ModelError => attempt.fail(explainFailure(thrown));
        // The model can ignore its signal. The wait ends in any case.
        const run = () =>
          binding.run(model, inputs, { signal: attempt.signal, ...createAffinityOptions(request) });
        return readRun(
          await waitOrRelease(attempt.patience, run, { broken: explainBroken, release }),
          attempt,
        );
      };
      return askWithRetries({ timeout, retries, gate, pace }, request, {
        ...asked,
        whole: inputs.stream !== true,
        work: runAttempt,
      });
    },
  };
};

/**
 * Returns the headers of a request. One of them sends requests with the same key to the same model instance,
 * and so to its cache.
 */
function createAffinityOptions({ cache, headers }: ModelRequest) {
  const key = cache?.key === undefined ? undefined : { 'x-session-affinity': cache.key };
  return key || headers ? { extraHeaders: { ...headers, ...key } } : {};
}

const release = (late: unknown): unknown => (late instanceof ReadableStream ? late.cancel() : undefined);

/**
 * Returns the inputs of one run. In JSON mode, Workers AI cannot call tools and does not stream. With tools,
 * an instruction therefore describes the form. Without tools, a structured answer arrives in one piece. All
 * other requests stream, so silence means that no data arrives.
 *
 * @throws ModelError `bad-request` for a setting that not every model supports.
 */
const toRunInputs = ({
  messages,
  tools,
  output,
  maxOutputTokens,
  settings = {},
}: ModelRequest): UntrustedRecord => {
  const fields = toSettingsFields(settings);
  const offered = settings.toolChoice === 'none' ? [] : tools;
  const told =
    output !== undefined && offered.length > 0
      ? withInstruction(messages, formatInstruction(output))
      : messages;
  const format = output !== undefined && offered.length === 0 ? toFormat(output) : undefined;
  return {
    messages: told.map(toRunMessage),
    ...(offered.length === 0 ? {} : { tools: offered.map(toWireTool) }),
    ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
    ...fields,
    ...(format ?? { stream: true }),
  };
};

/**
 * Returns the settings that no model ignores. The binding silently drops inputs that a model does not know.
 */
const toSettingsFields = (settings: ModelSettings): UntrustedRecord => {
  const { topK, stop = [], toolChoice = 'auto', parallelToolCalls } = settings;
  if (stop.length > 0) throw createDroppedSettingError('stop', "stop: ['...']");
  if (parallelToolCalls === false)
    throw createDroppedSettingError('parallelToolCalls', 'parallel_tool_calls: false');
  if (toolChoice !== 'auto' && toolChoice !== 'none')
    throw createDroppedSettingError('toolChoice', "tool_choice: 'required'");
  return {
    ...toProviderOptionFields(settings, { key: 'workersAi', ours: OUR_INPUTS }),
    ...toCommonFields(settings),
    ...(topK !== undefined && { top_k: topK }),
  };
};

const createDroppedSettingError = (setting: string, input: string): ModelError =>
  createBadRequestError(
    `Many models of Workers AI silently ignore '${setting}'. If this one supports it, pass it as ` +
      `'providerOptions: { workersAi: { ${input} } }'.`,
  );

/** The inputs that the loop controls, and that options cannot set. */
const OUR_INPUTS: ReadonlySet<string> = new Set([
  'messages',
  'prompt',
  'tools',
  'functions',
  'stream',
  'max_tokens',
  'response_format',
]);

/**
 * Converts a message to the binding's schema. In it, all content is text, except that a user message for
 * vision models can be a list of parts. A result has a tool name. Models return reasoning in one of two
 * fields, but read it from only one.
 */
const toRunMessage = (message: ModelMessage): UntrustedRecord => {
  const { reasoning_content: reasoning, ...fields }: UntrustedRecord = toWireMessage(message, WIRE_FORMAT);
  return {
    ...(reasoning !== undefined && { reasoning }),
    ...fields,
    ...(message.role === 'tool' ? { name: message.name } : {}),
    ...(message.role !== 'user' && { content: message.text }),
  };
};

const WIRE_FORMAT: WireFormat = { called: 'Workers AI', fetchesNothing: true };

/**
 * Adds an instruction to the first message. The templates of several models support no other place for a
 * system message.
 */
const withInstruction = (messages: readonly ModelMessage[], instruction: string): readonly ModelMessage[] => {
  const [first, ...rest] = messages;
  return first?.role === 'system'
    ? [{ role: 'system', text: `${first.text}\n\n${instruction}` }, ...rest]
    : [{ role: 'system', text: instruction }, ...messages];
};

const formatInstruction = ({ schema }: OutputFormat): string =>
  `When you answer in words, answer with nothing but JSON that matches this schema: ${JSON.stringify(schema)}`;

/** Returns the response format. Its schema has no envelope with a name, unlike OpenAI's. */
const toFormat = ({ schema }: OutputFormat) => ({
  response_format: { type: 'json_schema', json_schema: schema },
});

/** Explains an error of the binding. It has no status or headers, only a code or a message. */
const explainFailure = (thrown: unknown): ExplainedFailure => {
  const fields = isRecord(thrown) ? thrown : { message: thrown };
  const words = typeof fields.message === 'string' ? fields.message.slice(0, 2_000) : '';
  const code = findCode(fields, words);
  const status = code === undefined ? undefined : statusByCode.get(code);
  const final = fields.retryable === false || (code !== undefined && dailyLimitCodes.has(code));
  const retryAfter = final ? Infinity : undefined;
  if (status !== undefined) return { error: createStatusError(status, { words }), retryAfter };
  if (/JSON Mode couldn't be met/i.test(words)) {
    return {
      error: new ModelError('invalid-reply', 'The model could not answer in the requested format.'),
    };
  }
  const length = readRequestLength('server-error', words);
  const failure = length ? 'context-length' : 'server-error';
  return { error: new ModelError(failure, joinSentence('Workers AI failed', words), { length }), retryAfter };
};

/**
 * Workers AI's codes and their HTTP equivalents. They are from its documentation, except for 4006 (the daily
 * allocation) and 5006 (inputs that do not match the model's schema), which it returns today.
 */
const statusByCode: ReadonlyMap<number, number> = new Map([
  [3003, 400],
  [3006, 413],
  [3007, 408],
  [3008, 408],
  [3023, 403],
  [3036, 429],
  [3039, 400],
  [3040, 429],
  [3041, 403],
  [3042, 404],
  [4006, 429],
  [5004, 400],
  [5005, 405],
  [5006, 400],
  [5007, 400],
  [5016, 403],
  [5018, 403],
  [5019, 405],
]);

/** The codes for an exhausted daily allocation. It is renewed at midnight, so a short wait cannot help. */
const dailyLimitCodes: ReadonlySet<number> = new Set([3036, 4006]);

/** Returns the code, from `code` or before a colon: `AiError: 3040: Capacity temporarily exceeded`. */
const findCode = (fields: UntrustedRecord, words: string): number | undefined =>
  [fields.code, ...[...words.matchAll(/\b(\d{4})\s*:/g)].map(([, digits]) => digits)]
    .map((code) => (typeof code === 'string' ? Number(code) : code))
    .find((code): code is number => typeof code === 'number' && statusByCode.has(code));
