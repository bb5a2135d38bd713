import type { ModelMessage, ModelRequest, OutputFormat, ToolDefinition } from '../../model/chat-model.ts';
import { hasParts, tokensOfFiles, withoutBytes } from '../../model/sent-files.ts';
import { memoized } from '../../tool/async.ts';
import type { Measured, RequestLengths } from './spending.ts';

/** How long a request is, and a number of tokens that it does not exceed. */
export interface RequestSize {
  readonly lengths: RequestLengths;
  readonly inputTokens: number;
}

/** What chat templates put around a message, and around a request; generous: they take 3 to 10. */
const AROUND_MESSAGE = 16;
const AROUND_REQUEST = 64;
/** What providers tell a model beside its tools (Anthropic: up to 530 tokens) and a form, in words of their own. */
const AROUND_TOOLS = 1_024;
const AROUND_OUTPUT = 256;

/**
 * Measures a request before it is sent. A token of the byte-level and byte-fallback tokenizers that models use stands for
 * one byte at least, so the bytes of the request's JSON, with what is put around its parts, are never fewer than its
 * tokens. That is about four times what they are in English; once a provider has counted an earlier request of the
 * conversation, its figure stands for all that is the same, and only what is new is counted in bytes.
 *
 * The system text, the tools, or the messages that were there are taken for the same when they are as long as they were.
 * Else all bytes of that part count beside the figure, which is never too few. A change that keeps a part's length is not
 * seen: then the number falls short by as many tokens as the new words have more than the old ones, at most the part's
 * bytes. Of a date or a counter those are a few, and every message that came is counted for some thirty too many.
 */
export function sizeOf(model: string, request: ModelRequest, known: Measured | undefined): RequestSize {
  const [first, ...others] = request.messages;
  const isTold = first?.role === 'system';
  const system = bytesOf(isTold ? first.text : '');
  const tools = bytesAround(request);
  const told = (isTold ? others : request.messages).map(bytesOfMessage);
  const text = sum(told);
  const lengths = { model, system, tools, messages: told.length, text };
  const all = AROUND_REQUEST + system + tools + text;
  if (known?.request.model !== model) return { lengths, inputTokens: all };
  const { request: before, inputTokens } = known;
  const since = told.length < before.messages ? text : sum(told.slice(before.messages));
  const fresh =
    (before.system === system ? 0 : system) +
    (before.tools === tools ? 0 : tools) +
    (before.text === text - since ? since : text);
  return { lengths, inputTokens: Math.min(all, inputTokens + fresh) };
}

const sum = (lengths: readonly number[]): number => lengths.reduce((all, one) => all + one, 0);

const bytesOfMessage = (message: ModelMessage): number =>
  bytesOf(jsonOf(message)) + tokensOfFiles(message) + AROUND_MESSAGE;

/** Looking at every value takes several times as long, and only messages with files need it. */
const jsonOf = (message: ModelMessage): string =>
  hasParts(message) ? JSON.stringify(message, withoutBytes) : JSON.stringify(message);

/** Lists of definitions and forms are never mutated, and outlive their requests. */
const bytesOfJson = memoized((value: readonly ToolDefinition[] | OutputFormat) => ({
  bytes: bytesOf(JSON.stringify(value)),
}));

const bytesAround = ({ tools, output }: ModelRequest): number =>
  (tools.length > 0 ? bytesOfJson(tools).bytes + tools.length * AROUND_MESSAGE + AROUND_TOOLS : 0) +
  (output ? bytesOfJson(output).bytes + AROUND_OUTPUT : 0);

const encoder = new TextEncoder();

const bytesOf = (text: string): number => encoder.encode(text).length;
