/**
 * The strict server of chat completions, `POST .../chat/completions`, as JSON and as a stream. Its dialects
 * are those of providers that send data beyond text and calls, and require clients to return it.
 */
import { computeNextReply } from './calls.ts';
import { type ChatDialectName, createDialect, type DialectOptions } from './chat-completions/dialects.ts';
import { checkMedia, collectFiles } from './chat-completions/media.ts';
import { checkMessages, createCalls, type Dialect, type WireCall } from './chat-completions/messages.ts';
import { hashFiles, type SentFile } from './files.ts';
import {
  computeFingerprint,
  createEventStream,
  createJsonResponse,
  createOwnRefusal,
  createStrictWire,
  isRecord,
  listReplies,
  RefusalError,
  type Script,
  type ScriptedReply,
  type StreamEvent,
  splitText,
  type Wire,
} from './wire.ts';

export type { ChatDialectName } from './chat-completions/dialects.ts';

export interface ChatCompletionsWireOptions extends DialectOptions {
  readonly script: Script;
  readonly dialect: ChatDialectName;
  /** If `true`, a conversation may start after the first reply, because earlier messages were summarized. */
  readonly mayOmitBeginning?: boolean;
  /** If `true`, the arguments of calls must be returned byte for byte. Otherwise, equal JSON is enough. */
  readonly exactArguments?: boolean;
}

/** Creates a chat completions API in one of its dialects, with scripted replies. */
export function createChatCompletionsWire(options: ChatCompletionsWireOptions): Wire {
  const { script, dialect: name, seed = name, mayOmitBeginning = false, exactArguments = false } = options;
  const replies = listReplies(script);
  const dialect = createDialect(name, replies, options);
  return createStrictWire({
    name: `chat completions (${name})`,
    errorBody: dialect.errorBody,
    answer({ url, body }) {
      if (!url.pathname.endsWith('/chat/completions'))
        throw new RefusalError(404, `Not found: ${url.pathname}`);
      if (!isRecord(body) || !Array.isArray(body.messages))
        throw createOwnRefusal('a request has `messages`');
      const messages: readonly unknown[] = body.messages;
      checkMedia(messages, dialect.media);
      const count = checkMessages({
        messages,
        seed,
        replies,
        dialect,
        mayOmitBeginning,
        exactArguments,
      });
      const reply = computeNextReply(replies, count, {
        tools: listToolNames(body),
        toolChoice: body.tool_choice,
      });
      const completion = {
        reply,
        calls: createCalls(reply, seed).map((call, index) => ({ ...call, ...dialect.ofCall(reply, index) })),
        head: {
          id: `chatcmpl-${computeFingerprint(['completion', seed, reply.at], 24)}`,
          created: 1_764_665_845 + reply.at,
          model: body.model,
        },
        usage: computeUsage(reply, JSON.stringify(messages).length),
        dialect,
      };
      return body.stream === true
        ? createEventStream(createChunks(completion))
        : createJsonResponse(createCompletion(completion));
    },
  });
}

/** Returns the files in a request to this wire, in order. */
export const readChatFiles = (body: unknown): Promise<readonly SentFile[]> =>
  hashFiles(collectFiles(isRecord(body) && Array.isArray(body.messages) ? body.messages : []));

function listToolNames({ tools }: Readonly<Record<string, unknown>>): ReadonlySet<unknown> {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [];
  return new Set(
    list.map((tool) => (isRecord(tool) && isRecord(tool.function) ? tool.function.name : undefined)),
  );
}

/** A reply with the data that its response also contains. */
interface Completion {
  readonly reply: ScriptedReply;
  readonly calls: readonly WireCall[];
  readonly head: Readonly<Record<string, unknown>>;
  readonly usage: unknown;
  readonly dialect: Dialect;
}

function createCompletion({ reply, calls, head, usage, dialect }: Completion): unknown {
  const message = {
    role: 'assistant',
    content: reply.text === '' ? null : reply.text,
    ...dialect.ofMessage(reply),
    ...(calls.length > 0 && { tool_calls: calls.map((call, index) => ({ index, ...call })) }),
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: getFinishReason(reply) }];
  return { ...head, object: 'chat.completion', choices, usage };
}

const getFinishReason = ({ calls }: ScriptedReply) => (calls.length > 0 ? 'tool_calls' : 'stop');

/** Computes usage. Four characters count as a token, and half of the earlier content is read from the cache. */
function computeUsage({ at, thinking, text, calls }: ScriptedReply, sent: number) {
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

/** Returns the stream of a reply: its thinking, its text, its calls in pieces, its end and its usage. */
function createChunks({ reply, calls, head, usage, dialect }: Completion): StreamEvent[] {
  const object = 'chat.completion.chunk';
  const createChunk = (delta: unknown, finish: string | null = null) => ({
    data: { ...head, object, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] },
  });
  const [first, ...thoughts] = dialect.deltas(reply);
  return [
    createChunk({ role: 'assistant', ...first }),
    ...thoughts.map((delta) => createChunk(delta)),
    ...splitText(reply.text).map((content) => createChunk({ content })),
    ...calls.flatMap(callDeltas).map((delta) => createChunk(delta)),
    createChunk({ content: '' }, getFinishReason(reply)),
    { data: { ...head, object, choices: [], usage } },
    { data: '[DONE]' },
  ];
}

function callDeltas(call: WireCall, index: number): unknown[] {
  const { arguments: text } = call.function;
  return [
    { tool_calls: [{ index, ...call, function: { ...call.function, arguments: '' } }] },
    ...splitText(text, 9).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}
