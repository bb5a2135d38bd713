import type { ChatModel, ModelMessage, ModelRequest, ToolDefinition, ToolsTold } from '../chat-model.ts';
import { showToolsChanges, signPrefix, toolsBefore } from '../late-tools.ts';
import type { ProviderData, ProviderJson } from '../parts.ts';
import type { ReasoningEffort } from '../settings.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import { within } from './provider-data.ts';
import type { SdkTraits } from './traits.ts';

/** How a model is told, in the conversation, which tools came and went; `undefined` where it is only given the list. */
interface Telling {
  /** The options of an empty system message that tells it. */
  readonly options: (change: ToolsTold) => ProviderData;
  /** Tells whether it has a form for a change. */
  readonly canTell: (change: ToolsTold) => boolean;
}

/** What a model of the SDK says of itself in this regard. */
export const prefixTraits = ({
  toolChanges,
  signsPrefix,
}: SdkTraits): Pick<ChatModel, 'showToolsChanges' | 'signPrefix'> => ({
  ...(toolChanges && { showToolsChanges }),
  ...(signsPrefix && { signPrefix }),
});

const TELLING: Readonly<Record<NonNullable<SdkTraits['toolChanges']>, Telling>> = {
  anthropic: { options: toAnthropic, canTell: () => true },
  openai: { options: toOpenAI, canTell: isAddition },
};

/** The request as its model is to be told of tools that came and went, and the options of its system messages. */
export interface ToldRequest {
  readonly messages: readonly ModelMessage[];
  /** Those with which the conversation has begun, where what came since is told in it; else all. */
  readonly tools: readonly ToolDefinition[];
  readonly optionsOf: (change: ToolsTold) => ProviderData;
}

/**
 * Puts what came and went into the form of the model. Where that has none for a change, that one and all before it are not
 * told: the list is then as it was behind it.
 */
export function toldRequest({ toolChanges }: SdkTraits, { messages, tools }: ModelRequest): ToldRequest {
  const telling = toolChanges && TELLING[toolChanges];
  const from = messages.findLastIndex(
    (message) => message.role === 'system' && message.toolsChange && !telling?.canTell(message.toolsChange),
  );
  const told = messages.filter(
    (message, at) => at > from || message.role !== 'system' || !message.toolsChange,
  );
  return { messages: told, tools: toolsBefore(told, tools), optionsOf: telling?.options ?? (() => ({})) };
}

/** A definition under a name that is there replaces it. */
function toAnthropic({ came, went }: ToolsTold): ProviderData {
  const names = new Set(came.map(({ name }) => name));
  const gone = went.filter(({ name }) => !names.has(name));
  const toolChanges = [
    ...gone.map(({ name: toolName }) => ({ type: 'tool_removal', toolName })),
    ...came.map((tool) => ({ type: 'tool_addition', tool: toAnthropicTool(tool) })),
  ];
  return { anthropic: { toolChanges } };
}

const toAnthropicTool = ({ name, description, inputSchema, providerTool }: ToolDefinition) =>
  providerTool
    ? { type: 'provider', name, id: providerTool.id, args: asJson(providerTool.args) }
    : { type: 'function', name, description, inputSchema: asJson(inputSchema) };

/** What it has is not taken from it: of a tool that was replaced it keeps the description that it knows. */
function isAddition(change: ToolsTold): boolean {
  const came = new Set(change.came.map(({ name }) => name));
  return change.went.every(({ name }) => came.has(name)) && newIn(change).every((tool) => !tool.providerTool);
}

function newIn({ came, went }: ToolsTold): readonly ToolDefinition[] {
  const there = new Set(went.map(({ name }) => name));
  return came.filter(({ name }) => !there.has(name));
}

function toOpenAI(change: ToolsTold): ProviderData {
  const additionalTools = newIn(change).map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: asJson(inputSchema),
  }));
  return { openai: { additionalTools } };
}

/** Schemas and arguments of tools are sent as JSON; their types only do not say so. */
const asJson = (value: object): ProviderJson => JSON.parse(JSON.stringify(value));

/**
 * Claude is told to leave out what it has thought where the prefix of that is another one by now, before it refuses the request:
 * with a way of thinking that cannot be told so, the thoughts themselves are left out.
 */
export function forMovedPrefixes(
  { toolChanges }: SdkTraits,
  messages: readonly ModelMessage[],
  { settings = {} }: ModelRequest,
): Pick<ModelRequest, 'messages' | 'settings'> {
  if (!messages.some((message) => message.role === 'assistant' && message.movedPrefix))
    return { messages, settings };
  // Others that serve Claude have no word for it.
  if (toolChanges !== 'anthropic') return { messages: messages.map(inWordsAndCalls), settings };
  const { providerOptions = {}, reasoning } = settings;
  const { anthropic } = providerOptions;
  const given = within(anthropic, 'thinking');
  const thinking: UntrustedRecord = isRecord(given) ? given : thinkingBy(reasoning);
  if (thinking.type !== undefined && thinking.type !== 'adaptive') {
    return { messages: messages.map(withoutThoughts), settings };
  }
  const bound = asJson({ ...thinking, blockBinding: { prefixMismatchBehavior: 'drop_block' } });
  const own = { ...(isRecord(anthropic) && (anthropic as ProviderData)), thinking: bound };
  return { messages, settings: { ...settings, providerOptions: { ...providerOptions, anthropic: own } } };
}

function inWordsAndCalls(message: ModelMessage): ModelMessage {
  if (message.role !== 'assistant' || !message.movedPrefix) return message;
  const { role, text, toolCalls } = message;
  return { role, text, toolCalls };
}

/** What the SDK makes of an effort for a model that signs its prefix; without one the server decides. */
function thinkingBy(reasoning: ReasoningEffort | undefined): UntrustedRecord {
  if (reasoning === undefined) return {};
  return reasoning === 'none' ? { type: 'disabled' } : { type: 'adaptive', display: 'summarized' };
}

function withoutThoughts(message: ModelMessage): ModelMessage {
  if (message.role !== 'assistant' || !message.movedPrefix || !message.parts) return message;
  return { ...message, parts: message.parts.filter(({ type }) => type !== 'reasoning') };
}
