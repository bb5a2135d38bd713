import {
  type AdapterOptions,
  askPatiently,
  DEFAULT_RETRIES,
  type ExplainedFailure,
  type OpenAttempt,
  traitsOf,
  waitOrRelease,
} from '../ask-patiently.ts';
import {
  commonFields,
  ownFields,
  refused,
  toWireMessage,
  toWireTool,
  type WireManner,
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
import { createMessageGate } from '../message-gate.ts';
import { type Pace, realPace } from '../retry.ts';
import { errorOfStatus, sentence, toldLength } from '../server-error.ts';
import type { ModelSettings } from '../settings.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import { readRun } from './read-run.ts';

/** What is needed of the `AI` binding of Workers AI; Cloudflare's `Ai` is one, and so is anything that wraps it. */
export interface AiBinding {
  run(
    model: string,
    inputs: Record<string, unknown>,
    options?: { readonly signal?: AbortSignal; readonly extraHeaders?: Readonly<Record<string, string>> },
  ): Promise<unknown>;
}

/** Which model of Workers AI is asked, and how. */
export interface WorkersAiOptions extends AdapterOptions {
  /** Such as `@cf/meta/llama-3.3-70b-instruct-fp8-fast`; one that can call functions. */
  readonly model: string;
  /** The longest silence in ms between two chunks, 120,000 unless given; in JSON mode, which does not stream, for all, 600,000. */
  readonly timeout?: number | undefined;
  /**
   * Which files the model takes in messages, by their bytes: images, and of some models PDF, WAV and MP3. Default: not known.
   * All other lists must be empty, since the binding fetches nothing and results are told in words.
   */
  readonly media?: ModelMedia | undefined;
}

/**
 * A model of Workers AI, through its binding. Failures that may pass (no capacity, silence, a reply cut off) are tried
 * again while nothing has been handed on; a used-up allocation of the day is not. What a reply reasons goes back to the
 * model. `providerOptions.workersAi` of a request is merged into the inputs of its run.
 *
 * @throws ConfigurationError when there is no such binding; TypeError when `prices`, `maxOutputTokens` or `media` make no
 *   sense.
 *
 * @example Through an AI Gateway:
 * ```ts
 * const run: AiBinding['run'] = (model, inputs, options) =>
 *   env.AI.run(model, inputs, { ...options, gateway: { id: 'my-gateway' } });
 * const model = workersAi({ run }, { model: '@cf/meta/llama-3.3-70b-instruct-fp8-fast' });
 * ```
 */
export const workersAi = (binding: AiBinding, options: WorkersAiOptions): ChatModel =>
  pacedWorkersAi(binding, options, realPace);

/** `workersAi` with time and chance given. For tests, and not exported by the package. */
export const pacedWorkersAi = (
  binding: AiBinding,
  { model, timeout, retries = DEFAULT_RETRIES, ...limits }: WorkersAiOptions,
  pace: Pace,
): ChatModel => {
  // A Worker without the binding has `undefined` in its place, whatever its types say.
  if (typeof (binding as AiBinding | undefined)?.run !== 'function') {
    throw new ConfigurationError(
      "The Workers AI binding is missing. Declare it in wrangler.toml: [ai] with binding = 'AI'.",
    );
  }
  // The binding holds no credential that an error could tell.
  const gate = createMessageGate((message) => message);
  const traits = traitsOf(limits, 'message.url', 'result.data', 'result.url');
  const { maxOutputTokens } = traits;
  return {
    name: model,
    provider: 'workers-ai',
    caches: true,
    ...traits,
    async ask(request, asked) {
      const inputs = toRunInputs({ maxOutputTokens, ...request });
      const work = async (attempt: OpenAttempt): Promise<ModelReply> => {
        const broken = (thrown: unknown): ModelError => attempt.fail(explainFailure(thrown));
        // The model may not heed its signal: the wait ends without it.
        const run = () => binding.run(model, inputs, { signal: attempt.signal, ...affinity(request) });
        return readRun(await waitOrRelease(attempt.patience, run, { broken, release }), attempt);
      };
      return askPatiently({ timeout, retries, gate, pace }, request, {
        ...asked,
        whole: inputs.stream !== true,
        work,
      });
    },
  };
};

/** Requests with the same key are given to the same instance of the model, which holds what it has cached. */
const affinity = ({ cache }: ModelRequest) =>
  cache?.key === undefined ? {} : { extraHeaders: { 'x-session-affinity': cache.key } };

const release = (late: unknown): unknown => (late instanceof ReadableStream ? late.cancel() : undefined);

/**
 * The inputs of one run. In JSON mode Workers AI neither calls tools nor streams, so beside tools the form is asked for
 * in words, and an answer that has a form comes in one piece. All else streams, so that silence means silence.
 *
 * @throws ModelError `bad-request` for a setting that not every model takes.
 */
const toRunInputs = ({
  messages,
  tools,
  output,
  maxOutputTokens,
  settings = {},
}: ModelRequest): UntrustedRecord => {
  const fields = settingsFields(settings);
  const offered = settings.toolChoice === 'none' ? [] : tools;
  const told =
    output !== undefined && offered.length > 0 ? withInstruction(messages, inWords(output)) : messages;
  const format = output !== undefined && offered.length === 0 ? toFormat(output) : undefined;
  return {
    messages: told.map(toRunMessage),
    ...(offered.length === 0 ? {} : { tools: offered.map(toWireTool) }),
    ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
    ...fields,
    ...(format ?? { stream: true }),
  };
};

/** What every model takes or refuses by itself. The binding drops what a model does not know, without a word. */
const settingsFields = (settings: ModelSettings): UntrustedRecord => {
  const { topK, stop = [], toolChoice = 'auto', parallelToolCalls } = settings;
  if (stop.length > 0) throw notTaken('stop', "stop: ['...']");
  if (parallelToolCalls === false) throw notTaken('parallelToolCalls', 'parallel_tool_calls: false');
  if (toolChoice !== 'auto' && toolChoice !== 'none') throw notTaken('toolChoice', "tool_choice: 'required'");
  return {
    ...ownFields(settings, { key: 'workersAi', ours: OUR_INPUTS }),
    ...commonFields(settings),
    ...(topK !== undefined && { top_k: topK }),
  };
};

const notTaken = (setting: string, input: string): ModelError =>
  refused(
    `Many models of Workers AI drop '${setting}' without a word. Where this one takes it, give it as ` +
      `'providerOptions: { workersAi: { ${input} } }'.`,
  );

/** Inputs that say what the loop needs: nobody else may set them. */
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
 * The binding checks each message against a schema in which every content is text, and of models that see also a list of parts in
 * a user's message. It reads the name beside a result. Reasoning comes in one of two fields, by the model, and is read in one.
 */
const toRunMessage = (message: ModelMessage): UntrustedRecord => {
  const { reasoning_content: reasoning, ...fields }: UntrustedRecord = toWireMessage(message, MANNER);
  return {
    ...(reasoning !== undefined && { reasoning }),
    ...fields,
    ...(message.role === 'tool' ? { name: message.name } : {}),
    ...(message.role !== 'user' && { content: message.text }),
  };
};

const MANNER: WireManner = { called: 'Workers AI', fetchesNothing: true };

/** Told in the first message: the templates of several models know no other place for a system message. */
const withInstruction = (messages: readonly ModelMessage[], instruction: string): readonly ModelMessage[] => {
  const [first, ...rest] = messages;
  return first?.role === 'system'
    ? [{ role: 'system', text: `${first.text}\n\n${instruction}` }, ...rest]
    : [{ role: 'system', text: instruction }, ...messages];
};

const inWords = ({ schema }: OutputFormat): string =>
  `When you answer in words, answer with nothing but JSON that matches this schema: ${JSON.stringify(schema)}`;

/** The schema stands alone, not in an envelope with a name as OpenAI has it. */
const toFormat = ({ schema }: OutputFormat) => ({
  response_format: { type: 'json_schema', json_schema: schema },
});

/** What the binding threw. It has no status and no headers; what went wrong is in its code or its words. */
const explainFailure = (thrown: unknown): ExplainedFailure => {
  const fields = isRecord(thrown) ? thrown : { message: thrown };
  const words = typeof fields.message === 'string' ? fields.message.slice(0, 2_000) : '';
  const code = codeOf(fields, words);
  const status = code === undefined ? undefined : statuses.get(code);
  const final = fields.retryable === false || (code !== undefined && untilTomorrow.has(code));
  const retryAfter = final ? Infinity : undefined;
  if (status !== undefined) return { error: errorOfStatus(status, { words }), retryAfter };
  if (/JSON Mode couldn't be met/i.test(words)) {
    return {
      error: new ModelError('invalid-reply', 'The model could not answer in the form that was asked for.'),
    };
  }
  const length = toldLength('server-error', words);
  const failure = length ? 'context-length' : 'server-error';
  return { error: new ModelError(failure, sentence('Workers AI failed', words), { length }), retryAfter };
};

/**
 * Workers AI's own codes and what they mean in HTTP. From its documentation, but for 4006 and 5006: what it says today
 * of the daily allocation, and of inputs that do not match the model's schema.
 */
const statuses: ReadonlyMap<number, number> = new Map([
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

/** The day's allocation is used up: it comes back at midnight, not in half a minute. */
const untilTomorrow: ReadonlySet<number> = new Set([3036, 4006]);

/** The code stands in `code`, or before a colon: `AiError: 3040: Capacity temporarily exceeded`. */
const codeOf = (fields: UntrustedRecord, words: string): number | undefined =>
  [fields.code, ...[...words.matchAll(/\b(\d{4})\s*:/g)].map(([, digits]) => digits)]
    .map((code) => (typeof code === 'string' ? Number(code) : code))
    .find((code): code is number => typeof code === 'number' && statuses.has(code));
