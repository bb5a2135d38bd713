import type { ModelMessage, ModelRequest, WantedThoughts } from '../chat-model.ts';
import { formatCallResult, partsOf, TOOL_RESULTS_HEADING } from '../given-to.ts';
import type { MessagePart, ReplyPart, RequestedCall } from '../parts.ts';
import { getAtPath } from './provider-data.ts';
import type { SdkTraits } from './traits.ts';

type Assistant = Extract<ModelMessage, { readonly role: 'assistant' }>;
type Result = Extract<ModelMessage, { readonly role: 'tool' }>;

/**
 * Returns the messages with the thoughts that the model's server requires in each reply with calls. It would
 * refuse the replies of other models, which lack them. The number and order of the messages do not change.
 */
export function withRequiredThoughts(
  traits: SdkTraits,
  { messages, settings }: ModelRequest,
): readonly ModelMessage[] {
  switch (findRequiredThoughts(traits, messages)) {
    case 'budget':
      return isBudgeted(traits, settings) ? rewriteForeignReplies(messages) : messages;
    case 'field':
      return messages.map(createFiller(hasReasoning, withBlankReasoning));
    case 'signature':
      return messages.map(createFiller(({ parts }) => parts !== undefined, withSentinel));
    default:
      return messages;
  }
}

/**
 * Returns the kind of thoughts that the model requires: the kind in the table or, for an arbitrary server,
 * the kind in its earlier replies.
 */
function findRequiredThoughts(
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
  Object.values(provider).some((data) => getAtPath(data, 'thoughtSignature') !== undefined);

/**
 * Returns whether the request makes the model think by a budget. Only then does its server require thoughts,
 * and not while it thinks adaptively.
 */
function isBudgeted({ options, thinksByBudget }: SdkTraits, settings: ModelRequest['settings']): boolean {
  const { reasoning, providerOptions } = settings ?? {};
  const type =
    getAtPath(providerOptions, options, 'thinking', 'type') ??
    BEDROCK.map((name) => getAtPath(providerOptions, name, 'reasoningConfig', 'type')).find((one) => one);
  if (type !== undefined) return type === 'enabled';
  const isAsked =
    getAtPath(providerOptions, 'openrouter', 'reasoning') !== undefined && options === 'openrouter';
  return thinksByBudget === true && (isAsked || (reasoning !== undefined && reasoning !== 'none'));
}

const BEDROCK = ['bedrock', 'amazonBedrock'];

/**
 * Rewrites replies with calls in the open turn as text, with their results, if the model has not thought
 * before them. A call after a thought of the same turn counts as the model's own.
 */
function rewriteForeignReplies(messages: readonly ModelMessage[]): readonly ModelMessage[] {
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
    const told = toResultMessage(message, foreign.toolCalls, isFirst);
    isFirst = false;
    return told;
  });
}

const beginsWithThought = (message: Assistant): boolean => partsOf(message)[0]?.type === 'reasoning';

/**
 * Returns a result as a user message. The results of one reply are consecutive, and the first has a heading.
 */
function toResultMessage(
  { id, text, parts }: Result,
  calls: readonly RequestedCall[],
  isFirst: boolean,
): ModelMessage {
  const call = calls.find((one) => one.id === id);
  const line = call ? formatCallResult(call, text) : text;
  const words = isFirst ? `${TOOL_RESULTS_HEADING}\n${line}` : line;
  const files = (parts ?? []).filter(({ type }) => type === 'file');
  const all: readonly MessagePart[] = [{ type: 'text', text: words }, ...files];
  return { role: 'user', text: words, ...(files.length > 0 && { parts: all }) };
}

/** Creates a function that adds the missing data to each reply with calls. */
const createFiller =
  (has: (message: Assistant) => boolean, fill: (parts: readonly ReplyPart[]) => readonly ReplyPart[]) =>
  (message: ModelMessage): ModelMessage =>
    message.role !== 'assistant' || message.toolCalls.length === 0 || has(message)
      ? message
      : { ...message, parts: fill(partsOf(message)) };

const hasReasoning = (message: Assistant): boolean =>
  partsOf(message).some((part) => part.type === 'reasoning' && part.text !== '');

/** Adds a blank thought. Kimi treats an empty text as missing, and a package omits it. */
const withBlankReasoning = (parts: readonly ReplyPart[]): readonly ReplyPart[] => [
  { type: 'reasoning', text: BLANK_THOUGHT },
  ...parts,
];

/** Replaces the thoughts of a model that exposes none. */
const BLANK_THOUGHT = ' ';

/** Adds Google's marker for calls that its model did not make. One signature covers all calls of a reply. */
function withSentinel(parts: readonly ReplyPart[]): readonly ReplyPart[] {
  const first = parts.find(({ type }) => type === 'tool-call');
  const provider = { google: { thoughtSignature: SENTINEL } };
  return parts.map((part) => (part === first ? { ...part, provider } : part));
}

const SENTINEL = 'skip_thought_signature_validator';
