import {
  type Infer,
  OPTIONAL_TEXT,
  OPTIONAL_TRUE,
  type Shape,
  type ShapeAs,
  TEXT,
  type WithUndefined,
} from '../tool/shape.ts';

/**
 * Provider data of a part or a reply, by provider name, such as signatures, encrypted reasoning or ids. It is
 * JSON that the journal stores. It goes back unchanged, and only to the model that made it.
 */
export type ProviderData = { readonly [provider: string]: ProviderJson };

/** JSON from a provider. */
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

const PART_BASE = {
  object: {
    /** Provider data, which goes back unchanged to the maker of the part. */
    provider: { optional: PROVIDER_DATA },
  },
} as const satisfies Shape;

/** Text of an answer. */
export interface TextPart extends WithUndefined<Infer<typeof TEXT_PART>> {}
const TEXT_PART = {
  object: {
    type: { only: 'text' },
    /** The text. Can be empty if the part has provider data. */
    text: TEXT,
  },
  and: PART_BASE,
} as const satisfies Shape;

/** A model's reasoning, as far as its provider exposes it. It is never part of an answer. */
export interface ReasoningPart extends WithUndefined<Infer<typeof REASONING_PART>> {}
const REASONING_PART = {
  object: { type: { only: 'reasoning' }, text: TEXT },
  and: PART_BASE,
} as const satisfies Shape;

/** A file that a model made. */
export interface FilePart extends WithUndefined<Infer<typeof FILE_PART>> {}
const FILE_PART = {
  object: {
    type: { only: 'file' },
    /** The media type, such as `image/png`. */
    mediaType: TEXT,
    /** Base64 or a URL. */
    data: TEXT,
    /** `true` if it belongs to the reasoning. It is then never part of an answer. */
    ofReasoning: OPTIONAL_TRUE,
  },
  and: PART_BASE,
} as const satisfies Shape;

const TOOL_CALL_PART = {
  object: {
    type: { only: 'tool-call' },
    /** The provider's call id, unique in its reply. */
    id: TEXT,
    name: TEXT,
    /** The model's own text, which need not be JSON. */
    input: TEXT,
  },
  and: PART_BASE,
} as const satisfies Shape;

/** A call that the provider has run or is running. */
const PROVIDER_CALL = {
  object: { ranBy: { only: 'provider' } },
  and: TOOL_CALL_PART,
} as const satisfies Shape;

/** A call in a reply. `ranBy` marks a call that the provider has run or is running. */
export interface ToolCallPart extends WithUndefined<Infer<typeof TOOL_CALL_PART>> {
  readonly ranBy?: 'provider' | undefined;
}

/** The result of a call that the provider ran. */
export interface ToolResultPart extends WithUndefined<Infer<typeof TOOL_RESULT_PART>> {}
const TOOL_RESULT_PART = {
  object: {
    type: { only: 'tool-result' },
    /** The id of its call. */
    id: TEXT,
    name: TEXT,
    result: PROVIDER_JSON,
    isError: OPTIONAL_TRUE,
  },
  and: PART_BASE,
} as const satisfies Shape;

/** A source of the answer's text. */
export interface SourcePart extends WithUndefined<Infer<typeof SOURCE_PART>> {}
const SOURCE_PART = {
  object: {
    type: { only: 'source' },
    id: TEXT,
    /** The URL of the source, if it is a page. */
    url: OPTIONAL_TEXT,
    title: OPTIONAL_TEXT,
    /** The media type, if the source is a document. */
    mediaType: OPTIONAL_TEXT,
    filename: OPTIONAL_TEXT,
  },
  and: PART_BASE,
} as const satisfies Shape;

/** A part that only its provider understands. It is stored and sent back. */
export interface CustomPart extends WithUndefined<Infer<typeof CUSTOM_PART>> {}
const CUSTOM_PART = {
  object: {
    type: { only: 'custom' },
    /** The provider's name for the kind of part. */
    kind: TEXT,
  },
  and: PART_BASE,
} as const satisfies Shape;

/** The parts that the journal stores unchanged: all except the calls for Holdfast to run. */
export const OTHER_PART = {
  anyOf: [TEXT_PART, REASONING_PART, FILE_PART, PROVIDER_CALL, TOOL_RESULT_PART, SOURCE_PART, CUSTOM_PART],
} as const satisfies Shape;

/**
 * One part of a reply. Parts keep the model's order, and go back to it in that order. The answer is the
 * joined text parts. The calls for Holdfast are the `tool-call` parts without `ranBy`.
 */
export type ReplyPart =
  | TextPart
  | ReasoningPart
  | FilePart
  | ToolCallPart
  | ToolResultPart
  | SourcePart
  | CustomPart;

/** A file for a model, in a message or a result. */
export interface MessageFile {
  readonly type: 'file';
  /** The media type, such as `image/png`. */
  readonly mediaType: string;
  /** Base64 or an https URL. */
  readonly data: string;
  readonly name?: string | undefined;
  /** An id that identifies the content: equal ids mean equal files. */
  readonly id?: string | undefined;
  /** The size in bytes, if it is known. */
  readonly size?: number | undefined;
}

/** One part of a message or a result for a model. */
export type MessagePart = { readonly type: 'text'; readonly text: string } | MessageFile;

/**
 * One tool call of a reply. `input` is the model's own text, which need not be JSON. `id` is the provider's,
 * unique in its reply.
 */
export type RequestedCall = Pick<ToolCallPart, 'id' | 'name' | 'input'>;

/** The maker of a reply. Its provider data goes back only to a model of the same provider and name. */
export interface ReplyMaker {
  /** The `ChatModel.provider`, or an empty string if it is unknown. */
  readonly provider: string;
  /** The `ChatModel.name`. */
  readonly model: string;
}

export const joinTextParts = (parts: readonly { readonly type: string }[]): string =>
  parts.map((part) => (isText(part) ? part.text : '')).join('');

const isText = (part: { readonly type: string }): part is TextPart => part.type === 'text';

/** Returns whether the part is a call for Holdfast to run, and not one that the provider ran. */
export const isOurCall = <Part extends { readonly type: string }>(
  part: Part,
): part is Exclude<Extract<Part, { readonly type: 'tool-call' }>, { readonly ranBy: 'provider' }> =>
  part.type === 'tool-call' && !('ranBy' in part && part.ranBy === 'provider');

/** Returns the calls of a reply for Holdfast to run. */
export const listCalls = (parts: readonly ReplyPart[]): RequestedCall[] =>
  parts.filter(isOurCall).map(({ id, name, input }) => ({ id, name, input }));

/**
 * Returns whether a reply has only text followed by calls, without provider data. Text and calls then
 * represent it in full.
 */
export const isPlainReply = (parts: readonly ReplyPart[]): boolean =>
  parts.every(
    (part, index) =>
      part.provider === undefined && ((part.type === 'text' && index === 0) || isOurCall(part)),
  );

/** Returns the parts of a reply with only text and calls. */
export const toPlainParts = (text: string, calls: readonly RequestedCall[]): ReplyPart[] => [
  ...(text === '' ? [] : [{ type: 'text', text } as const]),
  ...calls.map((call) => ({ type: 'tool-call', ...call }) as const),
];
