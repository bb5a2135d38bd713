import type { ModelMessage } from '../chat-model.ts';
import type { MessagePart } from '../parts.ts';

/** A conversation whose files are put into its JSON later. */
interface FilesApart {
  readonly messages: readonly ModelMessage[];
  /** The JSON of the messages with their files in it; as it is, where they have none. */
  readonly fill: (json: string) => string | Uint8Array<ArrayBuffer>;
}

/**
 * Takes the base64 of files out of a conversation before it is written as JSON, and puts it into the bytes that are sent. As a text
 * the JSON of 16 MiB of files would be there up to three times while it is put together, each time of 21 MiB, and of twice
 * as much when one character of the conversation is not of Latin-1. An isolate has 128 MB.
 */
export function withFilesApart(messages: readonly ModelMessage[]): FilesApart {
  if (!messages.some(hasFiles)) return { messages, fill: (json) => json };
  // Nobody who writes a message can guess it.
  const mark = crypto.randomUUID();
  const files: string[] = [];
  const apart = (part: MessagePart): MessagePart =>
    part.type === 'text' || NOT_BASE64.test(part.data)
      ? part
      : { ...part, data: `${mark}${files.push(part.data) - 1}${mark}` };
  const without = messages.map((message) =>
    hasFiles(message) ? { ...message, parts: message.parts?.map(apart) } : message,
  );
  return { messages: without, fill: (json) => joined(json.split(mark), files) };
}

/** This wire has files in messages alone. */
const hasFiles = (message: ModelMessage): message is Extract<ModelMessage, { readonly role: 'user' }> =>
  message.role === 'user' && message.parts !== undefined;

/** An address, or what JSON would have to write otherwise. */
const NOT_BASE64 = /[^A-Za-z0-9+/=]/;

const encoder = new TextEncoder();

/** Every second piece is the number of a file, the others are JSON. */
function joined(pieces: readonly string[], files: readonly string[]): Uint8Array<ArrayBuffer> {
  const texts = pieces.map((piece, at) => (at % 2 === 0 ? piece : (files[Number(piece)] ?? '')));
  // A character of JSON takes three bytes at most, one of base64 takes one.
  const most = texts.reduce((sum, text, at) => sum + (at % 2 === 0 ? 3 : 1) * text.length, 0);
  const bytes = new Uint8Array(most);
  let end = 0;
  for (const text of texts) end += encoder.encodeInto(text, bytes.subarray(end)).written;
  return bytes.subarray(0, end);
}
