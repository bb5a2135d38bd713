/**
 * Reads the items of a request's input: messages and answers of the client, and items that it received
 * earlier.
 */
import type { ContentPart } from '../../tool/content.ts';
import { isJsonObject, type Json, type JsonObject } from '../../tool/json.ts';
import type { CallAnswer } from '../../worker/session.ts';
import type { CallerWords } from './asked.ts';
import { filePart, invalid, namedFile, notTaken, partsOf, textIn, textPart } from './read-body.ts';
import type { OpenAiError } from './refuse.ts';
import { type Named, readId } from './response-object.ts';

/** An answer, and the call that it belongs to. */
export interface GivenAnswer {
  readonly of: Named;
  readonly answer: CallAnswer;
}

/**
 * The idempotency key of answers without a key of their own. A question accepts one answer, so an identical
 * one is a repeat from a client that lost the response.
 */
export const AGAIN = 'again';

/** An item of the input: an item that Holdfast sent earlier, or a new one. */
export type ReadItem =
  | { readonly kind: 'ours'; readonly of: Named | undefined }
  /** Read only if the item is new: the session already has the files of a long conversation. */
  | { readonly kind: 'said'; parts(): readonly ContentPart[] }
  | { readonly kind: 'answer'; readonly given: GivenAnswer }
  | { readonly kind: 'instructions'; readonly words: CallerWords };

/** Returns the object of ours that an item names. */
export function namedBy(item: ReadItem): Named | undefined {
  if (item.kind === 'answer') return item.given.of;
  return item.kind === 'ours' ? item.of : undefined;
}

/** Returns the answers among items. */
export const answersIn = (items: readonly ReadItem[]): GivenAnswer[] =>
  items.flatMap((item) => (item.kind === 'answer' ? item.given : []));

const OURS = [
  'reasoning',
  'mcp_call',
  'mcp_approval_request',
  'function_call',
  'image_generation_call',
  // A client refers to a stored item by its id alone.
  'item_reference',
];

/** Reads an item. An error reports its index in the input. */
export function readItem(item: Json, place: number): ReadItem {
  const at = `input[${place}]`;
  if (!isJsonObject(item)) throw invalid(at, 'an object');
  const { type = 'message', role } = item;
  if (OURS.some((one) => one === type) || (type === 'message' && role === 'assistant')) {
    return { kind: 'ours', of: readId(item.id, ['msg', 'rs', 'mcp', 'mcpr', 'fc', 'ig']) };
  }
  switch (type) {
    case 'message':
      if (role === 'user')
        return { kind: 'said', parts: () => partsOf(item.content, `${at}.content`, partOf) };
      if (role !== 'system' && role !== 'developer')
        throw invalid(`${at}.role`, 'user, assistant, system or developer');
      return { kind: 'instructions', words: callerWords(item.content, at) };
    case 'mcp_approval_response':
      return { kind: 'answer', given: decisionOf(item, at) };
    case 'function_call_output':
      return { kind: 'answer', given: resultOf(item, at) };
    default:
      throw invalid(
        `${at}.type`,
        'message, mcp_approval_response, function_call_output or an item of a response',
      );
  }
}

/** Returns the instructions in a system or developer message. */
export const callerWords = (content: Json | undefined, at: string): CallerWords => ({
  at: `${at}.role`,
  text: wordsIn(content, `${at}.content`, 'instructions'),
});

function partOf(part: JsonObject, at: string): ContentPart {
  switch (part.type) {
    case 'input_text':
      return textPart(part.text, `${at}.text`);
    case 'input_image': {
      const { image_url } = part;
      if (image_url === undefined || image_url === null) throw noFileId(at, part);
      return filePart(image_url, `${at}.image_url`, { fallback: 'image/jpeg' });
    }
    case 'input_file': {
      const { file_data, file_url, filename } = part;
      if (file_data !== undefined && file_data !== null)
        return namedFile(file_data, `${at}.file_data`, filename);
      if (file_url === undefined || file_url === null) throw noFileId(at, part);
      const name = typeof filename === 'string' ? filename : undefined;
      return filePart(file_url, `${at}.file_url`, { fallback: 'application/pdf', name });
    }
    default:
      throw invalid(`${at}.type`, 'input_text, input_image or input_file');
  }
}

/** Returns the error for a file part without a file. */
const noFileId = (at: string, { file_id: id }: JsonObject): OpenAiError =>
  id === undefined
    ? invalid(at, 'a file with its data or its URL')
    : notTaken(`${at}.file_id`, 'there are no uploads. Send the file with its data or its URL.');

/** Reads a decision. `input` is an extension of the protocol that approves the call with an edited input. */
function decisionOf(item: JsonObject, at: string): GivenAnswer {
  const of = readId(item.approval_request_id, ['mcpr']);
  if (!of) throw invalid(`${at}.approval_request_id`, TOLD);
  const { approve, reason, input } = item;
  if (typeof approve !== 'boolean') throw invalid(`${at}.approve`, 'true or false');
  if (typeof (reason ?? '') !== 'string') throw invalid(`${at}.reason`, 'text');
  if (input !== undefined && !(isJsonObject(input) && approve)) {
    throw invalid(`${at}.input`, 'an object, beside approve: true');
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
export function resultOf(
  item: JsonObject,
  at: string,
  { id = 'call_id', output = 'output', told = TOLD } = {},
): GivenAnswer {
  const of = readId(item[id], ['call']);
  if (!of) throw invalid(`${at}.${id}`, told);
  const text = wordsIn(item[output], `${at}.${output}`);
  return { of, answer: { call: of.what, question: of.place, text } };
}

const TOLD = 'an id that a response has told';

/**
 * Returns the text of a string or a list of text parts. `what` is the noun in the error for other parts.
 */
function wordsIn(parts: Json | undefined, at: string, what = 'results'): string {
  if (typeof parts === 'string') return parts;
  if (!Array.isArray(parts)) throw invalid(at, 'text, or a list of texts');
  const words = parts.map((part, place) => {
    if (isJsonObject(part) && (part.type === 'input_text' || part.type === 'text'))
      return textIn(part.text, `${at}[${place}].text`);
    throw invalid(`${at}[${place}]`, `text: ${what} have no files`);
  });
  return words.join('\n');
}
