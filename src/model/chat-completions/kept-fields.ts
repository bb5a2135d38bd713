import type { ModelMessage } from '../chat-model.ts';
import { partsOf } from '../given-to.ts';
import type { ProviderData, ProviderJson, ReasoningPart } from '../parts.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import { jsonTextOf } from '../untrusted-reply.ts';

/**
 * Under this name a reply keeps what chat completions hold beside words and calls: a reasoning part the `fields` in which
 * its text came, a call its `extra_content`, and the reply as a whole `reasoning_details`, `extra_content` and a `content`
 * of which some chunk is no text.
 */
const KEY = 'chatCompletions';

/** Fields of a message that hold reasoning as text. Servers know one of them; some send the same in both. */
const REASONING = ['reasoning_content', 'reasoning'] as const;

/** Makes JSON of a server the data of whoever keeps it. @throws ModelError for what JSON cannot hold. */
export const kept = (fields: UntrustedRecord): ProviderData => {
  const data: ProviderJson = JSON.parse(jsonTextOf(fields));
  return { [KEY]: data };
};

const keptIn = (data: ProviderData | undefined): UntrustedRecord => {
  const fields = data?.[KEY];
  return isRecord(fields) ? fields : {};
};

/** Puts together what a reply holds beside words and calls. */
interface KeptAssembly {
  /** Takes a message, or in a stream the next piece of it. What has another shape than it should is left out. */
  add(message: UntrustedRecord, isPiece: boolean): void;
  /** The reasoning of the reply, of which only what differs has a part of its own. */
  reasoning(): readonly ReasoningPart[];
  /** What the reply as a whole keeps. */
  provider(): ProviderData | undefined;
}

/**
 * Creates an empty assembly. `onReasoning` gets each piece of reasoning as it is added, never an empty one, and each once:
 * from the field in which the first came.
 */
export const createKeptAssembly = (onReasoning: (piece: string) => void): KeptAssembly => {
  const texts = new Map<string, string>();
  let heard: { readonly field: string; readonly text: string } | undefined;
  let details: readonly UntrustedRecord[] | undefined;
  let chunks: readonly UntrustedRecord[] = [];
  let extra: unknown;

  const hear = (field: string, piece: string): void => {
    if (piece === '' || (heard && heard.field !== field)) return;
    heard = { field, text: (heard?.text ?? '') + piece };
    onReasoning(piece);
  };
  const addDetails = (more: readonly UntrustedRecord[], isPiece: boolean): void => {
    details = isPiece ? more.reduce(withDetail, details ?? []) : more;
    for (const detail of more) hear('reasoning_details', detailText(detail));
  };
  const addContent = (content: unknown, isPiece: boolean): void => {
    const text = typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
    const more = recordsIn(content) ?? text;
    chunks = isPiece ? more.reduce(withChunk, chunks) : more;
    for (const chunk of more) hear('content', thinkingText(chunk));
  };

  return {
    add(message, isPiece) {
      for (const field of REASONING) {
        const piece = message[field];
        if (typeof piece !== 'string') continue;
        texts.set(field, (texts.get(field) ?? '') + piece);
        hear(field, piece);
      }
      const more = recordsIn(message.reasoning_details);
      if (more) addDetails(more, isPiece);
      addContent(message.content, isPiece);
      extra = merged(extra, message.extra_content);
    },
    reasoning: () => reasoningParts(texts, heard?.text),
    provider() {
      const isChunked = chunks.some(({ type }) => type !== 'text');
      const fields = {
        ...(isChunked && { content: chunks }),
        ...(details && { reasoning_details: details }),
        ...(isRecord(extra) && { extra_content: extra }),
      };
      return Object.keys(fields).length === 0 ? undefined : kept(fields);
    },
  };
};

function reasoningParts(texts: ReadonlyMap<string, string>, heard: string | undefined): ReasoningPart[] {
  const fieldsOf = new Map<string, string[]>();
  for (const [field, text] of texts) fieldsOf.set(text, [...(fieldsOf.get(text) ?? []), field]);
  const parts = [...fieldsOf].map(
    ([text, fields]): ReasoningPart => ({ type: 'reasoning', text, provider: kept({ fields }) }),
  );
  return heard === undefined || fieldsOf.has(heard) ? parts : [...parts, { type: 'reasoning', text: heard }];
}

const recordsIn = (value: unknown): readonly UntrustedRecord[] | undefined =>
  Array.isArray(value) ? value.filter(isRecord) : undefined;

/**
 * Adds a piece of a list of details: one continues the last of its type and index. What is encrypted comes whole, so that
 * what continues it is another of its kind.
 */
const withDetail = (
  details: readonly UntrustedRecord[],
  piece: UntrustedRecord,
): readonly UntrustedRecord[] => {
  const place = details.findLastIndex(({ index }) => index === piece.index);
  const open = details[place];
  return open && open.type === piece.type && typeof piece.data !== 'string'
    ? details.with(place, continued(open, piece))
    : [...details, piece];
};

/** Adds a piece of a content: text and thinking continue what was said last, if that is of their type. */
const withChunk = (
  chunks: readonly UntrustedRecord[],
  piece: UntrustedRecord,
): readonly UntrustedRecord[] => {
  const open = chunks.at(-1);
  if (!open || open.type !== piece.type) return [...chunks, piece];
  if (piece.type === 'text') return chunks.with(-1, continued(open, piece));
  const [before, more] = [recordsIn(open.thinking), recordsIn(piece.thinking)];
  if (piece.type !== 'thinking' || !before || !more) return [...chunks, piece];
  return chunks.with(-1, { ...continued(open, piece), thinking: more.reduce(withChunk, before) });
};

/** What grows from piece to piece; of all else the last that was said holds. */
const GROWING: ReadonlySet<string> = new Set(['text', 'summary']);

const continued = (open: UntrustedRecord, piece: UntrustedRecord): UntrustedRecord => {
  const said = Object.entries(piece).filter(([, value]) => value !== null && value !== '');
  return {
    ...open,
    ...Object.fromEntries(
      said.map(([key, value]) => {
        const before = open[key];
        const grows = GROWING.has(key) && typeof before === 'string' && typeof value === 'string';
        return [key, grows ? before + value : value];
      }),
    ),
  };
};

/** Both, with what the later one says of the same. Servers send such a field once, or piece by piece. */
export const merged = (before: unknown, later: unknown): unknown => {
  if (!isRecord(before) || !isRecord(later)) return later ?? before;
  return Object.fromEntries(
    Object.entries({ ...before, ...later }).map(([key, value]) => [key, merged(before[key], value)]),
  );
};

const detailText = ({ text, summary }: UntrustedRecord): string => textIn(text) + textIn(summary);

const thinkingText = ({ type, thinking }: UntrustedRecord): string =>
  type === 'thinking' ? (recordsIn(thinking) ?? []).map(({ text }) => textIn(text)).join('') : '';

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

type Assistant = Extract<ModelMessage, { readonly role: 'assistant' }>;

/** The fields of an earlier reply that are given back beside its words and calls. */
export const fieldsGivenBack = (message: Assistant): UntrustedRecord => {
  const reasoning = partsOf(message).flatMap((part): [string, string][] => {
    const { fields } = part.type === 'reasoning' ? keptIn(part.provider) : {};
    return part.type === 'reasoning' && Array.isArray(fields)
      ? fields.map((field) => [String(field), part.text])
      : [];
  });
  return { ...Object.fromEntries(reasoning), ...keptIn(message.provider) };
};

/** What each call of an earlier reply is given back with, by its id. */
export const givenBackWithCalls = (message: Assistant): ReadonlyMap<string, UntrustedRecord> =>
  new Map(
    partsOf(message).flatMap((part) =>
      part.type === 'tool-call' && part.provider ? [[part.id, keptIn(part.provider)] as const] : [],
    ),
  );
