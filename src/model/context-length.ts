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
  for (const wording of WORDINGS) {
    const match = wording.exec(plain);
    if (match) return lengthIn(match.groups ?? {});
  }
  return CODES.test(details) ? {} : undefined;
}

/** A reply that fills the window by itself is no fault of the conversation. */
function lengthIn(told: Readonly<Record<string, string | undefined>>): ToldLength | undefined {
  const [window, all, reply = 0] = [told.window, told.all, told.reply].map(numberOf);
  const sent = numberOf(told.sent) ?? (all === undefined ? undefined : all - reply);
  const most = window === undefined ? undefined : window - reply;
  if (most !== undefined && most <= 0) return undefined;
  return { sent, most };
}

const numberOf = (digits: string | undefined): number | undefined =>
  digits === undefined ? undefined : Number(digits);

/** Servers say it at once; what is longer repeats what they were sent. */
const MAX_READ = 2_000;

/** Failures with a reason that is no conversation's length, whatever their words. */
const OTHER: ReadonlySet<ModelFailure> = new Set(['unauthorized', 'rate-limited', 'timeout']);

/** A limit on tokens in some time, or on requests: waiting helps, or more money. */
const RATES = /rate.?limit|quota|tokens per (?:min|day)|\bTPM\b|please wait/i;

/** The same as a code or a type of an error. */
const CODES = /context_length_exceeded|exceed_context_size_error|request_too_large/;

/**
 * How servers say that a request does not fit the model, one wording a line. `sent` is the request without the reply, `all`
 * with it; `window` is what the model reads and writes at the most, and `reply` the part of it that is kept for the reply.
 */
const WORDINGS: readonly RegExp[] = [
  // OpenAI, and in its words vLLM, DeepSeek, OpenRouter and many others.
  /maximum context length is (?<window>\d+) tokens\b.*?resulted in (?<sent>\d+) tokens/,
  /maximum context length is (?<window>\d+) tokens\b.*?requested (?:about )?(?<all>\d+) tokens\b.*?(?<reply>\d+) (?:in|for) the (?:completion|output)/,
  /exceed the configured limit of (?<window>\d+) tokens\b.*?resulted in (?<sent>\d+) tokens/,
  // vLLM. Where it says "at least" it has stopped counting.
  /maximum context length is (?<window>\d+) tokens\b.*?requested (?<reply>\d+) output tokens and your prompt contains (?:at least \d+|(?<sent>\d+)) input tokens/,
  /maximum context length is (?<window>\d+) tokens and your request has (?<sent>\d+) input tokens \((?<reply>\d+)/,
  /maximum context length is (?<window>\d+) tokens\b.*?your request has (?<sent>\d+) (?:input )?tokens/,
  /prompt \(length (?<sent>\d+)\) is longer than the maximum model length of (?<window>\d+)/,
  // SGLang, also behind Workers AI.
  /maximum context length of (?<window>\d+) tokens\b.*?(?<sent>\d+) tokens from the input messages and (?<reply>\d+) tokens for the completion/,
  /input \((?<sent>\d+) tokens\) is longer than the model's context length \((?<window>\d+) tokens\)/,
  // Workers AI.
  /input and maximum output tokens \((?<all>\d+)\) exceeded this model context window limit \((?<window>\d+)\)/,
  // Anthropic; the second also through Bedrock.
  /input length and `?max_tokens`? exceed context limit: (?<sent>\d+) \+ (?<reply>\d+) > (?<window>\d+)/,
  /prompt is too long(?:: (?<sent>\d+) tokens > (?<window>\d+) maximum)?/,
  /input is too long for requested model/,
  // Llama through Bedrock.
  /maximum context length is (?<window>\d+) tokens\. please reduce the length/,
  // Gemini, by its own API and by Vertex.
  /input token count(?: \((?<sent>\d+)\))?\s+exceeds the maximum number of tokens allowed \(?(?<window>\d+)/,
  /input token count is (?<sent>\d+) but (?:the )?model only supports up to (?<window>\d+)/,
  // llama.cpp, which Ollama and LM Studio run, and these two.
  /request(?: \((?<sent>\d+) tokens\))? exceeds the available context size(?: \((?<window>\d+) tokens\))?/,
  /requested tokens \((?<all>\d+)\) exceed context window of (?<window>\d+)/,
  /prompt too long; exceeded (?:max )?context length/,
  /keep the first (?<sent>\d+) tokens when context the overflows\b.*?context length of only (?<window>\d+) tokens/,
  /greater than the context length(?: \(n_keep: (?<sent>\d+) >= n_ctx: (?<window>\d+)\))?/,
  /context size has been exceeded/,
  // Mistral, xAI, Cerebras, Groq, Moonshot, MiniMax, Alibaba, text-generation-inference.
  /prompt contains (?<sent>\d+) tokens\b.*?too large for model with (?<window>\d+) maximum context length/,
  /maximum prompt length is (?<window>\d+) but the request contains (?<sent>\d+) tokens/,
  /reduce the length of the messages or completion\. current length is (?<sent>\d+) while limit is (?<window>\d+)/,
  /reduce the length of the messages/,
  /exceeded model token limit: (?<window>\d+) \(requested: (?<sent>\d+)\)/,
  /range of input length should be \[1, (?<window>\d+)\]/,
  /tokens \+ `?max_new_tokens`? must be <= (?<window>\d+)\. given: (?<sent>\d+) `?inputs`? tokens and (?<reply>\d+)/,
  // What is left of them in sentences that nobody knows yet.
  /maximum (?:context|prompt) length is (?<window>\d+)/,
  /too large for model with (?<window>\d+) maximum context length/,
  /exceeds the context window|context window exceeds limit|available context size|exceeded model token limit/,
  /input token count.*?exceeds the maximum/,
];
