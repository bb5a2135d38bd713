import type { ModelMessage } from '../chat-model.ts';
import { partsOf } from '../given-to.ts';
import type { ProviderData, ProviderJson, ReasoningPart } from '../parts.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import { toJsonText } from '../untrusted-reply.ts';

/**
 * The key of the provider data that a reply keeps besides text and calls. For a reasoning part, it is the
 * `fields` that contained its text; for a call, its `extra_content`. For the whole reply, these are
 * `reasoning_details`, `extra_content`, and a `content` with chunks other than text.
 */
const PROVIDER_KEY = 'chatCompletions';

/**
 * Fields of a message that hold reasoning as text. A server uses one of them; some send the same text in
 * both.
 */
const REASONING = ['reasoning_content', 'reasoning'] as const;

/** The fields of a message that a reply keeps besides its text and calls. */
export const KEPT_FIELDS = [...REASONING, 'reasoning_details', 'extra_content'] as const;

/** Wraps JSON of a server as provider data. @throws ModelError if JSON cannot hold it. */
export const toProviderData = (fields: UntrustedRecord): ProviderData => {
  const data: ProviderJson = JSON.parse(toJsonText(fields));
  return { [PROVIDER_KEY]: data };
};

const getFields = (data: ProviderData | undefined): UntrustedRecord => {
  const fields = data?.[PROVIDER_KEY];
  return isRecord(fields) ? fields : {};
};

/** Assembles the provider data of a reply. */
interface FieldAssembly {
  /** Adds a message, or the next piece of it in a stream. Ignores fields of the wrong type. */
  add(message: UntrustedRecord, isPiece: boolean): void;
  /** Returns the reasoning. Fields with equal text share a part. */
  reasoning(): readonly ReasoningPart[];
  provider(): ProviderData | undefined;
}

/**
 * Creates an empty assembly. `onReasoning` receives each non-empty piece of reasoning once, from the field
 * that contained the first piece.
 */
export const createFieldAssembly = (onReasoning: (piece: string) => void): FieldAssembly => {
  const texts = new Map<string, string>();
  let heard: { readonly field: string; readonly text: string } | undefined;
  // Objects grow in place, so the cost of a piece does not depend on earlier pieces.
  let details: GrowingRecord[] | undefined;
  const lastDetails = new Map<unknown, GrowingRecord>();
  const chunks: unknown[] = [];
  let isChunked = false;
  let extra: unknown;

  const receivePiece = (field: string, piece: string): void => {
    if (piece === '' || (heard && heard.field !== field)) return;
    heard = { field, text: (heard?.text ?? '') + piece };
    onReasoning(piece);
  };
  const addDetails = (more: readonly GrowingRecord[], isPiece: boolean): void => {
    for (const detail of more) receivePiece('reasoning_details', getDetailText(detail));
    details ??= [];
    for (const detail of more) {
      const open = isPiece ? lastDetails.get(detail.index) : undefined;
      // Encrypted data is never split, so a further detail of this kind is a separate one.
      if (open && open.type === detail.type && typeof detail.data !== 'string') extendChunk(open, detail);
      else {
        details.push(detail);
        lastDetails.set(detail.index, detail);
      }
    }
  };
  const addContent = (content: unknown, isPiece: boolean): void => {
    const text = typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
    const more = readRecords(content) ?? text;
    isChunked ||= more.some(({ type }) => type !== 'text');
    for (const chunk of more) receivePiece('content', getThinkingText(chunk));
    for (const chunk of more) if (!isPiece || !mergeIntoLast(chunks, chunk)) chunks.push({ ...chunk });
  };

  return {
    add(message, isPiece) {
      for (const field of REASONING) {
        const piece = message[field];
        if (typeof piece !== 'string') continue;
        texts.set(field, (texts.get(field) ?? '') + piece);
        receivePiece(field, piece);
      }
      const more = readRecords(message.reasoning_details);
      if (more) addDetails(more, isPiece);
      addContent(message.content, isPiece);
      extra = mergeField(extra, message.extra_content);
    },
    reasoning: () => createReasoningParts(texts, heard?.text),
    provider() {
      const fields = {
        ...(isChunked && { content: chunks }),
        ...(details && { reasoning_details: details }),
        ...(isRecord(extra) && { extra_content: extra }),
      };
      return Object.keys(fields).length === 0 ? undefined : toProviderData(fields);
    },
  };
};

function createReasoningParts(
  texts: ReadonlyMap<string, string>,
  heard: string | undefined,
): ReasoningPart[] {
  const fieldsOf = new Map<string, string[]>();
  for (const [field, text] of texts) fieldsOf.set(text, [...(fieldsOf.get(text) ?? []), field]);
  const parts = [...fieldsOf].map(
    ([text, fields]): ReasoningPart => ({ type: 'reasoning', text, provider: toProviderData({ fields }) }),
  );
  return heard === undefined || fieldsOf.has(heard) ? parts : [...parts, { type: 'reasoning', text: heard }];
}

const readRecords = (value: unknown): readonly GrowingRecord[] | undefined =>
  Array.isArray(value) ? value.filter(isGrowing) : undefined;

/** An object that was parsed for one reply only, so it can be modified. */
type GrowingRecord = Record<string, unknown>;

const isGrowing = (value: unknown): value is GrowingRecord => isRecord(value);

/**
 * Merges a piece of content into the last one if both are text or both are thinking. Returns whether it did.
 */
function mergeIntoLast(chunks: readonly unknown[], piece: GrowingRecord): boolean {
  const open = chunks.at(-1);
  if (!isGrowing(open) || open.type !== piece.type) return false;
  if (piece.type === 'text') extendChunk(open, piece);
  else {
    const { thinking } = open;
    const more = readRecords(piece.thinking);
    if (piece.type !== 'thinking' || !Array.isArray(thinking) || !more) return false;
    for (const one of more) if (!mergeIntoLast(thinking, one)) thinking.push(one);
    extendChunk(open, { ...piece, thinking });
  }
  return true;
}

/** The fields whose pieces are concatenated. For other fields the last value wins. */
const CONCATENATED_FIELDS: ReadonlySet<string> = new Set(['text', 'summary']);

function extendChunk(open: GrowingRecord, piece: GrowingRecord): void {
  for (const [key, value] of Object.entries(piece)) {
    if (value === null || value === '' || key === PROTOTYPE_KEY) continue;
    const before = open[key];
    const grows = CONCATENATED_FIELDS.has(key) && typeof before === 'string' && typeof value === 'string';
    open[key] = grows ? before + value : value;
  }
}

/** The only key for which an assignment does not create a property. */
const PROTOTYPE_KEY = '__proto__';

/**
 * Merges a later value of a field into an earlier one and returns it. Servers send such a field whole or in
 * pieces.
 */
export const mergeField = (before: unknown, later: unknown): unknown => {
  if (!isGrowing(before) || !isRecord(later)) return later ?? before;
  for (const [key, value] of Object.entries(later)) {
    if (key !== PROTOTYPE_KEY)
      before[key] = mergeField(Object.hasOwn(before, key) ? before[key] : undefined, value);
  }
  return before;
};

const getDetailText = ({ text, summary }: UntrustedRecord): string =>
  getTextOrEmpty(text) + getTextOrEmpty(summary);

const getThinkingText = ({ type, thinking }: UntrustedRecord): string =>
  type === 'thinking' ? (readRecords(thinking) ?? []).map(({ text }) => getTextOrEmpty(text)).join('') : '';

const getTextOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');

type Assistant = Extract<ModelMessage, { readonly role: 'assistant' }>;

/** Returns the fields of an earlier reply that go back besides its text and calls. */
export const getReturnedFields = (message: Assistant): UntrustedRecord => {
  const reasoning = partsOf(message).flatMap((part): [string, string][] => {
    const { fields } = part.type === 'reasoning' ? getFields(part.provider) : {};
    return part.type === 'reasoning' && Array.isArray(fields)
      ? fields.map((field) => [String(field), part.text])
      : [];
  });
  return { ...Object.fromEntries(reasoning), ...getFields(message.provider) };
};

/** Returns the fields that go back with each call of an earlier reply, by the call's id. */
export const getReturnedCallFields = (message: Assistant): ReadonlyMap<string, UntrustedRecord> =>
  new Map(
    partsOf(message).flatMap((part) =>
      part.type === 'tool-call' && part.provider ? [[part.id, getFields(part.provider)] as const] : [],
    ),
  );
