import type { ModelFailure, ToldLength } from './chat-model.ts';

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
