import { literals } from '../../tool/literals.ts';
import {
  type AdapterOptions,
  askWithRetries,
  DEFAULT_RETRIES,
  type OpenAttempt,
  readTraits,
} from '../ask-patiently.ts';
import {
  type ChatModel,
  ModelError,
  type ModelMedia,
  type ModelReply,
  type ModelRequest,
} from '../chat-model.ts';
import { createMessageSanitizer } from '../message-gate.ts';
import type { RetryClock } from '../retry.ts';
import { askOnce, type Endpoint, type Fetch } from './ask-once.ts';
import { type ExtraBody, type LimitParameter, OUR_FIELDS, toRequestBody } from './request-body.ts';
import { getServerTraits, SERVERS, type ServerName } from './servers.ts';

/** Options for a server with OpenAI's chat completions. */
export interface OpenaiCompatibleOptions extends AdapterOptions {
  /** The base URL, such as `https://api.openai.com/v1`. `/chat/completions` is appended to its path. */
  readonly baseURL: string;
  /** The key, sent as a bearer token. */
  readonly apiKey?: string | undefined;
  /** The model's name on the server. */
  readonly model: string;
  /** Headers to add to every request. They override the adapter's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * JSON to merge into the body of every request, such as `{ top_k: 40 }` or `{ thinking: { type: 'enabled' }
   * }`. The settings of a request override fields of the same name.
   */
  readonly extraBody?: ExtraBody | undefined;
  /**
   * The longest silence in ms, before the response's headers and between two chunks of its body. Defaults to
   * 120,000.
   */
  readonly timeout?: number | undefined;
  /** Defaults to the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /**
   * The server's vendor, even behind a gateway, an alias or a deployment. It sets the defaults of the next
   * three options. Without it, they default to `max_tokens`, no key, and the thoughts that the server sends
   * or requires. The URL has no influence.
   */
  readonly server?: ServerName | undefined;
  /**
   * The server's field for the maximum number of tokens in a reply. Defaults to `max_completion_tokens` for
   * `openai` and `azure`, whose models mostly refuse the other name. Otherwise defaults to `max_tokens`,
   * until the server refuses it and names `max_completion_tokens`.
   */
  readonly limitParameter?: LimitParameter | undefined;
  /**
   * The place for a key that directs the requests of one conversation to the same cache. A name that begins
   * with `x-` is a header, any other a field of the body. Defaults to `prompt_cache_key` for `openai` and
   * `azure`, `x-grok-conv-id` for `xai` and `x-session-affinity` for `workers-ai`. Otherwise no key is sent,
   * because some servers refuse unknown fields.
   */
  readonly cacheKeyIn?: string | undefined;
  /**
   * The data that the server requires in replies with calls, and that replies of other models lack. `field`
   * is a `reasoning_content`, `signature` a thought signature. Defaults to `field` for `deepseek` and `kimi`,
   * and to `signature` for `gemini`. Otherwise defaults to the data that the server sent in the conversation,
   * and to `field` after it refuses a request without one.
   */
  readonly wantsThoughts?: 'field' | 'signature' | undefined;
  /**
   * The files that the model accepts in messages. The adapter can send images, PDF, WAV and MP3, and images
   * also as URLs. Defaults to unknown. The lists of `result` must be empty, because results are sent as text.
   */
  readonly media?: ModelMedia | undefined;
}

/** `openaiCompatible` with an injected clock and random source, for tests. Throws the same errors. */
export const createOpenaiCompatible = (options: OpenaiCompatibleOptions, pace: RetryClock): ChatModel => {
  literals?.refuse(TypeError, literals.serverProblem(options, OUR_FIELDS, Object.keys(SERVERS)));
  const { model, headers = {}, timeout, retries = DEFAULT_RETRIES, extraBody } = options;
  // Pasted secrets often end with a line break.
  const apiKey = options.apiKey?.trim() || undefined;
  const endpoint: Endpoint = {
    url: parseUrl(options),
    headers: parseHeaders(apiKey, headers),
    fetch: options.fetch ?? ((url, request) => fetch(url, request)),
    now: pace.now,
  };
  const known = getServerTraits(options.server);
  const manner = {
    model,
    limitParameter: options.limitParameter ?? known.limitParameter,
    extraBody,
    keyPlace: options.cacheKeyIn ?? known.cacheKeyIn,
    wantsThoughts: options.wantsThoughts ?? known.wantsThoughts,
  };
  const traits = readTraits(options, 'result.data', 'result.url');
  const { maxOutputTokens } = traits;
  const gate = createMessageSanitizer(createSecretRedactor(apiKey, headers));
  const toWork = createSender(endpoint, manner);
  const settings = { timeout, retries, gate, pace };
  return {
    name: model,
    provider: new URL(endpoint.url).host,
    ...traits,
    heedsToolChoice: true,
    ...(manner.keyPlace !== undefined && { caches: true as const }),
    async ask(request, asked) {
      const work = toWork({ maxOutputTokens, ...request });
      return askWithRetries(settings, request, { ...asked, work });
    },
  };
};

type BodyFormat = Parameters<typeof toRequestBody>[0];

interface SenderSettings extends Omit<BodyFormat, 'limitParameter'> {
  readonly keyPlace?: string | undefined;
  /** Absent until it is detected. */
  readonly limitParameter?: LimitParameter | undefined;
}

/**
 * Creates a function that prepares the work of one model call. If the server refuses an optional field, the
 * same attempt repeats the request without it, or with the field that the server names. The adapter remembers
 * if a server refuses to count tokens in streams.
 */
const createSender = (endpoint: Endpoint, { keyPlace, ...others }: SenderSettings) => {
  let knowsUsage = true;
  let { wantsThoughts, limitParameter } = others;
  return (request: ModelRequest) => {
    const { to, keyFields } = withCacheKey(endpoint, keyPlace, request);
    const manner = { ...others, keyFields };
    let sent = request;
    let asksUsage = knowsUsage;
    const createBody = () => {
      const learned = { asksUsage, wantsThoughts, limitParameter: limitParameter ?? 'max_tokens' };
      return toRequestBody({ ...manner, ...learned }, sent);
    };
    let body = createBody();
    return async (attempt: OpenAttempt): Promise<ModelReply> => {
      for (;;) {
        try {
          return await askOnce(to, body, attempt);
        } catch (failure) {
          if (asksUsage && isFieldRefused(failure, 'stream_options')) asksUsage = false;
          else if (!wantsThoughts && isFieldRefused(failure, 'reasoning_content')) wantsThoughts = 'field';
          else if (!limitParameter && isFieldRefused(failure, 'max_completion_tokens'))
            limitParameter = 'max_completion_tokens';
          else if (isCallForbidden(sent) && isFieldRefused(failure, 'tool_choice'))
            sent = { ...sent, tools: [] };
          else throw failure;
          knowsUsage &&= asksUsage;
          body = createBody();
        }
      }
    };
  };
};

/**
 * Returns whether a server refused a request because of a present or missing field. The error message must
 * name the field.
 */
const isFieldRefused = (failure: unknown, field: string): boolean =>
  failure instanceof ModelError &&
  failure.failure !== 'context-length' &&
  (failure.status === 400 || failure.status === 422) &&
  failure.message.includes(field);

/** Returns whether the request has tools but forbids calls. The request also works without tools. */
const isCallForbidden = ({ tools, settings }: ModelRequest): boolean =>
  tools.length > 0 && settings?.toolChoice === 'none';

/** Parses the base URL. Error messages omit its value, because a URL can contain a password. */
const parseUrl = ({ baseURL }: OpenaiCompatibleOptions): string => {
  const url = URL.parse(baseURL);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new TypeError("'baseURL' must be an http or https URL.");
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(
      "'baseURL' contains a user name or password. Pass credentials as 'apiKey' or 'headers'.",
    );
  }
  url.hash = '';
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  return url.href;
};

const parseHeaders = (apiKey: string | undefined, headers: Readonly<Record<string, string>>): Headers => {
  try {
    const all = new Headers({ 'content-type': 'application/json' });
    if (apiKey !== undefined) all.set('authorization', `Bearer ${apiKey}`);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return all;
  } catch {
    throw new TypeError("'apiKey' or 'headers' contains a character that HTTP does not allow in a header.");
  }
};

/** Creates a function that removes the key and the values of headers from a message. */
const createSecretRedactor = (
  apiKey: string | undefined,
  headers: Readonly<Record<string, string>>,
): ((message: string) => string) => {
  const values = Object.values(headers);
  // A server can quote `Bearer abc` as `abc`.
  const fromHeaders = [...values, ...values.flatMap((value) => value.split(/[\s,;=]+/))];
  const secrets = [apiKey ?? '', ...fromHeaders.filter((value) => value.length >= MIN_SECRET_CHARACTERS)]
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length);
  return (message) => secrets.reduce((text, secret) => text.replaceAll(secret, '[secret]'), message);
};

const MIN_SECRET_CHARACTERS = 4;

/**
 * Adds the headers of a request, and the key of the conversation, as a field or a header. A header set for all
 * requests takes precedence.
 */
function withCacheKey(
  endpoint: Endpoint,
  place: string | undefined,
  { cache, headers: added }: ModelRequest,
): { readonly to: Endpoint; readonly keyFields?: Readonly<Record<string, string>> } {
  const pair = place === undefined || cache?.key === undefined ? undefined : { [place]: cache.key };
  const keyFields = pair && !/^x-/i.test(place ?? '') ? pair : undefined;
  const own = keyFields ? added : { ...added, ...pair };
  if (!added && !pair) return { to: endpoint };
  const headers = new Headers(own);
  for (const [name, value] of endpoint.headers) headers.set(name, value);
  return { to: { ...endpoint, headers }, ...(keyFields && { keyFields }) };
}
