import type { ChatModel } from '../model/chat-model.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import {
  type OpenaiCompatibleOptions,
  openaiCompatible,
} from '../model/openai-compatible/openai-compatible.ts';
import { checkPrices, type Prices } from '../model/prices.ts';
import { isRecord, parseJson } from '../model/untrusted-json.ts';
import { isStored, secretText } from '../tool/secrets.ts';

/** The settings that choose a model; an empty one is not set. */
export interface ModelEnvironment {
  /** A model's name at the server, or `offline`. */
  readonly MODEL?: string | undefined;
  readonly OPENAI_BASE_URL?: string | undefined;
  /** A text, or a binding of the Secrets Store. */
  readonly OPENAI_API_KEY?: unknown;
  /** What that model costs, in USD per million tokens, for agents with a cost limit: `{"input":0.25,"output":2}`. */
  readonly MODEL_PRICES?: string | undefined;
}

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';
const DEFAULT_MODEL = 'gpt-5-mini';

const setting = (value: string | undefined): string | undefined => value?.trim() || undefined;

const parseBaseUrl = (value: string): string => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return value;
  throw new ConfigurationError(
    `OPENAI_BASE_URL is not an http or https URL. Set it to one such as ${DEFAULT_BASE_URL}.`,
  );
};

const atServer = (options: OpenaiCompatibleOptions): ChatModel => {
  try {
    return openaiCompatible(options);
  } catch (failure) {
    if (!(failure instanceof TypeError)) throw failure;
    throw new ConfigurationError(`OPENAI_BASE_URL or OPENAI_API_KEY cannot be used: ${failure.message}`);
  }
};

/** The model whose key is asked for by its first request: all else about it is known without. */
const withStoredKey = (server: OpenaiCompatibleOptions, key: unknown): ChatModel => {
  const make = async (): Promise<ChatModel> => {
    const apiKey = await secretText(key).catch((cause: unknown) => {
      throw new ConfigurationError('The Secrets Store did not give OPENAI_API_KEY.', { cause });
    });
    return atServer({ ...server, apiKey });
  };
  let made: Promise<ChatModel> | undefined;
  const ask: ChatModel['ask'] = async (...asked) => {
    made ??= make();
    return (await made).ask(...asked);
  };
  return { ...atServer(server), ask };
};

const parsePrices = (value: string | undefined): Prices | undefined => {
  if (value === undefined) return undefined;
  const { input, output, cachedInput, cacheWrite } = recordOf(parseJson(value));
  try {
    return checkPrices({
      input: numberOf(input),
      output: numberOf(output),
      ...(cachedInput !== undefined && { cachedInput: numberOf(cachedInput) }),
      ...(cacheWrite !== undefined && { cacheWrite: numberOf(cacheWrite) }),
    }).prices;
  } catch (failure) {
    if (!(failure instanceof TypeError)) throw failure;
    throw new ConfigurationError(
      'MODEL_PRICES is not the JSON of two prices. Set it to USD per million tokens, such as {"input":0.25,"output":2}.',
    );
  }
};

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

const recordOf = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

/** How to run without a key, for whoever has none. */
const OFFLINE =
  'To run without a language model, set MODEL = "offline" and give the planner to createHoldfast: ' +
  "createHoldfast({ offline: offlineModel, ... }), with offlineModel from 'holdfast/models/offline'.";

const NO_MODEL =
  'This Worker has no model: none of MODEL, OPENAI_API_KEY and OPENAI_BASE_URL is set. Set OPENAI_API_KEY or ' +
  `OPENAI_BASE_URL, and MODEL to the name of the model there; or give createHoldfast a \`model\`. ${OFFLINE}`;

const NO_PLANNER =
  "MODEL is 'offline', but this Worker has no planner. Give it to createHoldfast: createHoldfast({ offline: offlineModel, " +
  "... }), with offlineModel from 'holdfast/models/offline'. For a language model, set OPENAI_API_KEY or OPENAI_BASE_URL, " +
  'and MODEL to the name of the model there.';

/**
 * The model that the environment asks for: what `offline` makes when `MODEL` is `offline`, whatever else is set, and else a
 * server as soon as there is a key or an address. `offline` is given and not imported, so that a Worker which does not use
 * the planner does not carry it.
 *
 * @throws ConfigurationError naming the setting that is missing or cannot be followed, without its secret.
 */
export const chooseModel = (env: ModelEnvironment, offline?: () => ChatModel): ChatModel => {
  const [model, baseURL] = [env.MODEL, env.OPENAI_BASE_URL].map(setting);
  const { OPENAI_API_KEY: key } = env;
  const apiKey = typeof key === 'string' ? setting(key) : undefined;
  if (model === 'offline') {
    if (offline === undefined) throw new ConfigurationError(NO_PLANNER);
    return offline();
  }
  if (baseURL !== undefined || apiKey !== undefined || isStored(key)) {
    const server = {
      baseURL: parseBaseUrl(baseURL ?? DEFAULT_BASE_URL),
      model: model ?? DEFAULT_MODEL,
      prices: parsePrices(setting(env.MODEL_PRICES)),
    };
    return isStored(key) ? withStoredKey(server, key) : atServer({ ...server, apiKey });
  }
  if (model === undefined) throw new ConfigurationError(NO_MODEL);
  throw new ConfigurationError(
    `MODEL is '${model.slice(0, 80)}', but neither OPENAI_API_KEY nor OPENAI_BASE_URL is set. Set one of them. ${OFFLINE}`,
  );
};
