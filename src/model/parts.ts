import {
  type Infer,
  type Loose,
  OPTIONAL_TEXT,
  OPTIONAL_YES,
  type Shape,
  type ShapeAs,
  TEXT,
} from '../tool/shape.ts';

/**
 * What a provider keeps beside a part or a reply, by its name, such as signatures, encrypted reasoning or ids of its own: JSON that
 * is journaled, shown to nobody else, and given back to the model that made it as it came.
 */
export type ProviderData = { readonly [provider: string]: ProviderJson };

/** JSON as a provider gave it. */
export type ProviderJson =
  | string
  | number
  | boolean
  | null
  | readonly ProviderJson[]
  | { readonly [key: string]: ProviderJson };

const PROVIDER_JSON: ShapeAs<ProviderJson> = { schema: {} };
export const PROVIDER_DATA: ShapeAs<ProviderData> = {
  schema: { type: 'object', additionalProperties: true },
};

const PART = {
  object: {
    /** Goes back to whoever made the part, as it came. */
    provider: { optional: PROVIDER_DATA },
  },
} as const satisfies Shape;

/** Words of an answer. */
export interface TextPart extends Loose<Infer<typeof TEXT_PART>> {}
const TEXT_PART = {
  object: {
    type: { only: 'text' },
    /** May be empty, where a provider keeps something beside it. */
    text: TEXT,
  },
  and: PART,
} as const satisfies Shape;

/** What a model thought, as far as its provider tells: never a part of an answer. */
export interface ReasoningPart extends Loose<Infer<typeof REASONING_PART>> {}
const REASONING_PART = {
  object: { type: { only: 'reasoning' }, text: TEXT },
  and: PART,
} as const satisfies Shape;

/** A file that a model made. */
export interface FilePart extends Loose<Infer<typeof FILE_PART>> {}
const FILE_PART = {
  object: {
    type: { only: 'file' },
    /** Such as `image/png`. */
    mediaType: TEXT,
    /** Base64, or the URL where it is. */
    data: TEXT,
    /** It belongs to the reasoning, and is never a part of an answer. */
    ofReasoning: OPTIONAL_YES,
  },
  and: PART,
} as const satisfies Shape;

const CALL = {
  object: {
    type: { only: 'tool-call' },
    /** The provider's, unique in its reply. */
    id: TEXT,
    name: TEXT,
    /** The model's own text, JSON or not. */
    input: TEXT,
  },
  and: PART,
} as const satisfies Shape;

/** A call that the provider has run, or runs itself. */
const PROVIDERS_CALL = { object: { ranBy: { only: 'provider' } }, and: CALL } as const satisfies Shape;

/** A call that a reply asks for; with `ranBy`, one that the provider has run or runs itself. */
export interface ToolCallPart extends Loose<Infer<typeof CALL>> {
  readonly ranBy?: 'provider' | undefined;
}

/** What came of a call that the provider ran itself. */
export interface ToolResultPart extends Loose<Infer<typeof TOOL_RESULT_PART>> {}
const TOOL_RESULT_PART = {
  object: {
    type: { only: 'tool-result' },
    /** The id of the call that it answers. */
    id: TEXT,
    name: TEXT,
    result: PROVIDER_JSON,
    isError: OPTIONAL_YES,
  },
  and: PART,
} as const satisfies Shape;

/** Where words of the answer come from. */
export interface SourcePart extends Loose<Infer<typeof SOURCE_PART>> {}
const SOURCE_PART = {
  object: {
    type: { only: 'source' },
    id: TEXT,
    /** The address of the source, where it is a page. */
    url: OPTIONAL_TEXT,
    title: OPTIONAL_TEXT,
    /** Of a document that is no page. */
    mediaType: OPTIONAL_TEXT,
    filename: OPTIONAL_TEXT,
  },
  and: PART,
} as const satisfies Shape;

/** What only its provider knows: kept and given back. */
export interface CustomPart extends Loose<Infer<typeof CUSTOM_PART>> {}
const CUSTOM_PART = {
  object: {
    type: { only: 'custom' },
    /** What kind of part it is, as its provider names it. */
    kind: TEXT,
  },
  and: PART,
} as const satisfies Shape;

/** The parts that are journaled as a model gave them: all but the calls that are ours to run. */
export const OTHER_PART = {
  anyOf: [TEXT_PART, REASONING_PART, FILE_PART, PROVIDERS_CALL, TOOL_RESULT_PART, SOURCE_PART, CUSTOM_PART],
} as const satisfies Shape;

/**
 * One part of a reply. Their order is that in which the model gave them, and in which they go back to it. What is answered in
 * words is the text parts, joined; our calls are the `tool-call` parts without `ranBy`.
 */
export type ReplyPart =
  | TextPart
  | ReasoningPart
  | FilePart
  | ToolCallPart
  | ToolResultPart
  | SourcePart
  | CustomPart;

/** A file that is sent to a model, in a message or in a result. */
export interface MessageFile {
  readonly type: 'file';
  /** Such as `image/png`. */
  readonly mediaType: string;
  /** Base64, or the https URL where it is. */
  readonly data: string;
  readonly name?: string | undefined;
  /** By which it is told from others: of the same id it is the same file. */
  readonly id?: string | undefined;
  /** In bytes, where that is known. */
  readonly size?: number | undefined;
}

/** One part of what is sent to a model. */
export type MessagePart = { readonly type: 'text'; readonly text: string } | MessageFile;

/** One tool call of a reply. `input` is the model's own text, JSON or not; `id` is the provider's, unique in its reply. */
export type RequestedCall = Pick<ToolCallPart, 'id' | 'name' | 'input'>;

/** Who made a reply: what it holds beside words and calls goes back to a model of the same provider and name alone. */
export interface MadeBy {
  /** As `ChatModel.provider`; empty where that is not known. */
  readonly provider: string;
  /** As `ChatModel.name`. */
  readonly model: string;
}

/** Answers the words of a reply. */
export const wordsOf = (parts: readonly { readonly type: string }[]): string =>
  parts.map((part) => (isText(part) ? part.text : '')).join('');

const isText = (part: { readonly type: string }): part is TextPart => part.type === 'text';

/** The part asks us to run a tool: the provider has not. */
export const isOurCall = <Part extends { readonly type: string }>(
  part: Part,
): part is Exclude<Extract<Part, { readonly type: 'tool-call' }>, { readonly ranBy: 'provider' }> =>
  part.type === 'tool-call' && !('ranBy' in part && part.ranBy === 'provider');

/** Answers the calls of a reply that are ours to run. */
export const callsOf = (parts: readonly ReplyPart[]): RequestedCall[] =>
  parts.filter(isOurCall).map(({ id, name, input }) => ({ id, name, input }));

/**
 * Whether a reply says no more than its words and then its calls: so that both together are all of it, and nothing of its
 * provider's is lost with the parts.
 */
export const isPlain = (parts: readonly ReplyPart[]): boolean =>
  parts.every(
    (part, index) =>
      part.provider === undefined && ((part.type === 'text' && index === 0) || isOurCall(part)),
  );

/** The parts of a reply that has only words and calls. */
export const plainParts = (text: string, calls: readonly RequestedCall[]): ReplyPart[] => [
  ...(text === '' ? [] : [{ type: 'text', text } as const]),
  ...calls.map((call) => ({ type: 'tool-call', ...call }) as const),
];
