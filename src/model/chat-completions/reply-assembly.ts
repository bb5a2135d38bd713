import { ModelError, type ModelReply } from '../chat-model.ts';
import { callsOf, isPlain, type ReplyPart, type RequestedCall, type ToolCallPart } from '../parts.ts';
import { countUsage, type Usage } from '../prices.ts';
import { reportedError } from '../server-error.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import {
  createLengthLimit,
  invalidReply,
  isJsonObjectText,
  jsonTextOf,
  listOf,
  mustBeRecord,
  stringOf,
  withUniqueIds,
} from '../untrusted-reply.ts';
import { createKeptAssembly, KEPT_FIELDS, kept, merged } from './kept-fields.ts';

/** Puts one reply together from the chunks of a stream, or from one whole completion. */
export interface ReplyAssembly {
  /** Takes one event's data of a stream. @throws ModelError for garbage, or for an error that the server reports. */
  addChunk(chunk: unknown): void;
  /** Takes the body of an answer that was not streamed. @throws ModelError as `addChunk` does. */
  addCompletion(completion: unknown): void;
  /** Whether the server has said why the reply ends: nothing but usage follows. */
  readonly finished: boolean;
  /** @throws ModelError `invalid-reply` for a call without a name. */
  reply(): ModelReply;
}

/** Who is handed the pieces of a reply as they are added, never an empty one. */
interface Listener {
  readonly onText: (piece: string) => void;
  readonly onReasoning: (piece: string) => void;
}

/** Creates an empty assembly. */
export const createReplyAssembly = ({ onText, onReasoning }: Listener): ReplyAssembly => {
  const grow = createLengthLimit();
  const calls = createCallAssembly(grow);
  const kept = createKeptAssembly(onReasoning);
  let text = '';
  let refused = false;
  let reason = '';
  let usage: Usage | undefined;

  const addText = (piece: string): void => {
    if (piece === '') return;
    text += piece;
    onText(piece);
  };

  const add = ({ completion, choice, message, calledIn, isPiece }: Part): void => {
    for (const field of SAID) grow(jsonTextOf(message[field]).length);
    kept.add(message, isPiece);
    addText(contentOf(message));
    const refusal = stringOf(message, 'refusal');
    refused ||= refusal !== '';
    addText(refusal);
    for (const fragment of calledIn(message)) calls.add(fragment);
    if (choice !== undefined) reason = stringOf(choice, 'finish_reason') || reason;
    usage = usageOf(completion.usage) ?? usage;
  };

  return {
    addChunk: (value) => add(partOfChunk(value)),
    addCompletion: (value) => add(partOfCompletion(value)),
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
        toolCalls: callsOf(called),
        ...(!isPlain(parts) && { parts }),
        ...(provider && { provider }),
        finish: refused ? 'content-filter' : finishOf(reason, called.length),
        usage,
      };
    },
  };
};

/** The fields of a message whose content makes a reply longer, beside its calls. */
const SAID = ['content', 'refusal', ...KEPT_FIELDS];

/** A chunk, or a whole completion, and what of it is read. */
interface Part {
  readonly completion: UntrustedRecord;
  readonly choice: UntrustedRecord | undefined;
  /** What the model says in it. */
  readonly message: UntrustedRecord;
  /** Finds the calls in the message. It is asked after the text was handed on, and may throw. */
  readonly calledIn: (message: UntrustedRecord) => readonly unknown[];
  /** More of the message may follow. */
  readonly isPiece: boolean;
}

const partOfChunk = (value: unknown): Part => {
  const completion = checked(value);
  const choice = firstChoice(completion);
  if (choice === undefined && !Array.isArray(completion.choices) && !isRecord(completion.usage)) {
    throw invalidReply('has no choices.');
  }
  const message = mustBeRecord(choice?.delta ?? choice?.message ?? {}, 'a delta that');
  return { completion, choice, message, calledIn: (delta) => listOf(delta, 'tool_calls'), isPiece: true };
};

const partOfCompletion = (value: unknown): Part => {
  const completion = checked(value);
  const choice = firstChoice(completion);
  if (choice === undefined) throw invalidReply('has no choices.');
  if (!isRecord(choice.message)) throw invalidReply('has no message.');
  return { completion, choice, message: choice.message, calledIn: wholeCalls, isPiece: false };
};

const firstChoice = (completion: UntrustedRecord): UntrustedRecord | undefined => {
  const [first] = listOf(completion, 'choices');
  if (first === undefined) return undefined;
  const choice = mustBeRecord(first, 'a choice that');
  const error = reportedError(choice);
  if (error) throw error;
  if (choice.finish_reason === 'error')
    throw new ModelError('server-error', 'The model stopped because of an error.');
  return choice;
};

const checked = (value: unknown): UntrustedRecord => {
  if (!isRecord(value)) throw invalidReply('is not a JSON object.');
  const error = reportedError(value);
  if (error !== undefined) throw error;
  return value;
};

/** Outside of a stream a call is always whole, so its place in the list stands for its index. */
const wholeCalls = (message: UntrustedRecord): readonly unknown[] =>
  listOf(message, 'tool_calls').map((call, index) => (isRecord(call) ? { ...call, index } : call));

const contentOf = (message: UntrustedRecord): string =>
  Array.isArray(message.content) ? message.content.map(textOfPart).join('') : stringOf(message, 'content');

const textOfPart = (part: unknown): string => {
  const record = mustBeRecord(part, 'a content part that');
  return record.type === 'text' ? stringOf(record, 'text') : '';
};

/** The details stand where OpenAI and OpenRouter have them, or, of the cache, beside the sums as DeepSeek and xAI write it. */
const usageOf = (usage: unknown): Usage | undefined => {
  if (!isRecord(usage)) return undefined;
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usage;
  const ofInput = recordOf(usage.prompt_tokens_details);
  const { reasoning_tokens: reasoning } = recordOf(usage.completion_tokens_details);
  // Some servers do not count what was thought among the completion, which the total then tells.
  const isBeside = Number(reasoning) > 0 && total === Number(input) + Number(output) + Number(reasoning);
  return countUsage(input, isBeside ? Number(output) + Number(reasoning) : output, {
    cachedInputTokens: ofInput.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens,
    cacheWriteTokens: ofInput.cache_write_tokens,
    reasoningTokens: reasoning,
  });
};

const recordOf = (value: unknown): UntrustedRecord => (isRecord(value) ? value : {});

const finishOf = (reason: string, callCount: number): ModelReply['finish'] => {
  // Ollama among others ends a reply that holds tool calls with `stop`.
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

/** Puts the tool calls of one reply together from the fragments they arrive in. */
interface CallAssembly {
  /** @throws ModelError `invalid-reply` for a fragment of the wrong shape. */
  add(fragment: unknown): void;
  /**
   * The calls in the order in which they began, each with an id of its own, and with what its provider keeps beside it.
   *
   * @throws ModelError `invalid-reply` for a call that never got a name.
   */
  calls(): readonly ToolCallPart[];
}

/** Creates an empty assembly for one reply. `grow` takes the characters of each fragment. */
const createCallAssembly = (grow: (more: number) => void): CallAssembly => {
  const calls: OpenCall[] = [];
  const latestAt = new Map<number, OpenCall>();

  return {
    add(value) {
      const fragment = readFragment(value);
      const { index, id, name, input, extra } = fragment;
      grow(id.length + name.length + input.length + jsonTextOf(extra).length);
      const open = index === undefined ? calls.at(-1) : latestAt.get(index);
      if (open !== undefined && !opensAnother(open, fragment)) {
        open.id ||= id;
        open.name ||= name;
        open.input += input;
        open.isClosed = closes(open, input);
        open.extra = merged(open.extra, extra);
        return;
      }
      const call = { id, name, input, extra, isClosed: closes({ isClosed: false }, input), parsed: 0 };
      calls.push(call);
      if (index !== undefined) latestAt.set(index, call);
    },

    calls: () =>
      withUniqueIds(calls).map((call, position): ToolCallPart => {
        const extra = calls[position]?.extra;
        return {
          type: 'tool-call',
          ...call,
          ...(isRecord(extra) && { provider: kept({ extra_content: extra }) }),
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
  /** Whether the input ends as an object does. It is kept, since looking at the end of a text that grew costs as much as all of it. */
  isClosed: boolean;
  /** How often it was parsed. */
  parsed: number;
};

const closes = ({ isClosed }: Pick<OpenCall, 'isClosed'>, piece: string): boolean =>
  piece.trim() === '' ? isClosed : piece.trimEnd().endsWith('}');

/** How often the input of a call is parsed to see whether it is whole: of honest servers, once or for a few inner objects. */
const MOST_PARSED = 16;

const readFragment = (value: unknown): Fragment => {
  const fragment = mustBeRecord(value, 'a tool call that');
  const index = fragment.index ?? undefined;
  if (index !== undefined && typeof index !== 'number') {
    throw invalidReply("holds a tool call whose 'index' is not a number.");
  }
  const called = mustBeRecord(fragment.function ?? {}, "a tool call whose 'function'");
  return {
    index,
    id: stringOf(fragment, 'id'),
    name: stringOf(called, 'name'),
    input: stringOf(called, 'arguments'),
    extra: fragment.extra_content,
  };
};

/**
 * Some servers omit `index`, or send each whole call under index 0. A fragment that names a tool opens another call when
 * its id or name differ, or when more input can only belong elsewhere because the open call's is complete.
 */
const opensAnother = (open: OpenCall, { id, name, input }: Fragment): boolean => {
  if (name === '') return false;
  if (id !== '' && open.id !== '' && id !== open.id) return true;
  if (open.name !== '' && name !== open.name) return true;
  if (input.trim() === '' || !open.isClosed || open.parsed >= MOST_PARSED) return false;
  open.parsed += 1;
  return isJsonObjectText(open.input);
};
