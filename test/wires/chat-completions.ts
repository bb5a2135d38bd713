/**
 * The strict server of chat completions, `POST .../chat/completions`, as JSON and as a stream, in the dialects of the
 * providers that give more than text and calls and want it back.
 */
import { notAsGiven } from './as-given.ts';
import { type ChatDialectName, type DialectOptions, dialectOf } from './chat-dialects.ts';
import { callsOf, checkMessages, type Dialect, type GivenCall } from './chat-messages.ts';
import {
  eventStream,
  fingerprint,
  isRecord,
  jsonResponse,
  piecesOf,
  Refused,
  repliesOf,
  replyAfter,
  type Script,
  type ScriptedReply,
  type StreamEvent,
  strictWire,
  type Wire,
} from './wire.ts';

/** How a wire of this API differs from what its dialect does by itself. */
export interface ChatCompletionsOptions extends DialectOptions {
  /** Wants the arguments of calls back byte for byte; otherwise equal JSON is enough. */
  readonly exactArguments?: boolean;
}

/** An API of chat completions in one of its dialects, answered from a script. */
export function chatCompletionsWire(
  script: Script,
  dialectName: ChatDialectName,
  options: ChatCompletionsOptions = {},
): Wire {
  const replies = repliesOf(script);
  const dialect = dialectOf(dialectName, replies, options);
  return strictWire({
    name: `chat completions (${dialectName})`,
    errorBody: dialect.errorBody,
    answer({ url, body }) {
      if (!url.pathname.endsWith('/chat/completions')) throw new Refused(404, `Not found: ${url.pathname}`);
      if (!isRecord(body) || !Array.isArray(body.messages)) throw notAsGiven('a request has `messages`.');
      const count = checkMessages({
        messages: body.messages,
        replies,
        dialect,
        exactArguments: options.exactArguments ?? false,
      });
      const reply = replyAfter(replies, count);
      const head = {
        id: `chatcmpl-${fingerprint(['completion', reply.at], 24)}`,
        created: 1_764_665_845 + reply.at,
        model: body.model,
      };
      const usage = usageOf(reply, JSON.stringify(body.messages).length);
      if (body.stream === true) return eventStream(chunksOf(reply, { head, usage, dialect }));
      const message = messageOf(reply, dialect);
      const choices = [{ index: 0, message, logprobs: null, finish_reason: finishOf(reply) }];
      return jsonResponse({ ...head, object: 'chat.completion', choices, usage });
    },
  });
}

function messageOf(reply: ScriptedReply, dialect: Dialect): unknown {
  const calls = callsOf(reply).map((call, index) => ({ index, ...call, ...dialect.ofCall(reply, index) }));
  return {
    role: 'assistant',
    content: reply.text === '' ? null : reply.text,
    ...dialect.ofMessage(reply),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

const finishOf = ({ calls }: ScriptedReply) => (calls.length > 0 ? 'tool_calls' : 'stop');

/** Four characters are a token; half of what was there before is read from the cache. */
function usageOf({ at, thinking, text, calls }: ScriptedReply, sent: number) {
  const prompt = Math.ceil(sent / 4);
  const cached = at === 0 ? 0 : Math.floor(prompt / 2);
  const reasoning = Math.ceil(thinking.length / 4);
  const completion = reasoning + Math.ceil((text.length + JSON.stringify(calls).length) / 4);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

interface Chunked {
  readonly head: Readonly<Record<string, unknown>>;
  readonly usage: unknown;
  readonly dialect: Dialect;
}

/** The stream of a reply: what it thinks, what it says, its calls in pieces, how it ended, what it took. */
function chunksOf(reply: ScriptedReply, { head, usage, dialect }: Chunked): StreamEvent[] {
  const chunk = (delta: unknown, finish: string | null = null) => ({
    data: {
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    },
  });
  return [
    ...dialect
      .deltas(reply)
      .map((delta, index) => chunk(index === 0 ? { role: 'assistant', ...delta } : delta)),
    ...piecesOf(reply.text).map((content) => chunk({ content })),
    ...callsOf(reply).flatMap((call, index) =>
      callDeltas(call, { index, more: dialect.ofCall(reply, index) }).map((delta) => chunk(delta)),
    ),
    chunk({ content: '' }, finishOf(reply)),
    { data: { ...head, object: 'chat.completion.chunk', choices: [], usage } },
    { data: '[DONE]' },
  ];
}

function callDeltas(call: GivenCall, { index, more }: { index: number; more: object }): unknown[] {
  const begun = { index, ...call, function: { ...call.function, arguments: '' }, ...more };
  return [
    { tool_calls: [begun] },
    ...piecesOf(call.function.arguments, 9).map((piece) => ({
      tool_calls: [{ index, function: { arguments: piece } }],
    })),
  ];
}
