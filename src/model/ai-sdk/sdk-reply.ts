import { ModelError, type ModelReply } from '../chat-model.ts';
import {
  type FilePart,
  isOurCall,
  isPlainReply,
  joinTextParts,
  listCalls,
  type ProviderData,
  type ReasoningPart,
  type ReplyPart,
  type SourcePart,
  type TextPart,
  type ToolResultPart,
} from '../parts.ts';
import { countUsage, type Usage } from '../prices.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import {
  createInvalidReplyError,
  createLengthLimit,
  createTruncatedReplyError,
  readString,
  toJsonText,
  withUniqueIds,
} from '../untrusted-reply.ts';
import { getAtPath, getProviderData, isAside, toAside } from './provider-data.ts';

/** Assembles one reply from the parts that a model of the AI SDK returns. */
interface SdkReply {
  /** Adds a part of a whole reply. */
  addWhole(part: UntrustedRecord): void;
  /** Adds a part of a stream. Ignores parts without content of the reply. */
  addStreamed(part: UntrustedRecord): void;
  /**
   * Reads the end of the reply from a `finish` part or a whole result, and returns the reply.
   *
   * @throws ModelError if the reply failed or is incomplete.
   */
  end(ending: UntrustedRecord): ModelReply;
}

interface ReplyOptions {
  /** Receives each piece of the answer's text as it is added. */
  readonly onText: (piece: string) => void;
  /** Receives each piece of the reasoning as it is added. */
  readonly onReasoning: (piece: string) => void;
  /** `true` if the answer is structured. */
  readonly structured: boolean;
}

/** A part that grows while it streams. */
interface OpenPart {
  readonly type: 'text' | 'reasoning';
  text: string;
  provider: ProviderData | undefined;
}

export const createSdkReply = (use: ReplyOptions): SdkReply => new GrowingReply(use);

class GrowingReply implements SdkReply {
  readonly #use: ReplyOptions;
  readonly #parts: (OpenPart | ReplyPart)[] = [];
  readonly #open = new Map<string, OpenPart>();
  readonly #grow = createLengthLimit();

  constructor(use: ReplyOptions) {
    this.#use = use;
  }

  addWhole(part: UntrustedRecord): void {
    const { type } = part;
    if (type !== 'text' && type !== 'reasoning') {
      this.#addPiece(part);
      return;
    }
    this.#open.clear();
    this.#extend(this.#opened(type), part, readString(part, 'text'));
  }

  addStreamed(part: UntrustedRecord): void {
    const grown = growthEvents.get(part.type);
    if (!grown) {
      this.#addPiece(part);
      return;
    }
    const [type, step] = grown;
    const id = readString(part, 'id');
    if (step === 'start') this.#open.delete(`${type} ${id}`);
    this.#extend(this.#opened(type, id), part, step === 'delta' ? readString(part, 'delta') : '');
  }

  end(ending: UntrustedRecord): ModelReply {
    const { structured } = this.#use;
    const whole = withCallIds(this.#parts.flatMap((part) => finishPart(part, structured)));
    const toolCalls = listCalls(whole);
    const provider = getReturnedData(getProviderData(ending));
    return {
      text: joinTextParts(whole),
      toolCalls,
      ...((provider || !isPlainReply(whole)) && { parts: whole }),
      ...(provider && { provider }),
      finish: getFinish(ending.finishReason, toolCalls.length),
      usage: readUsage(ending.usage),
    };
  }

  #addPiece(part: UntrustedRecord): void {
    const reply = toReplyPart(part);
    if (!reply) return;
    this.#grow(JSON.stringify(reply).length);
    this.#parts.push(reply);
  }

  #opened(type: OpenPart['type'], id = ''): OpenPart {
    const known = this.#open.get(`${type} ${id}`);
    if (known) return known;
    const part: OpenPart = { type, text: '', provider: undefined };
    this.#parts.push(part);
    this.#open.set(`${type} ${id}`, part);
    return part;
  }

  /** Adds a piece to a part. Later provider data replaces the earlier data in full. */
  #extend(part: OpenPart, from: UntrustedRecord, piece: string): void {
    const { onText, onReasoning, structured } = this.#use;
    const provider = getProviderData(from);
    if (provider) {
      this.#grow(JSON.stringify(provider).length);
      part.provider = provider;
    }
    if (piece === '') return;
    this.#grow(piece.length);
    part.text += piece;
    if (part.type === 'reasoning') onReasoning(piece);
    else if (!isAside(part.provider, structured)) onText(piece);
  }
}

/** The stream events that add to a text or reasoning part. */
const growthEvents: ReadonlyMap<unknown, readonly [OpenPart['type'], 'start' | 'delta' | 'end']> = new Map(
  (['text', 'reasoning'] as const).flatMap((type) =>
    (['start', 'delta', 'end'] as const).map((step) => [`${type}-${step}`, [type, step]] as const),
  ),
);

/** Returns the finished part, or an empty list if it has neither text nor provider data. */
function finishPart(part: OpenPart | ReplyPart, structured: boolean): readonly ReplyPart[] {
  if (part.type !== 'text' && part.type !== 'reasoning') return [part];
  const { type, text, provider } = part;
  if (text === '' && !provider) return [];
  const made: TextPart | ReasoningPart = { type, text, ...(provider && { provider }) };
  return [made.type === 'text' && isAside(provider, structured) ? toAside(made) : made];
}

/** Returns the parts with a unique id for each of our calls. */
function withCallIds(parts: readonly ReplyPart[]): readonly ReplyPart[] {
  const calls = withUniqueIds(listCalls(parts)).values();
  return parts.map((part) => (isOurCall(part) ? { ...part, ...calls.next().value } : part));
}

/**
 * Returns the reply data that its provider needs back. OpenRouter needs its reasoning, which has no other
 * place if it is encrypted and no call follows, and its annotations of files. Anthropic needs the container
 * in which it runs code. All other data consists of counts and metadata, which some providers would copy into
 * the next request.
 */
function getReturnedData(data: ProviderData | undefined): ProviderData | undefined {
  const openrouter = omitEmpty({
    reasoning_details: getAtPath(data, 'openrouter', 'reasoning_details'),
    annotations: getAtPath(data, 'openrouter', 'annotations'),
  });
  const id = getAtPath(data, 'anthropic', 'container', 'id');
  return omitEmpty({ openrouter, anthropic: typeof id === 'string' ? { container: { id } } : undefined });
}

/** Returns the values that are present, or `undefined` if there are none. */
function omitEmpty(values: UntrustedRecord): ProviderData | undefined {
  const there = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  // The values come from a provider's data, which is JSON.
  return there.length === 0 ? undefined : (Object.fromEntries(there) as ProviderData);
}

const getFinish = (finishReason: unknown, callCount: number): ModelReply['finish'] => {
  const { unified, raw } = isRecord(finishReason) ? finishReason : { unified: undefined, raw: undefined };
  // Adapters map this reason to a length or another reason. It means that the window has no room for a reply.
  if (raw === 'model_context_window_exceeded') {
    const words = "The model's reply does not fit into its context window with the conversation.";
    throw new ModelError('context-length', words, { length: {} });
  }
  // Workers AI's adapter reports a filtered reply as an ordinary end.
  if (raw === 'content_filter') return 'content-filter';
  switch (unified) {
    case 'error': {
      const why = typeof raw === 'string' && raw !== '' && raw !== 'error' ? `: ${raw}` : '';
      throw new ModelError('server-error', `The model stopped because of an error${why}.`);
    }
    case 'interrupted':
      throw createTruncatedReplyError();
    case 'stop':
      // Some servers end a reply that contains tool calls with `stop`.
      return callCount > 0 ? 'tool-calls' : 'stop';
    case 'length':
    case 'content-filter':
    case 'tool-calls':
      return unified;
    default:
      return 'other';
  }
};

const readUsage = (usage: unknown): Usage | undefined => {
  if (!isRecord(usage)) return undefined;
  const { inputTokens, outputTokens } = usage;
  return isRecord(inputTokens) && isRecord(outputTokens)
    ? countUsage(inputTokens.total, outputTokens.total, {
        cachedInputTokens: inputTokens.cacheRead,
        cacheWriteTokens: inputTokens.cacheWrite,
        reasoningTokens: outputTokens.reasoning,
      })
    : undefined;
};

/**
 * Reads a part that arrives in one piece, in a whole reply or in a stream. Returns `undefined` for a part
 * that is not content or has an unknown type.
 *
 * @throws ModelError `invalid-reply` for a part that does not match its type.
 */
export function toReplyPart(part: UntrustedRecord): ReplyPart | undefined {
  const read = partReaders.get(part.type)?.(part);
  if (!read) return undefined;
  const provider = getProviderData(part);
  return provider ? { ...read, provider } : read;
}

const partReaders: ReadonlyMap<unknown, (part: UntrustedRecord) => ReplyPart | undefined> = new Map([
  ['tool-call', toCall],
  ['tool-result', toResult],
  ['file', toFile],
  ['reasoning-file', (part) => ({ ...toFile(part), ofReasoning: true })],
  ['source', toSource],
  ['custom', toCustom],
] as const);

function toCall(part: UntrustedRecord): ReplyPart {
  // By the interface an input is text, but some community providers return parsed JSON.
  const input = toJsonText(part.input);
  const call = { id: readString(part, 'toolCallId'), name: readString(part, 'toolName'), input };
  return { type: 'tool-call', ...call, ...(part.providerExecuted === true && { ranBy: 'provider' }) };
}

function toResult(part: UntrustedRecord): ToolResultPart | undefined {
  // The complete result follows later.
  if (part.preliminary === true) return undefined;
  return {
    type: 'tool-result',
    id: readString(part, 'toolCallId'),
    name: readString(part, 'toolName'),
    result: JSON.parse(toJsonText(part.result === undefined ? null : [part.result]) || '[null]')[0],
    ...(part.isError === true && { isError: true }),
  };
}

function toFile(part: UntrustedRecord): FilePart {
  const { data } = part;
  return { type: 'file', mediaType: readString(part, 'mediaType'), data: readFileData(data) };
}

/** Returns a file's data. One specification has the bare value, the other an object tagged by its type. */
function readFileData(data: unknown): string {
  if (typeof data === 'string') return data;
  if (data instanceof Uint8Array) return toBase64(data);
  if (data instanceof URL) return data.href;
  if (isRecord(data)) {
    if (typeof data.originalUrl === 'string') return data.originalUrl;
    const inner = data.url ?? data.data;
    if (!isRecord(inner) || inner instanceof Uint8Array || inner instanceof URL) return readFileData(inner);
  }
  throw createInvalidReplyError('holds a file without data.');
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function toSource(part: UntrustedRecord): SourcePart {
  const rest = ['url', 'title', 'mediaType', 'filename'].flatMap((key) =>
    typeof part[key] === 'string' ? [[key, part[key]]] : [],
  );
  return { type: 'source', id: readString(part, 'id'), ...Object.fromEntries(rest) };
}

function toCustom(part: UntrustedRecord): ReplyPart | undefined {
  const kind = readString(part, 'kind');
  // The data repeats that of the whole reply, and its provider does not need it back.
  return kind === 'anthropic.message_start' ? undefined : { type: 'custom', kind };
}
