/** Checks the content of messages and call outputs in a Responses API request. */
import { type FoundFile, isHttps, readFileUrl } from '../files.ts';
import { checkFields, checkFileData, checkImageUrl, createValueRefusal, readText } from '../openai-files.ts';
import { createOwnRefusal, isRecord, RefusalError } from '../wire.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A part of a message or an output, with its name in errors. */
interface PlacedPart {
  readonly path: string;
  readonly where: FoundFile['where'];
  readonly role: unknown;
  readonly part: Fields;
}

const ACCEPTED_TYPES = ['input_text', 'input_image', 'input_file'];
const KNOWN_TYPES = [
  'input_text',
  'input_image',
  'output_text',
  'refusal',
  'input_file',
  'computer_screenshot',
  'summary_text',
];

/** Refuses unknown parts and unreadable files. */
export function checkMedia(input: readonly unknown[]): void {
  for (const { path, role, part } of collectParts(input)) {
    const { type } = part;
    if (typeof type !== 'string' || !ACCEPTED_TYPES.includes(type))
      throw createValueRefusal(type, KNOWN_TYPES);
    if (type !== 'input_text' && role !== 'user') {
      throw createOwnRefusal(`${path}: a message of the role ${String(role)} holds no files`);
    }
    if (type === 'input_text') checkText(part, path);
    else if (type === 'input_image') checkImage(part, path);
    else checkFile(part, path);
  }
}

function checkText(part: Fields, path: string): void {
  checkFields(part, ['type', 'text', 'prompt_cache_breakpoint'], path);
  readText(part.text, `${path}.text`);
}

function checkImage(part: Fields, path: string): void {
  checkFields(part, ['type', 'image_url', 'file_id', 'detail', 'prompt_cache_breakpoint'], path);
  const { image_url, file_id, detail } = part;
  if (detail !== undefined && !IMAGE_DETAILS.some((one) => one === detail))
    throw createValueRefusal(detail, IMAGE_DETAILS);
  if (file_id === undefined) checkImageUrl(image_url, `${path}.image_url`);
}

const IMAGE_DETAILS = ['low', 'high', 'auto', 'original'];

function checkFile(part: Fields, path: string): void {
  checkFields(
    part,
    ['type', 'file_data', 'filename', 'file_url', 'file_id', 'prompt_cache_breakpoint'],
    path,
  );
  const { file_data, file_url, file_id } = part;
  const given = [file_data, file_url, file_id].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw new RefusalError(
      400,
      `Invalid '${path}'. Expected exactly one of 'file_data', 'file_url' and 'file_id', but got ${given.length}.`,
    );
  }
  if (file_data !== undefined) checkFileData(part, path);
  else if (file_url !== undefined && !isHttps(readText(file_url, `${path}.file_url`))) {
    throw new RefusalError(
      400,
      `Invalid '${path}.file_url'. Expected a valid URL, but got a value with an invalid format.`,
    );
  }
}

/** Returns the user's parts. Other code compares the model's parts with the script. */
function collectParts(input: readonly unknown[]): readonly PlacedPart[] {
  return input.flatMap((item, index) => {
    if (!isRecord(item) || item.role === 'assistant') return [];
    const isOutput = item.type === 'function_call_output';
    const list = isOutput ? item.output : item.content;
    if ((item.type !== undefined && item.type !== 'message' && !isOutput) || !Array.isArray(list)) return [];
    const parts: readonly unknown[] = list;
    return parts.map((part, at) => {
      const path = `input[${index}].${isOutput ? 'output' : 'content'}[${at}]`;
      if (!isRecord(part)) throw createOwnRefusal(`${path} is no object`);
      return { path, part, role: isOutput ? 'user' : item.role, where: isOutput ? 'result' : 'message' };
    });
  });
}

/** Returns the files of a request that have bytes or a URL. */
export const collectFiles = (input: readonly unknown[]): readonly FoundFile[] =>
  collectParts(input).flatMap(({ where, part }) => {
    const { image_url, file_data, file_url, filename } = part;
    const address = [image_url, file_data, file_url].find((one) => typeof one === 'string');
    if (typeof address !== 'string') return [];
    return [{ where, ...readFileUrl(address), ...(typeof filename === 'string' && { name: filename }) }];
  });
