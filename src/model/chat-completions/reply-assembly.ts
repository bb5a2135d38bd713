import { ModelError, type ModelReply } from '../chat-model.ts';
import { isPlainReply, listCalls, type ReplyPart, type RequestedCall, type ToolCallPart } from '../parts.ts';
import { countUsage, type Usage } from '../prices.ts';
import { findReportedError } from '../server-error.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import {
  createInvalidReplyError,
  createLengthLimit,
  isJsonObjectText,
  readList,
  readString,
  requireRecord,
  toJsonText,
  withUniqueIds,
} from '../untrusted-reply.ts';
import { createFieldAssembly, KEPT_FIELDS, mergeField, toProviderData } from './kept-fields.ts';

/** Assembles one reply from the chunks of a stream, or from one whole completion. */
export interface ReplyAssembly {
  /**
   * Adds the data of one stream event. @throws ModelError for an invalid chunk, or for an error that the
   * server reports.
   */
  addChunk(chunk: unknown): void;
  /** Adds the body of a response that was not streamed. @throws ModelError as `addChunk` does. */
  addCompletion(completion: unknown): void;
  /** `true` if the server has sent a finish reason. Only usage follows. */
  readonly finished: boolean;
  /** Returns the reply. @throws ModelError `invalid-reply` for a call without a name. */
  reply(): ModelReply;
}

/** Receives the non-empty pieces of a reply as they are added. */
interface ReplyListener {
  readonly onText: (piece: string) => void;
  readonly onReasoning: (piece: string) => void;
}

export const createReplyAssembly = ({ onText, onReasoning }: ReplyListener): ReplyAssembly => {
  const grow = createLengthLimit();
  const calls = createCallAssembly(grow);
  const kept = createFieldAssembly(onReasoning);
  let text = '';
  let refused = false;
  let reason = '';
  let usage: Usage | undefined;

  const addText = (piece: string): void => {
    if (piece === '') return;
    text += piece;
    onText(piece);
  };

  const add = ({ completion, choice, message, calledIn, isPiece }: CompletionPart): void => {
    for (const field of COUNTED_FIELDS) grow(toJsonText(message[field]).length);
    kept.add(message, isPiece);
    addText(readContent(message));
    const refusal = readString(message, 'refusal');
    refused ||= refusal !== '';
    addText(refusal);
    for (const fragment of calledIn(message)) calls.add(fragment);
    if (choice !== undefined) reason = readString(choice, 'finish_reason') || reason;
    usage = readUsage(completion.usage) ?? usage;
  };

  return {
    addChunk: (value) => add(readChunkPart(value)),
    addCompletion: (value) => add(readCompletionPart(value)),
    get finished() {
      return reason !== '';
    },
    reply() {
      const called = calls.calls();
      const said: ReplyPart[] = text === '' ? [] : [{ type: 'text', text }];
      const parts = [...kept.reasoning(), ...said, ...called];
      const provider = kept.provider();
      return {
        text,
        toolCalls: listCalls(called),
        ...(!isPlainReply(parts) && { parts }),
        ...(provider && { provider }),
        finish: refused ? 'content-filter' : getFinish(reason, called.length),
        usage,
      };
    },
  };
};

/** The fields of a message, besides its calls, that count toward the length of a reply. */
const COUNTED_FIELDS = ['content', 'refusal', ...KEPT_FIELDS];

/** The parts of a chunk or a whole completion that the assembly reads. */
interface CompletionPart {
  readonly completion: UntrustedRecord;
  readonly choice: UntrustedRecord | undefined;
  /** The model's message or delta. */
  readonly message: UntrustedRecord;
  /** Returns the calls in the message. Called after the text was forwarded, because it can throw. */
  readonly calledIn: (message: UntrustedRecord) => readonly unknown[];
  /** `true` if more of the message can follow. */
  readonly isPiece: boolean;
}

const readChunkPart = (value: unknown): CompletionPart => {
  const completion = checkCompletion(value);
  const choice = findFirstChoice(completion);
  if (choice === undefined && !Array.isArray(completion.choices) && !isRecord(completion.usage)) {
    throw createInvalidReplyError('has no choices.');
  }
  const message = requireRecord(choice?.delta ?? choice?.message ?? {}, 'a delta that');
  return { completion, choice, message, calledIn: (delta) => readList(delta, 'tool_calls'), isPiece: true };
};

const readCompletionPart = (value: unknown): CompletionPart => {
  const completion = checkCompletion(value);
  const choice = findFirstChoice(completion);
  if (choice === undefined) throw createInvalidReplyError('has no choices.');
  if (!isRecord(choice.message)) throw createInvalidReplyError('has no message.');
  return { completion, choice, message: choice.message, calledIn: withCallIndexes, isPiece: false };
};

const findFirstChoice = (completion: UntrustedRecord): UntrustedRecord | undefined => {
  const [first] = readList(completion, 'choices');
  if (first === undefined) return undefined;
  const choice = requireRecord(first, 'a choice that');
  const error = findReportedError(choice);
  if (error) throw error;
  if (choice.finish_reason === 'error')
    throw new ModelError('server-error', 'The model stopped because of an error.');
  return choice;
};

const checkCompletion = (value: unknown): UntrustedRecord => {
  if (!isRecord(value)) throw createInvalidReplyError('is not a JSON object.');
  const error = findReportedError(value);
  if (error !== undefined) throw error;
  return value;
};

/** Returns calls with an index, which for an unstreamed reply is the position in the list. */
const withCallIndexes = (message: UntrustedRecord): readonly unknown[] =>
  readList(message, 'tool_calls').map((call, index) => (isRecord(call) ? { ...call, index } : call));

const readContent = (message: UntrustedRecord): string =>
  Array.isArray(message.content)
    ? message.content.map(readPartText).join('')
    : readString(message, 'content');

const readPartText = (part: unknown): string => {
  const record = requireRecord(part, 'a content part that');
  return record.type === 'text' ? readString(record, 'text') : '';
};

/**
 * Returns the usage. The details are in the OpenAI and OpenRouter fields. DeepSeek and xAI report cache
 * counts in fields next to the sums.
 */
const readUsage = (usage: unknown): Usage | undefined => {
  if (!isRecord(usage)) return undefined;
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usage;
  const ofInput = toRecordOrEmpty(usage.prompt_tokens_details);
  const { reasoning_tokens: reasoning } = toRecordOrEmpty(usage.completion_tokens_details);
  // Some servers exclude reasoning from the completion's tokens, but include it in the total.
  const isBeside = Number(reasoning) > 0 && total === Number(input) + Number(output) + Number(reasoning);
  return countUsage(input, isBeside ? Number(output) + Number(reasoning) : output, {
    cachedInputTokens: ofInput.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens,
    cacheWriteTokens: ofInput.cache_write_tokens,
    reasoningTokens: reasoning,
  });
};

const toRecordOrEmpty = (value: unknown): UntrustedRecord => (isRecord(value) ? value : {});

const getFinish = (reason: string, callCount: number): ModelReply['finish'] => {
  // Some servers, such as Ollama, end a reply that contains tool calls with `stop`.
  if (callCount > 0 && (reason === 'stop' || reason === '')) return 'tool-calls';
  switch (reason) {
    case 'stop':
      return 'stop';
    case 'tool_calls':
    case 'function_call':
      return 'tool-calls';
    case 'length':
      return 'length';
    case 'content_filter':
      return 'content-filter';
    default:
      return 'other';
  }
};

/** Assembles the tool calls of one reply from their fragments. */
interface CallAssembly {
  /** Adds a fragment. @throws ModelError `invalid-reply` for a fragment of the wrong shape. */
  add(fragment: unknown): void;
  /**
   * Returns the calls in the order in which they began, each with a unique id and its provider data.
   *
   * @throws ModelError `invalid-reply` for a call without a name.
   */
  calls(): readonly ToolCallPart[];
}

/** Creates an empty assembly. `grow` receives the number of characters in each fragment. */
const createCallAssembly = (grow: (more: number) => void): CallAssembly => {
  const calls: OpenCall[] = [];
  const latestAt = new Map<number, OpenCall>();

  return {
    add(value) {
      const fragment = readFragment(value);
      const { index, id, name, input, extra } = fragment;
      grow(id.length + name.length + input.length + toJsonText(extra).length);
      const open = index === undefined ? calls.at(-1) : latestAt.get(index);
      if (open !== undefined && !isNewCall(open, fragment)) {
        open.id ||= id;
        open.name ||= name;
        open.input += input;
        open.isClosed = isCompleteAfter(open, input);
        open.extra = mergeField(open.extra, extra);
        return;
      }
      const call = {
        id,
        name,
        input,
        extra,
        isClosed: isCompleteAfter({ isClosed: false }, input),
        parsed: 0,
      };
      calls.push(call);
      if (index !== undefined) latestAt.set(index, call);
    },

    calls: () =>
      withUniqueIds(calls).map((call, position): ToolCallPart => {
        const extra = calls[position]?.extra;
        return {
          type: 'tool-call',
          ...call,
          ...(isRecord(extra) && { provider: toProviderData({ extra_content: extra }) }),
        };
      }),
  };
};

interface Fragment {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly extra: unknown;
}

type OpenCall = { -readonly [Key in keyof RequestedCall]: RequestedCall[Key] } & {
  extra: unknown;
  /**
   * `true` if the input ends like an object. Cached, because reading the end of a growing string copies all
   * of it.
   */
  isClosed: boolean;
  /** The number of times the input was parsed. */
  parsed: number;
};

const isCompleteAfter = ({ isClosed }: Pick<OpenCall, 'isClosed'>, piece: string): boolean =>
  piece.trim() === '' ? isClosed : piece.trimEnd().endsWith('}');

/**
 * The maximum number of times that a call's input is parsed to check whether it is complete. Correct servers
 * cause one such check, or a few for nested objects.
 */
const MAX_PARSES = 16;

const readFragment = (value: unknown): Fragment => {
  const fragment = requireRecord(value, 'a tool call that');
  const index = fragment.index ?? undefined;
  if (index !== undefined && typeof index !== 'number') {
    throw createInvalidReplyError("holds a tool call whose 'index' is not a number.");
  }
  const called = requireRecord(fragment.function ?? {}, "a tool call whose 'function'");
  return {
    index,
    id: readString(fragment, 'id'),
    name: readString(called, 'name'),
    input: readString(called, 'arguments'),
    extra: fragment.extra_content,
  };
};

/**
 * Returns whether a fragment starts another call. Some servers omit `index`, or send each whole call under
 * index 0. A fragment with a tool's name starts another call if its id or name differs, or if it has more
 * input although the open call's input is complete.
 */
const isNewCall = (open: OpenCall, { id, name, input }: Fragment): boolean => {
  if (name === '') return false;
  if (id !== '' && open.id !== '' && id !== open.id) return true;
  if (open.name !== '' && name !== open.name) return true;
  if (input.trim() === '' || !open.isClosed || open.parsed >= MAX_PARSES) return false;
  open.parsed += 1;
  return isJsonObjectText(open.input);
};
