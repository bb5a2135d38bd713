import {
  ModelError,
  type ModelMessage,
  type ModelRequest,
  type ToolDefinition,
  type WantedThoughts,
} from '../chat-model.ts';
import { describeFile, isLinked, toFileUrl } from '../given-to.ts';
import type { MessagePart } from '../parts.ts';
import { type ModelSettings, omitUndefined } from '../settings.ts';
import { isRecord, type UntrustedRecord } from '../untrusted-json.ts';
import { isJsonObjectText } from '../untrusted-reply.ts';
import { getReturnedCallFields, getReturnedFields } from './kept-fields.ts';

/** The server's form of messages and earlier replies. */
export interface WireFormat {
  /** The name in error messages. Defaults to "Chat completions". */
  readonly called?: string | undefined;
  /** `true` if it does not fetch files from URLs. */
  readonly fetchesNothing?: boolean | undefined;
}

/**
 * Converts a message to chat completions. The `content` of a reply with only tool calls is `null`. Provider
 * data of a reply is sent in its original fields, even if it is empty. Results become text, because the
 * protocol supports files only in messages.
 *
 * @throws ModelError `bad-request` that names the type of an unsupported file.
 */
export const toWireMessage = (message: ModelMessage, manner: WireFormat = {}) => {
  switch (message.role) {
    case 'system':
      return { role: message.role, content: message.text };
    case 'user': {
      const content = message.parts?.map((part) => toWirePart(part, manner)) ?? message.text;
      return { role: message.role, content };
    }
    case 'assistant': {
      const given = getReturnedFields(message);
      if (message.toolCalls.length === 0) return { role: 'assistant', content: message.text, ...given };
      const content = message.text || null;
      return { role: 'assistant', content, ...given, tool_calls: toWireCalls(message) };
    }
    case 'tool':
      return { role: 'tool', tool_call_id: message.id, content: message.text };
  }
};

/** A message to send, with fields that can be filled in. */
interface WireMessage {
  readonly role: string;
  reasoning_content?: unknown;
  readonly tool_calls?: readonly { readonly id: string; extra_content?: unknown }[];
}

/**
 * Adds the data that a server requires in replies with calls, but that replies of other models lack. The
 * requirement follows from the server's traits or its earlier replies. The signature is Google's marker for
 * calls that its model did not make.
 */
export function addRequiredThoughts(sent: readonly WireMessage[], wants: WantedThoughts | undefined): void {
  let [field, signature] = [wants === 'field', wants === 'signature'];
  for (const { reasoning_content: thought, tool_calls: calls } of sent) {
    field ||= calls !== undefined && thought !== undefined;
    signature ||= Boolean(calls?.[0]?.extra_content);
  }
  for (const one of sent) {
    const call = one.tool_calls?.[0];
    // Kimi refuses '' as missing and accepts ' '. DeepSeek accepts any text (theopenco/llmgateway/pull/2093).
    // An '' is sent only to the model that made it.
    if (call && field) one.reasoning_content ??= ' ';
    if (call && signature) call.extra_content ??= SENTINEL;
  }
}

const SENTINEL = { google: { thought_signature: 'skip_thought_signature_validator' } };

function toWirePart(part: MessagePart, { called = 'Chat completions', fetchesNothing }: WireFormat) {
  if (part.type === 'text') return { type: part.type, text: part.text };
  const { mediaType, data, name = 'document.pdf' } = part;
  if (mediaType.startsWith('image/') && !(isLinked(part) && fetchesNothing)) {
    return { type: 'image_url', image_url: { url: toFileUrl(part) } };
  }
  if (!isLinked(part)) {
    const format = AUDIO_FORMATS.get(mediaType);
    if (format) return { type: 'input_audio', input_audio: { data, format } };
    if (mediaType === 'application/pdf') {
      return { type: 'file', file: { filename: name, file_data: toFileUrl(part) } };
    }
  }
  throw new ModelError('bad-request', `${called} cannot accept ${describeFile(part)}.`);
}

/** The protocol's names of its audio formats. */
const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/wave', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp3', 'mp3'],
]);

/**
 * Converts a tool to chat completions.
 *
 * @throws ModelError `bad-request` for a tool that only another provider runs.
 */
export const toWireTool = ({ name, description, inputSchema, providerTool }: ToolDefinition) => {
  if (providerTool) {
    const words = `The model cannot use the tool '${name}': only the provider of '${providerTool.id}' can run it.`;
    throw new ModelError('bad-request', words);
  }
  return { type: 'function', function: { name, description, parameters: inputSchema } };
};

/** Converts earlier calls to chat completions. */
const toWireCalls = (message: Extract<ModelMessage, { role: 'assistant' }>) => {
  const given = getReturnedCallFields(message);
  return message.toolCalls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    // Several servers parse the arguments of earlier calls, and answer 400 to the model's own errors.
    function: { name, arguments: isJsonObjectText(input) ? input : '{}' },
    ...given.get(id),
  }));
};

/** Returns the settings that have the same field on every server. */
export const toCommonFields = ({ temperature, topP, seed, reasoning }: ModelSettings): UntrustedRecord =>
  omitUndefined({ temperature, top_p: topP, seed, reasoning_effort: reasoning });

/**
 * Returns the fields of the tool choice. Empty without tools, because OpenAI then refuses the fields.
 *
 * @throws ModelError `bad-request` if the request does not offer the chosen tool.
 */
export const toChoiceFields = (
  { toolChoice, parallelToolCalls }: ModelSettings,
  { tools }: Pick<ModelRequest, 'tools'>,
): UntrustedRecord => {
  if (tools.length === 0) return {};
  const parallel = { parallel_tool_calls: parallelToolCalls };
  if (typeof toolChoice !== 'object') return omitUndefined({ tool_choice: toolChoice, ...parallel });
  const { tool } = toolChoice;
  if (tools.some(({ name }) => name === tool))
    return omitUndefined({ tool_choice: { type: 'function', function: { name: tool } }, ...parallel });
  throw createBadRequestError(`'toolChoice' names the tool '${tool}', which this request does not offer.`);
};

/**
 * Returns the provider options for this adapter, as fields of its request.
 *
 * @throws ModelError `bad-request` if they are not an object, or contain a field of `ours`, which the adapter
 * sets itself.
 */
export const toProviderOptionFields = (
  { providerOptions }: ModelSettings,
  { key, ours }: { readonly key: string; readonly ours: ReadonlySet<string> },
): UntrustedRecord => {
  const own = providerOptions?.[key];
  if (own === undefined) return {};
  if (!isRecord(own)) throw createBadRequestError(`'providerOptions.${key}' must be an object.`);
  const field = Object.keys(own).find((name) => ours.has(name));
  if (field !== undefined)
    throw createBadRequestError(`'providerOptions.${key}.${field}' is set by the adapter. Omit it.`);
  return own;
};

/** Creates the error for an unsupported setting. The request was not sent. */
export const createBadRequestError = (problem: string): ModelError => new ModelError('bad-request', problem);
