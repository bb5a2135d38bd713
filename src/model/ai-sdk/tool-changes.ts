import type { ChatModel, ModelMessage, ModelRequest, ToolDefinition, ToolSetChange } from '../chat-model.ts';
import { getInitialTools, showToolsChanges, signPrefix } from '../late-tools.ts';
import type { ProviderData, ProviderJson } from '../parts.ts';
import type { ReasoningEffort } from '../settings.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import { getAtPath } from './provider-data.ts';
import type { SdkTraits } from './traits.ts';

/** The format in which a model receives tool changes within the conversation. */
interface ToolChangeFormat {
  /** Returns the options of an empty system message with the change. */
  readonly options: (change: ToolSetChange) => ProviderData;
  /** Returns whether this format can express the change. */
  readonly canExpress: (change: ToolSetChange) => boolean;
}

/** Returns the traits of a `ChatModel` for tool changes and signed prefixes. */
export const getPrefixTraits = ({
  toolChanges,
  signsPrefix,
}: SdkTraits): Pick<ChatModel, 'showToolsChanges' | 'signPrefix'> => ({
  ...(toolChanges && { showToolsChanges }),
  ...(signsPrefix && { signPrefix }),
});

const TOOL_CHANGE_FORMATS: Readonly<Record<NonNullable<SdkTraits['toolChanges']>, ToolChangeFormat>> = {
  anthropic: { options: toAnthropic, canExpress: () => true },
  openai: { options: toOpenAI, canExpress: isAddition },
};

/** A request whose tool changes are in its model's format. */
export interface RequestWithToolChanges {
  readonly messages: readonly ModelMessage[];
  /**
   * The tools at the start of the conversation, if its messages hold the later changes; otherwise all tools.
   */
  readonly tools: readonly ToolDefinition[];
  readonly optionsOf: (change: ToolSetChange) => ProviderData;
}

/**
 * Converts the tool changes of a request to its model's format. If the format cannot express a change, that
 * change and all earlier ones are left out. The tool list then shows the state after it.
 */
export function withToolChanges(
  { toolChanges }: SdkTraits,
  { messages, tools }: ModelRequest,
): RequestWithToolChanges {
  const format = toolChanges && TOOL_CHANGE_FORMATS[toolChanges];
  const from = messages.findLastIndex(
    (message) => message.role === 'system' && message.toolsChange && !format?.canExpress(message.toolsChange),
  );
  const told = messages.filter(
    (message, at) => at > from || message.role !== 'system' || !message.toolsChange,
  );
  return { messages: told, tools: getInitialTools(told, tools), optionsOf: format?.options ?? (() => ({})) };
}

/** Returns a change in Anthropic's format. A definition replaces the one with the same name. */
function toAnthropic({ came, went }: ToolSetChange): ProviderData {
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
    ? { type: 'provider', name, id: providerTool.id, args: toProviderJson(providerTool.args) }
    : { type: 'function', name, description, inputSchema: toProviderJson(inputSchema) };

/**
 * Returns whether a change only adds tools. OpenAI has no format for a removal. The model keeps the earlier
 * description of a replaced tool.
 */
function isAddition(change: ToolSetChange): boolean {
  const came = new Set(change.came.map(({ name }) => name));
  return (
    change.went.every(({ name }) => came.has(name)) &&
    listNewTools(change).every((tool) => !tool.providerTool)
  );
}

function listNewTools({ came, went }: ToolSetChange): readonly ToolDefinition[] {
  const there = new Set(went.map(({ name }) => name));
  return came.filter(({ name }) => !there.has(name));
}

function toOpenAI(change: ToolSetChange): ProviderData {
  const additionalTools = listNewTools(change).map(({ name, description, inputSchema }) => ({
    type: 'function',
    name,
    description,
    parameters: toProviderJson(inputSchema),
  }));
  return { openai: { additionalTools } };
}

/** Returns a value as JSON. Schemas and tool arguments are sent as JSON, but their types do not say so. */
const toProviderJson = (value: object): ProviderJson => JSON.parse(JSON.stringify(value));

/**
 * Asks Claude to drop thoughts whose prefix has changed, since it would otherwise refuse the request. In a
 * thinking mode without this option, these thoughts are removed here.
 */
export function dropMovedThoughts(
  { toolChanges }: SdkTraits,
  messages: readonly ModelMessage[],
  { settings = {} }: ModelRequest,
): Pick<ModelRequest, 'messages' | 'settings'> {
  if (!messages.some((message) => message.role === 'assistant' && message.movedPrefix))
    return { messages, settings };
  // Other servers of Claude have no such option.
  if (toolChanges !== 'anthropic') return { messages: messages.map(toTextAndCalls), settings };
  const { providerOptions = {}, reasoning } = settings;
  const { anthropic } = providerOptions;
  const given = getAtPath(anthropic, 'thinking');
  const thinking: UntrustedRecord = isRecord(given) ? given : toThinkingMode(reasoning);
  if (thinking.type !== undefined && thinking.type !== 'adaptive') {
    return { messages: messages.map(withoutThoughts), settings };
  }
  const bound = toProviderJson({ ...thinking, blockBinding: { prefixMismatchBehavior: 'drop_block' } });
  const own = { ...(isRecord(anthropic) && (anthropic as ProviderData)), thinking: bound };
  return { messages, settings: { ...settings, providerOptions: { ...providerOptions, anthropic: own } } };
}

function toTextAndCalls(message: ModelMessage): ModelMessage {
  if (message.role !== 'assistant' || !message.movedPrefix) return message;
  const { role, text, toolCalls } = message;
  return { role, text, toolCalls };
}

/**
 * Returns the thinking mode that the SDK derives from an effort, for a model that signs its prefix. Without
 * an effort the server decides.
 */
function toThinkingMode(reasoning: ReasoningEffort | undefined): UntrustedRecord {
  if (reasoning === undefined) return {};
  return reasoning === 'none' ? { type: 'disabled' } : { type: 'adaptive', display: 'summarized' };
}

function withoutThoughts(message: ModelMessage): ModelMessage {
  if (message.role !== 'assistant' || !message.movedPrefix || !message.parts) return message;
  return { ...message, parts: message.parts.filter(({ type }) => type !== 'reasoning') };
}
