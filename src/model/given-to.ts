import type { ChatModel, ModelMessage } from './chat-model.ts';
import { type MadeBy, type ProviderJson, plainParts, type ReplyPart } from './parts.ts';

type Assistant = Extract<ModelMessage, { readonly role: 'assistant' }>;

/**
 * Answers the parts of a reply in a conversation, in their order: those that it has, and of one without parts its words, unless
 * there are none, and then its calls.
 */
export const partsOf = ({ parts, text, toolCalls }: Assistant): readonly ReplyPart[] =>
  parts ?? plainParts(text, toolCalls);

/**
 * A reply as this model may be given it. Its own replies stay whole, and so do those for a model that chooses from others. Of another's,
 * what only its maker can read is left out, and what its provider ran is told in words.
 */
export function givenTo(
  { provider = '', name, candidates }: Pick<ChatModel, 'provider' | 'name' | 'candidates'>,
  reply: Assistant,
): Assistant {
  const { madeBy } = reply;
  const isOwn = madeBy?.provider === provider && madeBy.model === name;
  return candidates || !reply.parts || isOwn ? reply : inOwnWords(reply);
}

/** A reply without anything that only its maker could read. */
const inOwnWords = ({ role, text, toolCalls, parts = [] }: Assistant): Assistant => ({
  role,
  text: replyInWords(parts, { text, calls: toolCalls }),
  toolCalls,
});

/**
 * Answers the words of a reply, and behind them what its provider ran and made, as far as words can tell that. Never
 * nothing, unless the reply has calls: some providers refuse an empty message.
 */
export function replyInWords(
  parts: readonly ReplyPart[],
  { text, calls }: { readonly text: string; readonly calls: readonly unknown[] },
): string {
  const ran = parts.flatMap(wordsForPart);
  const words = ran.length === 0 ? text : [text, `(${ran.join(' ')})`].filter(Boolean).join('\n\n');
  return words.trim() === '' && calls.length === 0 ? NO_RESPONSE : words;
}

/** Stands for a reply that says nothing. */
export const NO_RESPONSE = '(no response)';

/** A part in words; nothing of one that need not be told, or that only its maker can read. */
function wordsForPart(part: ReplyPart): readonly string[] {
  switch (part.type) {
    case 'tool-call':
      return part.ranBy ? [`Its provider ran '${part.name}' with the input ${part.input}.`] : [];
    case 'tool-result':
      return [`'${part.name}' ${part.isError ? 'failed' : 'answered'}: ${shortJson(part.result)}`];
    case 'file':
      return part.ofReasoning ? [] : [`It made a file of the type '${part.mediaType}'.`];
    default:
      return [];
  }
}

/** The beginning of what a provider's own tool answered: it may be pages, and this model did not ask for them. */
const shortJson = (value: ProviderJson): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_RESULT ? `${text.slice(0, MAX_RESULT)}…` : text;
};

const MAX_RESULT = 2_000;

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
