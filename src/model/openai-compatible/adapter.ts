import { literals } from '../../tool/literals.ts';
import {
  type AdapterOptions,
  askPatiently,
  DEFAULT_RETRIES,
  type OpenAttempt,
  traitsOf,
} from '../ask-patiently.ts';
import {
  type ChatModel,
  ModelError,
  type ModelMedia,
  type ModelReply,
  type ModelRequest,
} from '../chat-model.ts';
import { createMessageGate } from '../message-gate.ts';
import type { Pace } from '../retry.ts';
import { askOnce, type Endpoint, type Fetch } from './ask-once.ts';
import { type ExtraBody, type LimitParameter, OUR_FIELDS, toRequestBody } from './request-body.ts';
import { SERVERS, type ServerName, serverTraits } from './servers.ts';

/** Where a server that speaks OpenAI's chat completions is, and how to ask it. */
export interface OpenaiCompatibleOptions extends AdapterOptions {
  /** Such as `https://api.openai.com/v1`; `/chat/completions` is added to its path. */
  readonly baseURL: string;
  /** Sent as a bearer token. */
  readonly apiKey?: string | undefined;
  /** The model's name at the server. */
  readonly model: string;
  /** Added to every request; a header given here replaces one of ours. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * JSON that is merged into the body of every request, such as `{ top_k: 40 }` or `{ thinking: { type: 'enabled' } }`. The
   * settings of a request replace what it says of the same field.
   */
  readonly extraBody?: ExtraBody | undefined;
  /** The longest silence in ms, until the response's headers and between two chunks of its body. Default 120,000. */
  readonly timeout?: number | undefined;
  /** Default: the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
  /**
   * Whose server it is, also behind a gateway, an alias or a deployment: it decides the three options below. Defaults to none of them:
   * `max_tokens`, no key, and what the server shows or refuses itself. The address decides nothing.
   */
  readonly server?: ServerName | undefined;
  /**
   * What the server calls the most tokens of a reply. Defaults to `max_completion_tokens` of `openai` and `azure`, of which most models
   * refuse the other; elsewhere to `max_tokens`, until the server refuses that and names `max_completion_tokens`.
   */
  readonly limitParameter?: LimitParameter | undefined;
  /**
   * Where the server takes a key by which the requests of one conversation meet the same cache: a field of the body, or a
   * header, whose name begins with `x-`. Defaults to `prompt_cache_key` of `openai` and `azure`, `x-grok-conv-id` of `xai` and
   * `x-session-affinity` of `workers-ai`; elsewhere no key is sent, since some servers refuse what they do not know.
   */
  readonly cacheKeyIn?: string | undefined;
  /**
   * What the server wants of replies with calls, of which those of another model have none: `field`, a `reasoning_content`;
   * `signature`, a thought signature. Defaults to `field` of `deepseek` and `kimi` and to `signature` of `gemini`; elsewhere to what the
   * server has given in the conversation, and to `field` once it has refused a request that has none.
   */
  readonly wantsThoughts?: 'field' | 'signature' | undefined;
  /**
   * Which files the model takes in messages: images, PDF, WAV and MP3 can be sent, images also by their address. Default: not
   * known. The lists of `result` must be empty, since results are told in words.
   */
  readonly media?: ModelMedia | undefined;
}

/** `openaiCompatible`, with time and chance as given: for tests. Throws what it throws. */
export const pacedOpenaiCompatible = (options: OpenaiCompatibleOptions, pace: Pace): ChatModel => {
  literals?.refuse(TypeError, literals.serverProblem(options, OUR_FIELDS, Object.keys(SERVERS)));
  const { model, headers = {}, timeout, retries = DEFAULT_RETRIES, extraBody } = options;
  // Secrets are pasted with line ends.
  const apiKey = options.apiKey?.trim() || undefined;
  const endpoint: Endpoint = {
    url: parseUrl(options),
    headers: parseHeaders(apiKey, headers),
    fetch: options.fetch ?? ((url, request) => fetch(url, request)),
    now: pace.now,
  };
  const known = serverTraits(options.server);
  const manner = {
    model,
    limitParameter: options.limitParameter ?? known.limitParameter,
    extraBody,
    keyPlace: options.cacheKeyIn ?? known.cacheKeyIn,
    wantsThoughts: options.wantsThoughts ?? known.wantsThoughts,
  };
  const traits = traitsOf(options, 'result.data', 'result.url');
  const { maxOutputTokens } = traits;
  const gate = createMessageGate(blotSecrets(apiKey, headers));
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
      return askPatiently(settings, request, { ...asked, work });
    },
  };
};

type BodyManner = Parameters<typeof toRequestBody>[0];

interface Manner extends Omit<BodyManner, 'limitParameter'> {
  readonly keyPlace?: string | undefined;
  /** Absent: it is found out. */
  readonly limitParameter?: LimitParameter | undefined;
}

/**
 * Makes what makes the work of an ask. A request is sent anew, in the same attempt, without a field that its server refuses and
 * that we can do without, or with the one that it asks for instead; to count the tokens of streams a server that has refused it is not asked again.
 */
const createSender = (endpoint: Endpoint, { keyPlace, ...others }: Manner) => {
  let knowsUsage = true;
  let { wantsThoughts, limitParameter } = others;
  return (request: ModelRequest) => {
    const { to, keyFields } = keyed(endpoint, keyPlace, request);
    const manner = { ...others, keyFields };
    let sent = request;
    let asksUsage = knowsUsage;
    const bodyOf = () => {
      const learned = { asksUsage, wantsThoughts, limitParameter: limitParameter ?? 'max_tokens' };
      return toRequestBody({ ...manner, ...learned }, sent);
    };
    let body = bodyOf();
    return async (attempt: OpenAttempt): Promise<ModelReply> => {
      for (;;) {
        try {
          return await askOnce(to, body, attempt);
        } catch (failure) {
          if (asksUsage && refuses(failure, 'stream_options')) asksUsage = false;
          else if (!wantsThoughts && refuses(failure, 'reasoning_content')) wantsThoughts = 'field';
          else if (!limitParameter && refuses(failure, 'max_completion_tokens'))
            limitParameter = 'max_completion_tokens';
          else if (isLast(sent) && refuses(failure, 'tool_choice')) sent = { ...sent, tools: [] };
          else throw failure;
          knowsUsage &&= asksUsage;
          body = bodyOf();
        }
      }
    };
  };
};

/** Whether a server has refused a request because of the fields that it has or lacks, and says so by the name of this one. */
const refuses = (failure: unknown, field: string): boolean =>
  failure instanceof ModelError &&
  failure.failure !== 'context-length' &&
  (failure.status === 400 || failure.status === 422) &&
  failure.message.includes(field);

/** The model is shown tools that it must not call: it may as well be shown none. */
const isLast = ({ tools, settings }: ModelRequest): boolean =>
  tools.length > 0 && settings?.toolChoice === 'none';

/** The messages of these errors leave out the values: a URL may hold a password, and a header is a secret. */
const parseUrl = ({ baseURL }: OpenaiCompatibleOptions): string => {
  const url = URL.parse(baseURL);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new TypeError("'baseURL' is not an http or https URL.");
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(
      "'baseURL' holds a user name or password; give credentials as 'apiKey' or 'headers'.",
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
    throw new TypeError("'apiKey' or 'headers' holds a character that HTTP does not allow in a header.");
  }
};

/** Makes what takes the key and the values of headers out of a message. */
const blotSecrets = (
  apiKey: string | undefined,
  headers: Readonly<Record<string, string>>,
): ((message: string) => string) => {
  const values = Object.values(headers);
  // `Bearer abc` may come back as `abc`.
  const fromHeaders = [...values, ...values.flatMap((value) => value.split(/[\s,;=]+/))];
  const secrets = [apiKey ?? '', ...fromHeaders.filter((value) => value.length >= SHORTEST_SECRET)]
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length);
  return (message) => secrets.reduce((text, secret) => text.replaceAll(secret, '[secret]'), message);
};

const SHORTEST_SECRET = 4;

/** Where a request is sent with the key of its conversation: in a header, unless one was given for all requests, or in a field. */
function keyed(
  endpoint: Endpoint,
  place: string | undefined,
  { cache }: ModelRequest,
): { readonly to: Endpoint; readonly keyFields?: Readonly<Record<string, string>> } {
  if (place === undefined || cache?.key === undefined) return { to: endpoint };
  if (!/^x-/i.test(place)) return { to: endpoint, keyFields: { [place]: cache.key } };
  const headers = new Headers(endpoint.headers);
  if (!headers.has(place)) headers.set(place, cache.key);
  return { to: { ...endpoint, headers } };
}
