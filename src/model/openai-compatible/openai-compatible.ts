import { literals } from '../../tool/literals.ts';
import type { ChatModel, ModelOfEnv } from '../chat-model.ts';
import { ConfigurationError } from '../configuration-error.ts';
import { checkPrices, type Prices } from '../prices.ts';
import { systemRetryClock } from '../retry.ts';
import { createOpenaiCompatible, type OpenaiCompatibleOptions } from './adapter.ts';

/**
 * Creates a function that makes a model from the environment. It reads the vars `MODEL` (the model's name,
 * `gpt-5-mini` by default), `OPENAI_BASE_URL` (OpenAI's by default) and `MODEL_PRICES`, and the secret
 * `OPENAI_API_KEY`. The secret is a text, or a binding of the Secrets Store, which the first request reads.
 * An empty var counts as absent. Use the function as the `model` of `createHoldfast` and `defineAgent`.
 *
 * The function throws a ConfigurationError that names a missing or invalid setting, without its secret.
 *
 * @example
 * ```ts
 * const model = openaiCompatible(); // for createHoldfast({ agents, model })
 * ```
 */
export function openaiCompatible(): ModelOfEnv<object>;
/**
 * Creates a model behind any server with OpenAI's chat completions. Transient failures (408, 409, 429,
 * 5xx, no connection, silence, a cut-off reply) are retried until output begins. No error message contains a
 * credential. Provider data of a reply (`reasoning_content`, `reasoning`, `reasoning_details`,
 * `extra_content`, chunks of thinking) goes back to this model unchanged. The
 * `providerOptions.openaiCompatible` of a request are merged into its body.
 *
 * @throws TypeError if `baseURL`, `apiKey` or `headers` are invalid in a request, if `extraBody` or
 * `cacheKeyIn` sets a field of the adapter, if `server` is unknown, or if `prices`, `maxOutputTokens` or
 * `media` are invalid.
 */
export function openaiCompatible(options: OpenaiCompatibleOptions): ChatModel;
export function openaiCompatible(options?: OpenaiCompatibleOptions): ChatModel | ModelOfEnv<object> {
  return options === undefined ? modelOfVars : createForServer(options);
}

const createForServer = (options: OpenaiCompatibleOptions): ChatModel =>
  createOpenaiCompatible(options, systemRetryClock);

/** The vars that the model uses. Each can be absent. */
interface Vars {
  readonly MODEL?: unknown;
  readonly OPENAI_BASE_URL?: unknown;
  readonly OPENAI_API_KEY?: unknown;
  readonly MODEL_PRICES?: unknown;
}

const modelOfVars: ModelOfEnv<object> = Object.assign(
  (env: Vars): ChatModel => {
    const [model, baseURL] = [readSetting(env.MODEL), readSetting(env.OPENAI_BASE_URL)];
    const { OPENAI_API_KEY: key } = env;
    const apiKey = readSetting(key);
    if (model === 'offline') throw new ConfigurationError(NO_PLANNER_MESSAGE);
    if (baseURL === undefined && apiKey === undefined && !isStoredSecret(key)) {
      const which =
        model === undefined ? 'This Worker has no model:' : `MODEL is '${model.slice(0, 80)}', but`;
      throw new ConfigurationError(
        `${which} neither OPENAI_API_KEY nor OPENAI_BASE_URL is set. ${SETUP_ADVICE}${literals?.toDevelop ?? ''}`,
      );
    }
    const server = {
      baseURL: baseURL ?? 'https://api.openai.com/v1',
      server: baseURL === undefined ? ('openai' as const) : undefined,
      model: model ?? 'gpt-5-mini',
      prices: parsePrices(readSetting(env.MODEL_PRICES)),
    };
    return isStoredSecret(key) ? withStoredKey(server, key) : createFromVars({ ...server, apiKey });
  },
  { isChecked: true } as const,
);

const readSetting = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.trim() || undefined : undefined;

/** A binding of the Secrets Store. */
interface StoredSecret {
  get(): Promise<unknown>;
}

const isStoredSecret = (value: unknown): value is StoredSecret => typeof Object(value).get === 'function';

const SETUP_ADVICE = 'Set OPENAI_API_KEY or OPENAI_BASE_URL, and MODEL to the name of the model there.';

const PLANNER = "orOffline(openaiCompatible()) from 'holdfast/models/offline'.";

const NO_PLANNER_MESSAGE = `MODEL is 'offline', which runs in development only, as ${PLANNER} ${SETUP_ADVICE}`;

function createFromVars(options: OpenaiCompatibleOptions): ChatModel {
  try {
    return createForServer(options);
  } catch (failure) {
    if (!(failure instanceof TypeError)) throw failure;
    throw new ConfigurationError(`OPENAI_BASE_URL or OPENAI_API_KEY cannot be used: ${failure.message}`);
  }
}

/**
 * Reads the key with the first request, and again with the first one after a failure, because the key may
 * have been replaced.
 */
function withStoredKey(server: OpenaiCompatibleOptions, key: StoredSecret): ChatModel {
  const make = async (): Promise<ChatModel> => {
    const stored = await key.get().catch((cause: unknown) => {
      throw new ConfigurationError('The Secrets Store did not return OPENAI_API_KEY.', {
        cause,
      });
    });
    return createFromVars({ ...server, apiKey: readSetting(stored) });
  };
  let made: Promise<ChatModel> | undefined;
  return {
    ...createFromVars(server),
    async ask(...asked) {
      made ??= make();
      try {
        return await (await made).ask(...asked);
      } catch (failure) {
        made = undefined;
        throw failure;
      }
    },
  };
}

function parsePrices(value: string | undefined): Prices | undefined {
  if (value === undefined) return undefined;
  try {
    return checkPrices(JSON.parse(value)).prices;
  } catch {
    throw new ConfigurationError(
      'MODEL_PRICES must be the JSON of two prices, in USD per million tokens, such as {"input":0.25,"output":2}.',
    );
  }
}
