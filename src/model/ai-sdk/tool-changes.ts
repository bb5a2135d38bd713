import type { ChatModel, ModelMessage, ModelRequest, ToolDefinition, ToolsTold } from '../chat-model.ts';
import { showToolsChanges, signPrefix, toolsBefore } from '../late-tools.ts';
import type { ProviderData, ProviderJson } from '../parts.ts';
import type { ReasoningEffort } from '../settings.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import { within } from './provider-data.ts';
import type { SdkModel } from './specification.ts';

/** How a model is told, in the conversation, which tools came and went; `undefined` where it is only given the list. */
interface Telling {
  /** The options of an empty system message that tells it. */
  readonly options: (change: ToolsTold) => ProviderData;
  /** Tells whether it has a form for a change. */
  readonly canTell: (change: ToolsTold) => boolean;
}

/** What a model of the SDK says of itself in this regard, by its name: its interface does not tell. */
export const prefixTraits = (model: SdkModel): Pick<ChatModel, 'showToolsChanges' | 'signPrefix'> => ({
  ...(tellingOf(model) && { showToolsChanges }),
  ...(signsPrefix(model) && { signPrefix }),
});

function tellingOf(model: SdkModel): Telling | undefined {
  if (signsPrefix(model) && isAnthropic(model)) return { options: toAnthropic, canTell: () => true };
  return loadsTools(model) ? { options: toOpenAI, canTell: isAddition } : undefined;
}

/** Claude from 5.5 on, and of Fable and Mythos from 5.1, checks all that stands before what it has thought, wherever it is served. */
const signsPrefix = ({ modelId }: SdkModel): boolean => {
  const [, family = '', major = '0', minor = '0'] = CLAUDE.exec(modelId) ?? [];
  return Number(major) + Number(minor) / 100 >= (/fable|mythos/.test(family) ? 5.01 : 5.05);
};

const isAnthropic = ({ provider }: SdkModel): boolean => /\banthropic\b/.test(provider);

const CLAUDE = /claude-(fable|mythos|opus|sonnet|haiku)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/;

/** OpenAI's models take tools at a place of the conversation from GPT-5.4 on, by the interface of responses alone. */
const loadsTools = ({ provider, modelId }: SdkModel): boolean => {
  const [, major = '0', minor = '0'] = /^gpt-(\d+)(?:\.(\d+))?(?!\d)/.exec(modelId) ?? [];
  return /^openai\.responses/.test(provider) && Number(major) + Number(minor) / 100 >= 5.04;
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
export function toldRequest(model: SdkModel, { messages, tools }: ModelRequest): ToldRequest {
  const telling = tellingOf(model);
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
const isAddition = (change: ToolsTold): boolean => {
  const came = new Set(change.came.map(({ name }) => name));
  return change.went.every(({ name }) => came.has(name)) && newIn(change).every((tool) => !tool.providerTool);
};

function newIn({ came, went }: ToolsTold): readonly ToolDefinition[] {
  const there = new Set(went.map(({ name }) => name));
  return came.filter(({ name }) => !there.has(name));
}

const toOpenAI = (change: ToolsTold): ProviderData => ({
  openai: {
    additionalTools: newIn(change).map(({ name, description, inputSchema }) => ({
      type: 'function',
      name,
      description,
      parameters: asJson(inputSchema),
    })),
  },
});

/** Schemas and arguments of tools are sent as JSON; their types only do not say so. */
const asJson = (value: object): ProviderJson => JSON.parse(JSON.stringify(value));

/**
 * Claude is told to leave out what it has thought where the prefix of that is another one by now, before it refuses the request:
 * with a way of thinking that cannot be told so, the thoughts themselves are left out.
 */
export function forMovedPrefixes(
  model: SdkModel,
  messages: readonly ModelMessage[],
  { settings = {} }: ModelRequest,
): Pick<ModelRequest, 'messages' | 'settings'> {
  if (!messages.some((message) => message.role === 'assistant' && message.movedPrefix))
    return { messages, settings };
  // Others that serve Claude have no word for it.
  if (!isAnthropic(model)) return { messages: messages.map(inWordsAndCalls), settings };
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
