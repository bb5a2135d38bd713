/**
 * Reads the body of a chat completion request. Only its last messages are new. The session already contains
 * the earlier ones, which can identify it.
 */

import type { DeclaredTool } from '../../modules/client-tools/declared.ts';
import type { ContentPart } from '../../tool/content.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import type { RouteAgent } from '../../worker/module-request.ts';
import { type CallerInstructions, type InstructionText, readFormat, readInstructions } from './asked.ts';
import {
  checkParameters,
  checkToolChoice,
  createInvalidValueError,
  createUnsupportedParameterError,
  formatSetInCode,
  isEmpty,
  type KnownParameters,
  parseParts,
  readAgent,
  readFlag,
  readMessageFile,
  readMetadataField,
  toFilePart,
  toTextPart,
} from './read-body.ts';
import { type CallAnswerItem, readCallerWords, readCallResult } from './read-items.ts';
import { readFunctions } from './read-tools.ts';
import type { RequestExtras } from './response-types.ts';

/** A checked chat completion request. */
export interface ChatRequest {
  readonly agent: RouteAgent;
  readonly input:
    | {
        readonly type: 'message';
        readonly parts: readonly ContentPart[];
        /** The messages before the new one, unchanged. */
        readonly history: readonly Json[];
      }
    | { readonly type: 'answers'; readonly answers: readonly CallAnswerItem[] };
  /**
   * All messages, unchanged, without instructions. Instructions belong to one turn, and not to the
   * conversation.
   */
  readonly messages: readonly Json[];
  readonly asked: RequestExtras;
  /** The functions that the client declares. */
  readonly functions: readonly DeclaredTool[];
  readonly isStream: boolean;
  readonly includesUsage: boolean;
  /** The id of the session that the request names. */
  readonly session: string | undefined;
  /**
   * The fields that identify the conversation's user. They narrow a search in the caller's sessions and grant
   * no access, because a client can send any value.
   */
  readonly narrowing: readonly Json[];
}

const PARAMETERS: KnownParameters = {
  known: [
    ...['messages', 'stream_options', 'response_format', 'n', 'function_call', 'modalities'],
    ...['prediction', 'reasoning_effort', 'verbosity', 'seed', 'presence_penalty', 'frequency_penalty'],
    ...['logit_bias', 'logprobs', 'max_tokens', 'max_completion_tokens'],
  ],
  refused: {
    stop: "the agent's model ends its answers.",
    functions: formatSetInCode('tools'),
    audio: 'answers are text.',
    web_search_options: formatSetInCode('tools'),
  },
};

/** @throws OpenAiError if a field is invalid, or is unsupported and would change the answer. */
export function readChatBody(
  body: JsonObject,
  agents: readonly RouteAgent[],
  mode: CallerInstructions,
): ChatRequest {
  const agent = readAgent(body, agents);
  checkParameters(body, PARAMETERS);
  checkToolChoice(body);
  const form = readFormat(body.response_format, { at: 'response_format', of: 'json_schema', agent });
  const { n, stream_options: options, function_call: choice, modalities } = body;
  if (!isEmpty(choice) && choice !== 'auto')
    throw createUnsupportedParameterError('function_call', "the agent's model chooses.");
  if (Array.isArray(modalities) && modalities.some((one) => one !== 'text'))
    throw createUnsupportedParameterError('modalities', 'answers are text.');
  if (!isEmpty(n) && n !== 1) throw createUnsupportedParameterError('n', 'a session has one answer.');
  if (!isEmpty(options) && !isJsonObject(options))
    throw createInvalidValueError('stream_options', 'an object');
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0)
    throw createInvalidValueError('messages', 'a list of messages');
  const read = messages.map(readOneMessage);
  const words = read.flatMap((one) => (one.role === 'system' ? one.words : []));
  const said = messages.filter((_, place) => read[place]?.role !== 'system');
  return {
    agent,
    input: readMessages(
      said,
      read.filter((one) => one.role !== 'system'),
    ),
    messages: said,
    functions: readFunctions(body),
    asked: { ...readInstructions(words, mode), ...form },
    isStream: readFlag(body, 'stream'),
    includesUsage: isJsonObject(options) && readFlag(options, 'include_usage'),
    session: readMetadataField(body).session,
    narrowing: [body.user ?? null, body.safety_identifier ?? null, body.prompt_cache_key ?? null],
  };
}

function readMessages(messages: readonly Json[], read: readonly ParsedMessage[]): ChatRequest['input'] {
  const last = read.at(-1);
  const from = 1 + read.findLastIndex(({ role }) => role !== last?.role);
  const fresh = read.slice(from);
  if (last?.role === 'tool') {
    return { type: 'answers', answers: fresh.flatMap((one) => (one.role === 'tool' ? one.given : [])) };
  }
  if (last?.role !== 'user')
    throw createInvalidValueError('messages', 'a list that ends with a message of the user or of a tool');
  const parts = fresh.flatMap((one) => (one.role === 'user' ? one.parts : []));
  return { type: 'message', parts, history: messages.slice(0, from) };
}

type ParsedMessage =
  | { readonly role: 'user'; readonly parts: readonly ContentPart[] }
  | { readonly role: 'tool'; readonly given: CallAnswerItem }
  | { readonly role: 'assistant' }
  | { readonly role: 'system'; readonly words: InstructionText };

function readOneMessage(message: Json, place: number): ParsedMessage {
  const at = `messages[${place}]`;
  if (!isJsonObject(message)) throw createInvalidValueError(at, 'an object');
  const { role, content } = message;
  switch (role) {
    case 'assistant':
      return { role };
    case 'user':
      return { role, parts: parseParts(content, `${at}.content`, readPart) };
    case 'tool':
      return { role, given: readCallResult(message, at, CHAT_RESULT_FIELDS) };
    case 'system':
    case 'developer':
      return { role: 'system', words: readCallerWords(content, at) };
    default:
      throw createInvalidValueError(`${at}.role`, 'user, assistant, tool, system or developer');
  }
}

function readPart(part: JsonObject, at: string): ContentPart {
  const { type, text, image_url: image, file } = part;
  switch (type) {
    case 'text':
      return toTextPart(text, `${at}.text`);
    case 'image_url':
      return toFilePart(isJsonObject(image) ? image.url : image, `${at}.image_url.url`, {
        fallback: 'image/jpeg',
      });
    case 'file': {
      const { file_data: data, filename, file_id: id } = isJsonObject(file) ? file : {};
      if (data === undefined && id !== undefined)
        throw createUnsupportedParameterError(
          `${at}.file.file_id`,
          'there are no uploads. Send the file with its data.',
        );
      return readMessageFile(data, `${at}.file.file_data`, filename);
    }
    default:
      throw createInvalidValueError(`${at}.type`, 'text, image_url or file');
  }
}

/** A message of the role `tool`. */
const CHAT_RESULT_FIELDS = {
  id: 'tool_call_id',
  output: 'content',
  told: 'the id of a call from a completion',
};
