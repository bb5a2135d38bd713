import type { ChatModel, ModelMessage, RequestedCall } from './chat-model.ts';

/** What a provider keeps beside a part, such as signatures, encrypted reasoning or ids of its own: JSON that nobody else reads. */
export type ProviderData = { readonly [provider: string]: ProviderJson };

/** JSON as a provider gave it. */
export type ProviderJson =
  | string
  | number
  | boolean
  | null
  | readonly ProviderJson[]
  | { readonly [key: string]: ProviderJson };

interface PartBase {
  /** Goes back to whoever made the part, as it came. */
  readonly provider?: ProviderData | undefined;
}

/** Words of an answer. */
export interface TextPart extends PartBase {
  readonly type: 'text';
  /** May be empty, where a provider keeps something beside it. */
  readonly text: string;
}

/** What a model thought, as far as its provider tells: never a part of an answer. */
export interface ReasoningPart extends PartBase {
  readonly type: 'reasoning';
  readonly text: string;
}

/** A file that a model made. */
export interface FilePart extends PartBase {
  readonly type: 'file';
  /** Such as `image/png`. */
  readonly mediaType: string;
  /** Base64, or the URL where it is. */
  readonly data: string;
  /** It belongs to the reasoning, and is never a part of an answer. */
  readonly ofReasoning?: true | undefined;
}

/** A call that a reply asks for; with `ranBy`, one that the provider has run or runs itself. */
export interface ToolCallPart extends PartBase, RequestedCall {
  readonly type: 'tool-call';
  readonly ranBy?: 'provider' | undefined;
}

/** What came of a call that the provider ran itself. */
export interface ToolResultPart extends PartBase {
  readonly type: 'tool-result';
  /** Of the call. */
  readonly id: string;
  readonly name: string;
  readonly result: ProviderJson;
  readonly isError?: true | undefined;
}

/** Where words of the answer come from. */
export interface SourcePart extends PartBase {
  readonly type: 'source';
  readonly id: string;
  /** Of a page. */
  readonly url?: string | undefined;
  readonly title?: string | undefined;
  /** Of a document that is no page. */
  readonly mediaType?: string | undefined;
  readonly filename?: string | undefined;
}

/** What only its provider knows: kept and given back. */
export interface CustomPart extends PartBase {
  readonly type: 'custom';
  /** Named by the provider. */
  readonly kind: string;
}

/** One part of a reply. */
export type ReplyPart =
  | TextPart
  | ReasoningPart
  | FilePart
  | ToolCallPart
  | ToolResultPart
  | SourcePart
  | CustomPart;

/** Who made a reply. */
export interface MadeBy {
  /** As `ChatModel.provider`; empty where that is not known. */
  readonly provider: string;
  /** As `ChatModel.name`. */
  readonly model: string;
}

/** The model that made a reply: the one that was asked, or the candidate of it that answered. */
export function makerOf(model: ChatModel, { madeBy }: { readonly madeBy?: MadeBy | undefined }): ChatModel {
  if (!madeBy) return model;
  return findMaker(model, madeBy) ?? model;
}

const findMaker = (model: ChatModel, madeBy: MadeBy): ChatModel | undefined =>
  model.candidates
    ? model.candidates.map((one) => findMaker(one, madeBy)).find((found) => found !== undefined)
    : model.name === madeBy.model && (model.provider ?? '') === madeBy.provider
      ? model
      : undefined;

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

type Assistant = Extract<ModelMessage, { readonly role: 'assistant' }>;

/** Answers the parts of an earlier reply, in their order. */
export const partsOf = ({ parts, text, toolCalls }: Assistant): readonly ReplyPart[] =>
  parts ?? plainParts(text, toolCalls);

/**
 * The conversation as this model may be given it. Its own replies stay whole. Of another's, what only its maker can read is
 * left out, and what its provider ran is told in words.
 */
export const givenTo = (
  { provider = '', name, candidates }: Pick<ChatModel, 'provider' | 'name' | 'candidates'>,
  messages: readonly ModelMessage[],
): readonly ModelMessage[] =>
  candidates
    ? messages
    : messages.map((message) => {
        if (message.role !== 'assistant' || !message.parts) return message;
        const { madeBy } = message;
        return madeBy?.provider === provider && madeBy.model === name ? message : inOwnWords(message);
      });

/** A reply without anything that only its maker could read. */
function inOwnWords({ role, text, toolCalls, parts = [] }: Assistant): ModelMessage {
  const ran = parts.flatMap((part) => {
    if (part.type === 'tool-call' && part.ranBy)
      return [`Its provider ran '${part.name}' with the input ${part.input}.`];
    if (part.type !== 'tool-result') return [];
    return [`'${part.name}' ${part.isError ? 'failed' : 'answered'}: ${shortJson(part.result)}`];
  });
  const words = ran.length === 0 ? text : [text, `(${ran.join(' ')})`].filter(Boolean).join('\n\n');
  return { role, text: words, toolCalls };
}

/** The beginning of what a provider's own tool answered: it may be pages, and this model did not ask for them. */
const shortJson = (value: ProviderJson): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_RESULT ? `${text.slice(0, MAX_RESULT)}…` : text;
};

const MAX_RESULT = 2_000;
