import type { ModelMessage, ModelRequest, WantedThoughts } from '../chat-model.ts';
import { answerInWords, partsOf, TOLD } from '../given-to.ts';
import type { MessagePart, ReplyPart, RequestedCall } from '../parts.ts';
import { within } from './provider-data.ts';
import type { SdkTraits } from './traits.ts';

type Assistant = Extract<ModelMessage, { readonly role: 'assistant' }>;
type Result = Extract<ModelMessage, { readonly role: 'tool' }>;

/**
 * Returns the messages with what the model's server wants of each reply with calls, in the same places: its server refuses those that
 * another model has made, since they come without.
 */
export function withThoughts(
  traits: SdkTraits,
  { messages, settings }: ModelRequest,
): readonly ModelMessage[] {
  switch (wantedBy(traits, messages)) {
    case 'budget':
      return isBudgeted(traits, settings) ? withForeignInWords(messages) : messages;
    case 'field':
      return messages.map(filledIn(hasReasoning, withBlankReasoning));
    case 'signature':
      return messages.map(filledIn(({ parts }) => parts !== undefined, withSentinel));
    default:
      return messages;
  }
}

/** What it wants by the table, or, of a server of any kind, by what it has given before. */
function wantedBy(
  { wantsThoughts, wantsItsOwn }: SdkTraits,
  messages: readonly ModelMessage[],
): WantedThoughts | undefined {
  if (wantsThoughts || !wantsItsOwn) return wantsThoughts;
  const own = messages.flatMap((message) => (message.role === 'assistant' ? (message.parts ?? []) : []));
  if (own.some(isSigned)) return 'signature';
  return own.some(({ type }) => type === 'reasoning') ? 'field' : undefined;
}

const isSigned = ({ type, provider = {} }: ReplyPart): boolean =>
  type === 'tool-call' &&
  Object.values(provider).some((data) => within(data, 'thoughtSignature') !== undefined);

/** Whether a request makes the model think by a budget: then, and not while it thinks as much as it likes, it wants its thoughts. */
function isBudgeted({ options, thinksByBudget }: SdkTraits, settings: ModelRequest['settings']): boolean {
  const { reasoning, providerOptions } = settings ?? {};
  const type =
    within(providerOptions, options, 'thinking', 'type') ??
    BEDROCK.map((name) => within(providerOptions, name, 'reasoningConfig', 'type')).find((one) => one);
  if (type !== undefined) return type === 'enabled';
  const isAsked =
    within(providerOptions, 'openrouter', 'reasoning') !== undefined && options === 'openrouter';
  return thinksByBudget === true && (isAsked || (reasoning !== undefined && reasoning !== 'none'));
}

const BEDROCK = ['bedrock', 'amazonBedrock'];

/**
 * Of the open turn, replies with calls before which the model has not thought are told in words, and so are their results. What it
 * called behind a thought of the same turn is its own.
 */
function withForeignInWords(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const from = 1 + messages.findLastIndex((one) => one.role === 'assistant' && one.toolCalls.length === 0);
  let hasThought = false;
  let foreign: Assistant | undefined;
  let isFirst = true;
  return messages.map((message, at) => {
    if (at < from) return message;
    if (message.role === 'assistant') {
      hasThought = beginsWithThought(message) || (hasThought && message.parts !== undefined);
      foreign = hasThought ? undefined : message;
      isFirst = true;
      return foreign ? { role: 'assistant', text: message.text, toolCalls: [] } : message;
    }
    if (message.role !== 'tool' || !foreign) return message;
    const told = inWords(message, foreign.toolCalls, isFirst);
    isFirst = false;
    return told;
  });
}

const beginsWithThought = (message: Assistant): boolean => partsOf(message)[0]?.type === 'reasoning';

/** A result as a message of the user's: those of one reply follow each other, and the first says what they are. */
function inWords(
  { id, text, parts }: Result,
  calls: readonly RequestedCall[],
  isFirst: boolean,
): ModelMessage {
  const call = calls.find((one) => one.id === id);
  const line = call ? answerInWords(call, text) : text;
  const words = isFirst ? `${TOLD}\n${line}` : line;
  const files = (parts ?? []).filter(({ type }) => type === 'file');
  const all: readonly MessagePart[] = [{ type: 'text', text: words }, ...files];
  return { role: 'user', text: words, ...(files.length > 0 && { parts: all }) };
}

/** Gives each reply with calls what it lacks. */
const filledIn =
  (has: (message: Assistant) => boolean, fill: (parts: readonly ReplyPart[]) => readonly ReplyPart[]) =>
  (message: ModelMessage): ModelMessage =>
    message.role !== 'assistant' || message.toolCalls.length === 0 || has(message)
      ? message
      : { ...message, parts: fill(partsOf(message)) };

const hasReasoning = (message: Assistant): boolean =>
  partsOf(message).some((part) => part.type === 'reasoning' && part.text !== '');

/** Kimi takes an empty text for none, and a package leaves it out. */
const withBlankReasoning = (parts: readonly ReplyPart[]): readonly ReplyPart[] => [
  { type: 'reasoning', text: BLANK },
  ...parts,
];

/** What stands for the thoughts of a model that has thought nothing to be shown. */
const BLANK = ' ';

/** Google's word for calls that its model has not made. One signature stands for all calls of a reply. */
function withSentinel(parts: readonly ReplyPart[]): readonly ReplyPart[] {
  const first = parts.find(({ type }) => type === 'tool-call');
  const provider = { google: { thoughtSignature: SENTINEL } };
  return parts.map((part) => (part === first ? { ...part, provider } : part));
}

const SENTINEL = 'skip_thought_signature_validator';
