import { createParser } from 'eventsource-parser';
import { ModelError, type ModelReply } from '../chat-model.ts';
import { parseJson } from '../untrusted-json.ts';
import type { Patience } from './patience.ts';
import { readText } from './read-text.ts';
import { createReplyAssembly, type ReplyAssembly } from './reply-assembly.ts';
import { invalidReply } from './untrusted.ts';

/** More than any model writes at once; a Worker has 128 MB for everything. */
export const MAX_REPLY_BYTES = 8 * 1024 * 1024;

/** Servers answer either way whatever they were asked for, so the content type decides, and only without one `streamed`. */
const isEventStream = (response: Response, streamed: boolean): boolean => {
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'text/event-stream') return true;
  return streamed && !type.endsWith('json') && type !== 'text/html';
};

const json = (text: string): unknown => {
  const value = parseJson(text);
  if (value === undefined) throw invalidReply("The model's reply is not JSON. Is the base URL right?");
  return value;
};

const readStream = async (
  pieces: AsyncIterable<string>,
  patience: Patience,
  assembly: ReplyAssembly,
): Promise<void> => {
  let done = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      patience.check();
      if (done || data === '') return;
      done = data.trim() === '[DONE]';
      if (!done) assembly.addChunk(json(data));
    },
  });
  try {
    for await (const piece of pieces) {
      parser.feed(piece);
      if (done) return;
    }
    // The last event of a server that ends without an empty line.
    parser.feed('\n\n');
  } catch (error) {
    // Nothing of worth can follow the end of the reply, so losing the rest of the stream loses nothing.
    const lost =
      error instanceof ModelError && (error.failure === 'truncated' || error.failure === 'timeout');
    if (!lost || !assembly.finished) throw error;
  }
};

/**
 * Reads the answer to an ask, an event stream or one JSON body, and hands its text to `onText` as it arrives. The body is
 * read to its end or cancelled.
 *
 * @throws ModelError whenever there is no complete reply.
 */
export const readReply = async (
  response: Response,
  patience: Patience,
  asked: { readonly streamed: boolean; readonly onText: (piece: string) => void },
): Promise<ModelReply> => {
  const assembly = createReplyAssembly(asked.onText);
  const pieces = readText(response.body, { patience, maxBytes: MAX_REPLY_BYTES });
  if (isEventStream(response, asked.streamed)) {
    await readStream(pieces, patience, assembly);
    if (!assembly.finished) {
      throw new ModelError('truncated', "The model's reply ended before it was complete.");
    }
  } else {
    let body = '';
    for await (const piece of pieces) body += piece;
    assembly.addCompletion(json(body));
  }
  patience.check();
  return assembly.reply();
};
