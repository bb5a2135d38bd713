import { ModelError, type ModelFailure, type RequestLength } from './chat-model.ts';
import { isTransient, MAX_RETRY_WAIT_MS } from './retry.ts';
import { isRecord, isScalar, type UntrustedRecord } from './untrusted-json.ts';

/** A server's error besides its status. */
interface ServerErrorInfo {
  readonly words: string;
  /** The code and type of its error, and other details of the reason. */
  readonly details?: string | undefined;
  /** The wait that it asks for, in ms. `Infinity` if no wait helps. */
  readonly retryAfter?: number | undefined;
}

/** Returns the error for a response whose status is not 2xx. */
export const createStatusError = (
  status: number,
  { words, details, retryAfter }: ServerErrorInfo,
): ModelError => {
  const failure = toStatusFailure(status);
  const start = `The model's server answered ${status}`;
  const length = readRequestLength(failure, words, details);
  if (length) return new ModelError('context-length', joinSentence(start, words), { status, length });
  const isLong = retryAfter !== undefined && retryAfter > MAX_RETRY_WAIT_MS && Number.isFinite(retryAfter);
  if (!isLong || !isTransient(failure))
    return new ModelError(failure, joinSentence(start, words), { status });
  const wait = `${start} and asks to wait ${Math.ceil(retryAfter / 1000)} s`;
  return new ModelError('rate-limited', joinSentence(wait, words), { status });
};

/**
 * Returns the error that a server reports in a response with status 200, as gateways do if a stream breaks
 * upstream.
 */
export const findReportedError = (value: UntrustedRecord): ModelError | undefined => {
  const report = value.object === 'error' ? value : value.error;
  // Some servers send `null` or an empty text with every chunk.
  if (report === undefined || report === null || report === '') return undefined;
  const { failure, status } = toReportFailure(isRecord(report) ? report : {});
  const words = getErrorWords(report);
  const length = readRequestLength(failure, words, getErrorDetails(report));
  const told = joinSentence("The model's server reported an error", words);
  const retryAfter = isCreditExhausted(report) ? Infinity : undefined;
  return new ModelError(length ? 'context-length' : failure, told, { status, retryAfter, length });
};

/** Returns a server's own error text from the usual formats, or an empty string. */
export const getErrorWords = (body: unknown): string => {
  if (typeof body === 'string') return body;
  if (!isRecord(body)) return '';
  if (body.error !== undefined && body.error !== null) return getErrorWords(body.error);
  const words = [body.message, body.detail].find((value) => typeof value === 'string');
  return typeof words === 'string' ? words : '';
};

/**
 * Returns the details of a server's error besides its text, from the same formats. A gateway's error includes
 * that of the server behind it.
 */
export const getErrorDetails = (body: unknown): string => {
  const { type, code, metadata } = getErrorReport(body);
  const behind = isRecord(metadata) ? metadata.raw : undefined;
  return [type, code, behind].filter(isScalar).join(' ');
};

/** The codes for an account without credit. Their status means a rate limit, but no wait helps. */
const CREDIT_CODE = /^(insufficient_quota|billing_)/;

/** Returns whether a server's error means that the account has no credit left. */
export const isCreditExhausted = (body: unknown): boolean => {
  const { code, type } = getErrorReport(body);
  return [code, type].some((word) => typeof word === 'string' && CREDIT_CODE.test(word));
};

/** Returns our sentence, followed by the server's text if there is any. */
export const joinSentence = (start: string, words: string): string =>
  words.trim() === '' ? `${start}.` : `${start}: ${words.trim()}`;

/** Returns the error report, which is the body itself or under `error`. Empty for any other body. */
const getErrorReport = (body: unknown): UntrustedRecord => {
  if (!isRecord(body)) return {};
  return isRecord(body.error) ? body.error : body;
};

/** Returns the kind of failure for an HTTP status other than 2xx. */
const toStatusFailure = (status: number): ModelFailure => {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 408) return 'timeout';
  if (status === 429) return 'rate-limited';
  return status >= 500 || status === 409 ? 'server-error' : 'bad-request';
};

const toReportFailure = (report: UntrustedRecord): { failure: ModelFailure; status?: number } => {
  const [code, stated, called, type] = [report.code, report.status, report.statusCode, report.type].map(
    (value) => (isScalar(value) ? String(value) : ''),
  );
  const status = [code, stated, called].map(Number).find((number) => number >= 400 && number <= 599);
  if (status !== undefined) return { failure: toStatusFailure(status), status };
  const kind = `${type} ${code}`;
  if (kind.includes('rate_limit') || isCreditExhausted(report)) return { failure: 'rate-limited' };
  return { failure: kind.includes('invalid_request') ? 'bad-request' : 'server-error' };
};

/**
 * Returns the lengths that a server's error reports for a request that was too long. Returns `undefined` for
 * any other error. `details` holds the code, the type and the text of a server behind it.
 */
export function readRequestLength(
  failure: ModelFailure,
  words: string,
  details = '',
): RequestLength | undefined {
  const said = `${words.slice(0, MAX_READ_CHARACTERS)} ${details.slice(0, MAX_READ_CHARACTERS)}`;
  if (NON_LENGTH_FAILURES.has(failure) || RATE_LIMIT_WORDS.test(said)) return undefined;
  const plain = said
    .toLowerCase()
    .replace(/(?<=\d),(?=\d{3})/g, '')
    // Longer numbers are not token counts. They can come from the request, and would make the search
    // quadratic.
    .replace(/\d{10,}/g, '')
    .replace(/\s+/g, ' ');
  if (!TOO_LONG_PATTERN.test(plain)) return TOO_LONG_CODE_PATTERN.test(details) ? {} : undefined;
  const [window, all, reply = 0] = [WINDOW_TOKENS_PATTERN, TOTAL_TOKENS_PATTERN, REPLY_TOKENS_PATTERN].map(
    (count) => matchNumber(plain, count),
  );
  const sent = matchNumber(plain, REQUEST_TOKENS) ?? (all === undefined ? undefined : all - reply);
  const most = window === undefined ? undefined : window - reply;
  // If the reply alone fills the window, the conversation is not too long.
  return most !== undefined && most <= 0 ? undefined : { sent, most };
}

function matchNumber(words: string, count: RegExp): number | undefined {
  const digits = count.exec(words)?.slice(1).find(Boolean);
  return digits === undefined ? undefined : Number(digits);
}

/**
 * The maximum number of characters to read. Servers state the reason first, and longer text repeats the
 * request.
 */
const MAX_READ_CHARACTERS = 2_000;

/** Failures that never concern the length of a conversation, even if their text suggests it. */
const NON_LENGTH_FAILURES: ReadonlySet<ModelFailure> = new Set(['unauthorized', 'rate-limited', 'timeout']);

/** A rate limit on tokens or requests. A wait or a higher quota helps. */
const RATE_LIMIT_WORDS = /rate.?limit|quota|tokens per (?:min|day)|\bTPM\b|please wait/i;

/** The codes and types of errors for requests that are too long. */
const TOO_LONG_CODE_PATTERN = /context_length_exceeded|exceed_context_size_error|request_too_large/;

/**
 * Messages for requests that are too long: OpenAI and servers with its texts (vLLM, DeepSeek, OpenRouter),
 * vLLM, SGLang, Workers AI, Anthropic and Llama through Bedrock, Gemini, llama.cpp, Ollama, LM Studio,
 * Mistral, xAI, Cerebras, Groq, Moonshot, MiniMax, Alibaba, text-generation-inference.
 */
const TOO_LONG_PATTERN = new RegExp(
  [
    'maximum (?:context|prompt|model) length (?:is|of) \\d',
    'exceed the configured limit of \\d+ tokens\\b.*?resulted in',
    "longer than the model's context length",
    'context window (?:limit|exceeds)',
    'exceed context limit:',
    'prompt is too long',
    'input is too long for requested model',
    'input token count.*?(?:exceeds the maximum|only supports up to)',
    'available context size',
    'exceeds? (?:the )?context window',
    'prompt too long; exceeded',
    'when context the overflows',
    'than the context length',
    'context size has been exceeded',
    'too large for model with \\d+ maximum context length',
    'reduce the length of the messages',
    'exceeded model token limit',
    'range of input length should be',
    'tokens \\+ `?max_new_tokens`? must be <=',
  ].join('|'),
);

/** The number of tokens in the context window. */
const WINDOW_TOKENS_PATTERN =
  /(?:(?:context|prompt|model) length(?: is| of(?: only)?)?|configured limit of|context size|window (?:limit|of)|up to|tokens allowed|token limit:|limit is|\[1,|must be <=|model with|n_ctx:|>)[ (]+(\d+)/;

/** The number of tokens in the request, without the reply. */
const REQUEST_TOKENS =
  /(?:resulted in|request has|contains|keep the first|n_keep:|current length is|requested:|given:|too long:|context limit:|token count(?: is)?|prompt \(length)[ (]+(\d+)|(?:input|request) \((\d+) tokens|(\d+) tokens from the input/;

/** The number of tokens in the request and the reply. */
const TOTAL_TOKENS_PATTERN = /requested (?:about |tokens \()?(\d+)(?: tokens|\))|output tokens \((\d+)/;

/** The number of tokens reserved for the reply. */
const REPLY_TOKENS_PATTERN =
  /(\d+) (?:tokens )?(?:in|for) the (?:completion|output)|requested (\d+) output|\+ (\d+) >|input tokens \((\d+)|tokens and (\d+)/;
