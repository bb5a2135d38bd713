import { MAX_REPLY_BYTES, readEvents } from '../chat-completions/read-events.ts';
import { readText } from '../chat-completions/read-text.ts';
import { createReplyAssembly, type ReplyAssembly } from '../chat-completions/reply-assembly.ts';
import type { ModelReply } from '../chat-model.ts';
import type { Patience } from '../patience.ts';
import { parseJson } from '../untrusted-json.ts';
import { cutShort, invalidReply, isJsonObjectText } from '../untrusted-reply.ts';

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

/**
 * Ends a reply that gave no reason for its end. Some servers send `[DONE]` and nothing else; so do some gateways whose
 * upstream broke, which tells by a reply that says nothing, or by a call whose input is not whole.
 *
 * @throws ModelError `truncated` when it was cut off.
 */
const finish = (assembly: ReplyAssembly, done: boolean): void => {
  if (!done) throw cutShort();
  assembly.addChunk({ choices: [{ delta: {}, finish_reason: 'stop' }] });
  const { text, toolCalls } = assembly.reply();
  const isWhole = toolCalls.every(({ input }) => input.trim() === '' || isJsonObjectText(input));
  if (!isWhole || (text === '' && toolCalls.length === 0)) throw cutShort();
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
    const done = await readEvents(pieces, patience, {
      take: (data) => assembly.addChunk(json(data)),
      get finished() {
        return assembly.finished;
      },
    });
    if (!assembly.finished) finish(assembly, done);
  } else {
    let body = '';
    for await (const piece of pieces) body += piece;
    assembly.addCompletion(json(body));
  }
  patience.check();
  return assembly.reply();
};
