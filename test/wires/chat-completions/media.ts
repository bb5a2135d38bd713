/**
 * Checks the content of messages in a chat completions request. Files are in user messages, and in some
 * dialects also in tool results.
 */
import { type FoundFile, isBase64, isHttps, readFileUrl } from '../files.ts';
import { checkFields, checkFileData, checkImageUrl, createValueRefusal, readText } from '../openai-files.ts';
import { createOwnRefusal, isRecord, RefusalError } from '../wire.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The kinds of parts that a dialect accepts in addition to text. */
export interface DialectMedia {
  readonly message: readonly PartName[];
  readonly result: readonly PartName[];
  /** The accepted names of audio formats. */
  readonly audio?: readonly string[];
  /** If `true`, accepts the URL of a document in place of its bytes. */
  readonly fetchesFiles?: true;
}

export type PartName = 'image_url' | 'file' | 'input_audio';

/** The parts that OpenAI accepts. */
export const openAIMedia: DialectMedia = { message: ['image_url', 'input_audio', 'file'], result: [] };

/** The parts that OpenRouter forwards to a model, also in results. */
export const openRouterMedia: DialectMedia = {
  message: ['image_url', 'input_audio', 'file'],
  result: ['image_url', 'input_audio', 'file'],
  audio: ['wav', 'mp3', 'aiff', 'aac', 'ogg', 'flac', 'm4a', 'pcm16', 'pcm24'],
  fetchesFiles: true,
};

/** Refuses parts that the dialect does not accept in their place, and unreadable files. */
export function checkMedia(messages: readonly unknown[], media: DialectMedia): void {
  for (const { path, index, role, part } of collectParts(messages)) {
    const { type } = part;
    const taken = role === 'user' ? media.message : role === 'tool' ? media.result : [];
    if (type === 'text') {
      checkFields(part, ['type', 'text', 'cache_control', 'prompt_cache_breakpoint'], path);
      readText(part.text, `${path}.text`);
      continue;
    }
    if (!taken.some((name) => name === type)) throw createForeignRefusal(type, { index, role, taken });
    checkFields(part, ['type', String(type), 'cache_control', 'prompt_cache_breakpoint'], path);
    checkPart(part, path, media);
  }
}

interface ForeignPart {
  readonly index: number;
  readonly role: unknown;
  readonly taken: readonly PartName[];
}

function createForeignRefusal(type: unknown, { index, role, taken }: ForeignPart): RefusalError {
  if (type !== 'image_url' || role === 'user') return createValueRefusal(type, ['text', ...taken]);
  return new RefusalError(
    400,
    `Invalid 'messages[${index}]'. Image URLs are only allowed for messages with role 'user', but this message with ` +
      `role '${String(role)}' contains an image URL.`,
  );
}

function checkPart(part: Fields, path: string, { audio, fetchesFiles }: DialectMedia): void {
  const name = String(part.type);
  const inside = part[name];
  const at = `${path}.${name}`;
  if (!isRecord(inside)) throw new RefusalError(400, `Missing required parameter: '${at}'.`);
  if (name === 'image_url') {
    checkFields(inside, ['url', 'detail'], at);
    checkImageUrl(inside.url, `${at}.url`);
  } else if (name === 'file') {
    checkFields(inside, ['file_data', 'filename', 'file_id'], at);
    const isElsewhere = fetchesFiles && isHttps(String(inside.file_data));
    if (inside.file_id === undefined && !isElsewhere) checkFileData(inside, at);
  } else {
    checkAudio(inside, at, audio);
  }
}

function checkAudio(inside: Fields, at: string, formats: readonly string[] = ['wav', 'mp3']): void {
  checkFields(inside, ['data', 'format'], at);
  if (!formats.some((one) => one === inside.format)) throw createValueRefusal(inside.format, formats);
  if (isBase64(readText(inside.data, `${at}.data`))) return;
  throw new RefusalError(400, `Invalid '${at}.data'. Expected base64-encoded audio.`);
}

function collectParts(messages: readonly unknown[]) {
  return messages.flatMap((message, index) => {
    if (!isRecord(message) || message.role === 'assistant') return [];
    const { role, content } = message;
    if (typeof content === 'string') return [];
    if (!Array.isArray(content)) {
      throw new RefusalError(
        400,
        `Invalid value for 'content': expected a string, got ${content === undefined ? 'nothing' : 'another type'}.`,
      );
    }
    const parts: readonly unknown[] = content;
    return parts.map((part, at) => {
      const path = `messages[${index}].content[${at}]`;
      if (!isRecord(part)) throw createOwnRefusal(`${path} is no object`);
      return { path, index, role, part };
    });
  });
}

/** Returns the files of a request that have bytes or a URL. */
export const collectFiles = (messages: readonly unknown[]): readonly FoundFile[] =>
  collectParts(messages).flatMap(({ role, part }): readonly FoundFile[] => {
    const where = role === 'tool' ? 'result' : 'message';
    const { image_url: image, file, input_audio: audio } = part;
    if (isRecord(image)) return [{ where, ...readFileUrl(String(image.url)) }];
    if (isRecord(audio)) {
      return [{ where, mediaType: `audio/${String(audio.format)}`, base64: String(audio.data) }];
    }
    if (!isRecord(file)) return [];
    const name = typeof file.filename === 'string' && file.filename !== '' && { name: file.filename };
    return [{ where, ...readFileUrl(String(file.file_data)), ...name }];
  });
