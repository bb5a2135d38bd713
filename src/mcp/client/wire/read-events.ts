import { createEventParser, type EventOrRetry } from './event-parser.ts';
import { beginsAnswer } from './read-json.ts';
import { AnswerTooLargeError, ResponseTooLargeError } from './wire-error.ts';

/** Events of one response: each is a message to look at. */
const MAX_EVENTS = 10_000;

/**
 * The events of a stream, in order. An event that is not complete at the end was not sent (HTML, server-sent events). A
 * reader that stops early cancels the body.
 *
 * @throws what reading the body throws, and ResponseTooLargeError after the last event that is read; AnswerTooLargeError when
 *   it is an answer that is too heavy.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<EventOrRetry, void> {
  let read: EventOrRetry[] = [];
  let events = 0;
  const parse = createEventParser((event) => {
    if (++events <= MAX_EVENTS) read.push(event);
  });
  for await (const text of textOf(body)) {
    parse(text);
    yield* read;
    read = [];
    if (events > MAX_EVENTS) throw new ResponseTooLargeError(MAX_EVENTS, 'events');
  }
}

/** The text of a stream, in which every line ends with LF. */
async function* textOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let endedWithCr = false;
  let line = '';
  try {
    for await (const bytes of body) {
      const decoded = decoder.decode(bytes, { stream: true });
      if (decoded === '') continue;
      const text = (endedWithCr && decoded.startsWith('\n') ? decoded.slice(1) : decoded).replace(
        /\r\n?/g,
        '\n',
      );
      endedWithCr = decoded.endsWith('\r');
      line = beginningOf(line, text);
      yield text;
    }
  } catch (error) {
    const isOfAnswer = error instanceof ResponseTooLargeError && beginsAnswer(line.replace(/^data: ?/, ''));
    throw isOfAnswer ? new AnswerTooLargeError(error) : error;
  }
}

/** How the line begins that is not complete after this text; long enough to see what it is. */
function beginningOf(former: string, text: string): string {
  const last = text.lastIndexOf('\n');
  return last === -1 ? (former + text.slice(0, 400)).slice(0, 400) : text.slice(last + 1, last + 401);
}
