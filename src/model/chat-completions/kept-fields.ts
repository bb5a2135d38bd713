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

/** Every field of a message that a reply keeps beside its words and calls. */
export const KEPT_FIELDS = [...REASONING, 'reasoning_details', 'extra_content'] as const;

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
  // They grow in place, so that a piece costs as much as it holds, whatever came before it.
  let details: GrowingRecord[] | undefined;
  const lastDetails = new Map<unknown, GrowingRecord>();
  const chunks: unknown[] = [];
  let isChunked = false;
  let extra: unknown;

  const hear = (field: string, piece: string): void => {
    if (piece === '' || (heard && heard.field !== field)) return;
    heard = { field, text: (heard?.text ?? '') + piece };
    onReasoning(piece);
  };
  const addDetails = (more: readonly GrowingRecord[], isPiece: boolean): void => {
    for (const detail of more) hear('reasoning_details', detailText(detail));
    details ??= [];
    for (const detail of more) {
      const open = isPiece ? lastDetails.get(detail.index) : undefined;
      // What is encrypted comes whole, so that what continues it is another of its kind.
      if (open && open.type === detail.type && typeof detail.data !== 'string') extend(open, detail);
      else {
        details.push(detail);
        lastDetails.set(detail.index, detail);
      }
    }
  };
  const addContent = (content: unknown, isPiece: boolean): void => {
    const text = typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
    const more = recordsIn(content) ?? text;
    isChunked ||= more.some(({ type }) => type !== 'text');
    for (const chunk of more) hear('content', thinkingText(chunk));
    for (const chunk of more) if (!isPiece || !continuesLast(chunks, chunk)) chunks.push({ ...chunk });
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

const recordsIn = (value: unknown): readonly GrowingRecord[] | undefined =>
  Array.isArray(value) ? value.filter(isGrowing) : undefined;

/** An object of a reply, parsed for it alone. */
type GrowingRecord = Record<string, unknown>;

const isGrowing = (value: unknown): value is GrowingRecord => isRecord(value);

/** Returns whether a piece of a content continues what was said last: text and thinking do, if that is of their type. */
function continuesLast(chunks: readonly unknown[], piece: GrowingRecord): boolean {
  const open = chunks.at(-1);
  if (!isGrowing(open) || open.type !== piece.type) return false;
  if (piece.type === 'text') extend(open, piece);
  else {
    const { thinking } = open;
    const more = recordsIn(piece.thinking);
    if (piece.type !== 'thinking' || !Array.isArray(thinking) || !more) return false;
    for (const one of more) if (!continuesLast(thinking, one)) thinking.push(one);
    extend(open, { ...piece, thinking });
  }
  return true;
}

/** What grows from piece to piece; of all else the last that was said holds. */
const GROWING: ReadonlySet<string> = new Set(['text', 'summary']);

function extend(open: GrowingRecord, piece: GrowingRecord): void {
  for (const [key, value] of Object.entries(piece)) {
    if (value === null || value === '' || key === PROTOTYPE) continue;
    const before = open[key];
    const grows = GROWING.has(key) && typeof before === 'string' && typeof value === 'string';
    open[key] = grows ? before + value : value;
  }
}

/** Under this name alone an assignment makes no field. */
const PROTOTYPE = '__proto__';

/** Adds what is said later to what was said of the same before, and returns both. Servers send such a field once, or piece by piece. */
export const merged = (before: unknown, later: unknown): unknown => {
  if (!isGrowing(before) || !isRecord(later)) return later ?? before;
  for (const [key, value] of Object.entries(later)) {
    if (key !== PROTOTYPE) before[key] = merged(Object.hasOwn(before, key) ? before[key] : undefined, value);
  }
  return before;
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
