/**
 * Reads the items of a request's input: messages and answers of the client, and items that it received
 * earlier.
 */
import type { ContentPart } from '../../tool/content.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import type { CallAnswer } from '../../worker/session.ts';
import type { InstructionText } from './asked.ts';
import {
  createInvalidValueError,
  createUnsupportedParameterError,
  parseParts,
  readMessageFile,
  readTextValue,
  toFilePart,
  toTextPart,
} from './read-body.ts';
import type { OpenAiError } from './refuse.ts';
import { type NamedObject, readId } from './response-object.ts';

/** An answer, and the call that it belongs to. */
export interface CallAnswerItem {
  readonly of: NamedObject;
  readonly answer: CallAnswer;
}

/**
 * The idempotency key for answers sent without one. A question accepts one answer, so an identical one comes
 * from a client that lost the response.
 */
export const REPEATED_ANSWER_KEY = 'again';

/** An item of the input: an item that Holdfast sent earlier, or a new one. */
export type ParsedItem =
  | { readonly kind: 'ours'; readonly of: NamedObject | undefined }
  /** Parsed only if the item is new, since the session already has the files of older items. */
  | { readonly kind: 'said'; parts(): readonly ContentPart[] }
  | { readonly kind: 'answer'; readonly given: CallAnswerItem }
  | { readonly kind: 'instructions'; readonly words: InstructionText };

/** Returns the Holdfast object that an item names. */
export function findNamedObject(item: ParsedItem): NamedObject | undefined {
  if (item.kind === 'answer') return item.given.of;
  return item.kind === 'ours' ? item.of : undefined;
}

export const listAnswers = (items: readonly ParsedItem[]): CallAnswerItem[] =>
  items.flatMap((item) => (item.kind === 'answer' ? item.given : []));

const OWN_ITEM_TYPES = [
  'reasoning',
  'mcp_call',
  'mcp_approval_request',
  'function_call',
  'image_generation_call',
  // A client refers to a stored item by its id alone.
  'item_reference',
];

/** Reads an item. An error reports its index in the input. */
export function readItem(item: Json, place: number): ParsedItem {
  const at = `input[${place}]`;
  if (!isJsonObject(item)) throw createInvalidValueError(at, 'an object');
  const { type = 'message', role } = item;
  if (OWN_ITEM_TYPES.some((one) => one === type) || (type === 'message' && role === 'assistant')) {
    return { kind: 'ours', of: readId(item.id, ['msg', 'rs', 'mcp', 'mcpr', 'fc', 'ig']) };
  }
  switch (type) {
    case 'message':
      if (role === 'user')
        return { kind: 'said', parts: () => parseParts(item.content, `${at}.content`, readPart) };
      if (role !== 'system' && role !== 'developer')
        throw createInvalidValueError(`${at}.role`, 'user, assistant, system or developer');
      return { kind: 'instructions', words: readCallerWords(item.content, at) };
    case 'mcp_approval_response':
      return { kind: 'answer', given: readDecision(item, at) };
    case 'function_call_output':
      return { kind: 'answer', given: readCallResult(item, at) };
    default:
      throw createInvalidValueError(
        `${at}.type`,
        'message, mcp_approval_response, function_call_output or an item of a response',
      );
  }
}

/** Returns the instructions in a system or developer message. */
export const readCallerWords = (content: Json | undefined, at: string): InstructionText => ({
  at: `${at}.role`,
  text: readTextParts(content, `${at}.content`, 'instructions'),
});

function readPart(part: JsonObject, at: string): ContentPart {
  switch (part.type) {
    case 'input_text':
      return toTextPart(part.text, `${at}.text`);
    case 'input_image': {
      const { image_url } = part;
      if (image_url === undefined || image_url === null) throw createMissingFileError(at, part);
      return toFilePart(image_url, `${at}.image_url`, { fallback: 'image/jpeg' });
    }
    case 'input_file': {
      const { file_data, file_url, filename } = part;
      if (file_data !== undefined && file_data !== null)
        return readMessageFile(file_data, `${at}.file_data`, filename);
      if (file_url === undefined || file_url === null) throw createMissingFileError(at, part);
      const name = typeof filename === 'string' ? filename : undefined;
      return toFilePart(file_url, `${at}.file_url`, { fallback: 'application/pdf', name });
    }
    default:
      throw createInvalidValueError(`${at}.type`, 'input_text, input_image or input_file');
  }
}

/** Returns the error for a file part without a file. */
const createMissingFileError = (at: string, { file_id: id }: JsonObject): OpenAiError =>
  id === undefined
    ? createInvalidValueError(at, 'a file with its data or its URL')
    : createUnsupportedParameterError(
        `${at}.file_id`,
        'there are no uploads. Send the file with its data or its URL.',
      );

/** Reads a decision. `input` is an extension of the protocol that approves the call with an edited input. */
function readDecision(item: JsonObject, at: string): CallAnswerItem {
  const of = readId(item.approval_request_id, ['mcpr']);
  if (!of) throw createInvalidValueError(`${at}.approval_request_id`, ID_SOURCE_TEXT);
  const { approve, reason, input } = item;
  if (typeof approve !== 'boolean') throw createInvalidValueError(`${at}.approve`, 'true or false');
  if (typeof (reason ?? '') !== 'string') throw createInvalidValueError(`${at}.reason`, 'text');
  if (input !== undefined && !(isJsonObject(input) && approve)) {
    throw createInvalidValueError(`${at}.input`, 'an object, beside approve: true');
  }
  const said = {
    call: of.what,
    question: of.place,
    ...(typeof reason === 'string' && { reason }),
  };
  if (isJsonObject(input)) return { of, answer: { ...said, decision: 'edit', input } };
  return { of, answer: { ...said, decision: approve ? 'approve' : 'reject' } };
}

/**
 * Reads the result of a call that the client ran. `id` and `output`: the names of the fields in the protocol.
 */
export function readCallResult(
  item: JsonObject,
  at: string,
  { id = 'call_id', output = 'output', told = ID_SOURCE_TEXT } = {},
): CallAnswerItem {
  const of = readId(item[id], ['call']);
  if (!of) throw createInvalidValueError(`${at}.${id}`, told);
  const text = readTextParts(item[output], `${at}.${output}`);
  return { of, answer: { call: of.what, question: of.place, text } };
}

const ID_SOURCE_TEXT = 'an id from a response';

/**
 * Returns the text of a string or a list of text parts. `what`: the noun in the error for parts that are not
 * text.
 */
function readTextParts(parts: Json | undefined, at: string, what = 'results'): string {
  if (typeof parts === 'string') return parts;
  if (!Array.isArray(parts)) throw createInvalidValueError(at, 'text, or a list of text parts');
  const words = parts.map((part, place) => {
    if (isJsonObject(part) && (part.type === 'input_text' || part.type === 'text'))
      return readTextValue(part.text, `${at}[${place}].text`);
    throw createInvalidValueError(`${at}[${place}]`, `text: ${what} have no files`);
  });
  return words.join('\n');
}
