import { ModelError, type ModelFailure, type ToldLength } from './chat-model.ts';
import { LONGEST_WAIT, mayPass } from './retry.ts';
import { isRecord, isScalar, type UntrustedRecord } from './untrusted-json.ts';

/** What a server says beside its status. */
interface ServerWords {
  readonly words: string;
  /** The code and the type of its error, and what else tells the reason. */
  readonly details?: string | undefined;
  /** The wait that it asks for, in ms; `Infinity`: none helps. */
  readonly retryAfter?: number | undefined;
}

/** The error for an answer whose status is not 2xx. */
export const errorOfStatus = (status: number, { words, details, retryAfter }: ServerWords): ModelError => {
  const failure = failureOfStatus(status);
  const start = `The model's server answered ${status}`;
  const length = toldLength(failure, words, details);
  if (length) return new ModelError('context-length', sentence(start, words), { status, length });
  const isLong = retryAfter !== undefined && retryAfter > LONGEST_WAIT && Number.isFinite(retryAfter);
  if (!isLong || !mayPass(failure)) return new ModelError(failure, sentence(start, words), { status });
  const wait = `${start} and asks to wait ${Math.ceil(retryAfter / 1000)} s`;
  return new ModelError('rate-limited', sentence(wait, words), { status });
};

/** The error that a server reports inside an answer with status 200, as gateways do when a stream breaks upstream. */
export const reportedError = (value: UntrustedRecord): ModelError | undefined => {
  const report = value.object === 'error' ? value : value.error;
  // Some servers send `null` or an empty text with every chunk.
  if (report === undefined || report === null || report === '') return undefined;
  const { failure, status } = failureOfReport(isRecord(report) ? report : {});
  const words = errorWords(report);
  const length = toldLength(failure, words, errorDetails(report));
  const told = sentence("The model's server reported an error", words);
  const retryAfter = isUsedUp(report) ? Infinity : undefined;
  return new ModelError(length ? 'context-length' : failure, told, { status, retryAfter, length });
};

/** A server's own words, from the shapes that servers use; empty when there are none. */
export const errorWords = (body: unknown): string => {
  if (typeof body === 'string') return body;
  if (!isRecord(body)) return '';
  if (body.error !== undefined && body.error !== null) return errorWords(body.error);
  const words = [body.message, body.detail].find((value) => typeof value === 'string');
  return typeof words === 'string' ? words : '';
};

/**
 * Answers what a server says of its error beside its words, from the same shapes: a gateway gives what the one behind it
 * said.
 */
export const errorDetails = (body: unknown): string => {
  const { type, code, metadata } = reportIn(body);
  const behind = isRecord(metadata) ? metadata.raw : undefined;
  return [type, code, behind].filter(isScalar).join(' ');
};

/** Servers say it when the account has nothing left: it comes as a limit of the rate, and no wait helps. */
const USED_UP = /^(insufficient_quota|billing_)/;

/** Says whether a server's error means that the account may ask no more until somebody pays. */
export const isUsedUp = (body: unknown): boolean => {
  const { code, type } = reportIn(body);
  return [code, type].some((word) => typeof word === 'string' && USED_UP.test(word));
};

/** A sentence of ours, and after it the server's own words when it had any. */
export const sentence = (start: string, words: string): string =>
  words.trim() === '' ? `${start}.` : `${start}: ${words.trim()}`;

/** The report of an error stands alone or under `error`; of anything else there is nothing to read. */
const reportIn = (body: unknown): UntrustedRecord => {
  if (!isRecord(body)) return {};
  return isRecord(body.error) ? body.error : body;
};

/** What an HTTP status other than 2xx says about the request. */
const failureOfStatus = (status: number): ModelFailure => {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 408) return 'timeout';
  if (status === 429) return 'rate-limited';
  return status >= 500 || status === 409 ? 'server-error' : 'bad-request';
};

const failureOfReport = (report: UntrustedRecord): { failure: ModelFailure; status?: number } => {
  const [code, stated, called, type] = [report.code, report.status, report.statusCode, report.type].map(
    (value) => (isScalar(value) ? String(value) : ''),
  );
  const status = [code, stated, called].map(Number).find((number) => number >= 400 && number <= 599);
  if (status !== undefined) return { failure: failureOfStatus(status), status };
  const kind = `${type} ${code}`;
  if (kind.includes('rate_limit') || isUsedUp(report)) return { failure: 'rate-limited' };
  return { failure: kind.includes('invalid_request') ? 'bad-request' : 'server-error' };
};

/**
 * Answers what a server says of the length of a request that did not fit its model; `undefined` when it refused it, or
 * failed, for another reason. `details` is what it gave beside its words: a code, a type, the words of a server behind
 * it.
 */
export function toldLength(failure: ModelFailure, words: string, details = ''): ToldLength | undefined {
  const said = `${words.slice(0, MAX_READ)} ${details.slice(0, MAX_READ)}`;
  if (OTHER.has(failure) || RATES.test(said)) return undefined;
  const plain = said
    .toLowerCase()
    .replace(/(?<=\d),(?=\d{3})/g, '')
    // No count has so many digits, but a text that was sent may, and the search would try each of its ends.
    .replace(/\d{10,}/g, '')
    .replace(/\s+/g, ' ');
  if (!TOO_LONG.test(plain)) return CODES.test(details) ? {} : undefined;
  const [window, all, reply = 0] = [WINDOW, ALL, REPLY].map((count) => numberIn(plain, count));
  const sent = numberIn(plain, SENT) ?? (all === undefined ? undefined : all - reply);
  const most = window === undefined ? undefined : window - reply;
  // A reply that fills the window by itself is no fault of the conversation.
  return most !== undefined && most <= 0 ? undefined : { sent, most };
}

function numberIn(words: string, count: RegExp): number | undefined {
  const digits = count.exec(words)?.slice(1).find(Boolean);
  return digits === undefined ? undefined : Number(digits);
}

/** Servers say it at once; what is longer repeats what they were sent. */
const MAX_READ = 2_000;

/** Failures with a reason that is no conversation's length, whatever their words. */
const OTHER: ReadonlySet<ModelFailure> = new Set(['unauthorized', 'rate-limited', 'timeout']);

/** A limit on tokens in some time, or on requests: waiting helps, or more money. */
const RATES = /rate.?limit|quota|tokens per (?:min|day)|\bTPM\b|please wait/i;

/** The same as a code or a type of an error. */
const CODES = /context_length_exceeded|exceed_context_size_error|request_too_large/;

/**
 * How servers say that a request does not fit the model: OpenAI and who says it in its words (vLLM, DeepSeek, OpenRouter), vLLM, SGLang, Workers
 * AI, Anthropic and Llama through Bedrock, Gemini, llama.cpp, Ollama, LM Studio, Mistral, xAI, Cerebras, Groq, Moonshot, MiniMax, Alibaba,
 * text-generation-inference.
 */
const TOO_LONG = new RegExp(
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

/** What the model reads and writes at the most. */
const WINDOW =
  /(?:(?:context|prompt|model) length(?: is| of(?: only)?)?|configured limit of|context size|window (?:limit|of)|up to|tokens allowed|token limit:|limit is|\[1,|must be <=|model with|n_ctx:|>)[ (]+(\d+)/;

/** The request without the reply. */
const SENT =
  /(?:resulted in|request has|contains|keep the first|n_keep:|current length is|requested:|given:|too long:|context limit:|token count(?: is)?|prompt \(length)[ (]+(\d+)|(?:input|request) \((\d+) tokens|(\d+) tokens from the input/;

/** The request with the reply. */
const ALL = /requested (?:about |tokens \()?(\d+)(?: tokens|\))|output tokens \((\d+)/;

/** The part of the window that is kept for the reply. */
const REPLY =
  /(\d+) (?:tokens )?(?:in|for) the (?:completion|output)|requested (\d+) output|\+ (\d+) >|input tokens \((\d+)|tokens and (\d+)/;
