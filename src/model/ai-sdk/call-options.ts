import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Prompt,
  LanguageModelV4ProviderTool,
} from '@ai-sdk/provider';
import type {
  ModelMessage,
  ModelRequest,
  OutputFormat,
  ToolDefinition,
  ToolSetChange,
} from '../chat-model.ts';
import { partsOf } from '../given-to.ts';
import {
  type FilePart,
  isOurCall,
  type MessageFile,
  type MessagePart,
  type ProviderData,
  type ReplyPart,
  type ToolCallPart,
} from '../parts.ts';
import { isRecord, parseJson } from '../untrusted-json.ts';
import { toCacheOptions } from './cache.ts';
import { getAtPath, restoreAside, toReturnedOptions } from './provider-data.ts';
import { toSettings } from './settings.ts';
import { dropMovedThoughts, withToolChanges } from './tool-changes.ts';
import type { KnownModel } from './traits.ts';
import { withRequiredThoughts } from './wanted-thoughts.ts';

/**
 * This type depends on whether the types of `json-schema` are installed. Our JSON Schemas are valid values of
 * it.
 */
type Schema = LanguageModelV4FunctionTool['inputSchema'];

/**
 * Converts a request to the call options of the AI SDK.
 *
 * @throws ModelError `bad-request` that names an unsupported setting.
 */
export const toCallOptions = (
  known: KnownModel,
  given: ModelRequest,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions => {
  const { traits } = known;
  const request = { ...given, messages: withRequiredThoughts(traits, given) };
  const { output, maxOutputTokens } = request;
  const told = withToolChanges(traits, request);
  const { messages, settings } = dropMovedThoughts(traits, told.messages, request);
  const { tools } = told;
  const rawInput = traits.rawInput === true;
  const cache = toCacheOptions(traits, request, told.messages);
  return {
    prompt: toPrompt(messages, { rawInput, changeOptions: told.optionsOf, mark: cache.mark }),
    abortSignal,
    ...(given.headers || cache.headers.headers
      ? { headers: { ...given.headers, ...cache.headers.headers } }
      : {}),
    ...(tools.length === 0 ? {} : { tools: cache.markTools(tools.map(toTool)) }),
    ...(output === undefined ? {} : toFormat(output)),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...toSettings(known, { ...request, settings }, { ...getContainerOptions(messages), ...cache.options }),
  };
};

const toTool = ({
  name,
  description,
  inputSchema,
  providerTool,
}: ToolDefinition): LanguageModelV4FunctionTool | LanguageModelV4ProviderTool =>
  providerTool
    ? { type: 'provider', name, id: providerTool.id, args: { ...providerTool.args } }
    : { type: 'function', name, description, inputSchema: inputSchema as Schema };

const toFormat = ({ name, schema }: OutputFormat) => ({
  responseFormat: { type: 'json' as const, name, schema: schema as Schema },
});

/**
 * Returns the options for the container in which Anthropic's server runs code, while the reply that opened it
 * continues.
 */
function getContainerOptions(messages: readonly ModelMessage[]): ProviderData {
  const last = messages.findLast(({ role }) => role !== 'tool');
  const id = last?.role === 'assistant' && getAtPath(last.provider, 'anthropic', 'container', 'id');
  return typeof id === 'string' ? { anthropic: { container: { id } } } : {};
}

type PromptMessage = LanguageModelV4Prompt[number];
type Results = Extract<PromptMessage, { role: 'tool' }>;
type Assistant = Extract<PromptMessage, { role: 'assistant' }>;
type PromptPart = Assistant['content'][number];

/** The provider's form of a conversation. */
interface PromptFormat {
  /**
   * `true` if it sends the input of an earlier call as text. Other providers would encode it as JSON a second
   * time.
   */
  readonly rawInput: boolean;
  /** Returns the options of a system message with tool changes. */
  readonly changeOptions: (change: ToolSetChange) => ProviderData;
  /** Called with the prompt up to the message at index `at`. It marks the parts to cache. */
  readonly mark?: ((prompt: LanguageModelV4Prompt, at: number) => void) | undefined;
}

/**
 * Converts the conversation to the SDK's prompt. Replies keep their parts in order, each with its provider's
 * data. The results of one reply share a message, because Google compares their number with that of the
 * calls.
 */
function toPrompt(messages: readonly ModelMessage[], manner: PromptFormat): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  for (const [at, message] of messages.entries()) {
    const last = prompt.at(-1);
    if (message.role === 'tool' && last?.role === 'tool') last.content.push(toResult(message));
    else prompt.push(toPromptMessage(message, manner));
    manner.mark?.(prompt, at);
  }
  // Anthropic refuses a message without content.
  return prompt.filter(({ content, providerOptions }) => content.length > 0 || providerOptions);
}

function toPromptMessage(message: ModelMessage, manner: PromptFormat): PromptMessage {
  switch (message.role) {
    case 'system':
      return {
        role: 'system',
        content: message.text,
        ...toReturnedOptions(message.toolsChange && manner.changeOptions(message.toolsChange)),
      };
    case 'user':
      return { role: 'user', content: (message.parts ?? [toTextPart(message)]).map(toContent) };
    case 'assistant': {
      const content = partsOf(message).flatMap((part) => toPromptPart(restoreAside(part), manner));
      return { role: 'assistant', content, ...toReturnedOptions(message.provider) };
    }
    case 'tool':
      return { role: 'tool', content: [toResult(message)] };
  }
}

const toResult = ({
  id,
  name,
  text,
  parts,
}: Extract<ModelMessage, { role: 'tool' }>): Results['content'][number] => ({
  type: 'tool-result',
  toolCallId: id,
  toolName: name,
  output: parts ? { type: 'content', value: parts.map(toContent) } : { type: 'text', value: text },
});

const toTextPart = ({ text }: { readonly text: string }): MessagePart => ({ type: 'text', text });

/** Converts a part of a message or a result. The SDK uses the same form for both. */
function toContent(part: MessagePart) {
  if (part.type === 'text') return { type: part.type, text: part.text };
  const { type, mediaType, name } = part;
  return { type, mediaType, data: toFileData(part), ...(name !== undefined && { filename: name }) };
}

/** Converts a part of an earlier reply. Omits a source, which is meant for the reader only. */
function toPromptPart(part: ReplyPart, manner: PromptFormat): readonly PromptPart[] {
  const options = toReturnedOptions(part.provider);
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: part.type, text: part.text, ...options }];
    case 'file': {
      const type = part.ofReasoning ? 'reasoning-file' : 'file';
      return [{ type, mediaType: part.mediaType, data: toFileData(part), ...options }];
    }
    case 'tool-call':
      return [{ ...toCall(part, manner), ...options }];
    case 'tool-result': {
      const { id: toolCallId, name: toolName, result, isError } = part;
      const output = { type: isError ? ('error-json' as const) : ('json' as const), value: result };
      return [{ type: 'tool-result', toolCallId, toolName, output, ...options }];
    }
    case 'custom':
      return isKind(part.kind) ? [{ type: 'custom', kind: part.kind, ...options }] : [];
    case 'source':
      return [];
  }
}

const isKind = (kind: string): kind is `${string}.${string}` => kind.includes('.');

/** Returns the data of a file. Base64 contains no colon, and every URL does. */
const toFileData = ({ data }: FilePart | MessageFile) =>
  URL.canParse(data)
    ? { type: 'url' as const, url: new URL(data), originalUrl: data }
    : { type: 'data' as const, data };

function toCall(part: ToolCallPart, { rawInput }: PromptFormat) {
  const { id: toolCallId, name: toolName, input } = part;
  const parsed = parseJson(input);
  const call = { type: 'tool-call' as const, toolCallId, toolName };
  if (!isOurCall(part)) return { ...call, input: parsed ?? input, providerExecuted: true };
  // Several providers refuse an earlier input that is not an object, even if the model itself wrote it.
  if (!isRecord(parsed)) return { ...call, input: {} };
  return { ...call, input: rawInput ? input : parsed };
}
