import { beginsAnswer } from './read-json.ts';
import { AnswerTooLargeError, ResponseTooLargeError } from './wire-error.ts';

/** One event of a stream; a server that wants clients to come back for the rest begins with one without data. */
export interface StreamEvent {
  readonly id: string | undefined;
  /** `message` unless the server names it. */
  readonly type: string;
  readonly data: string;
}

/** An event, or the milliseconds that the server wants clients to wait before they ask for the rest. */
export type EventOrRetry = StreamEvent | { readonly retry: number };

/** The most events that are read of one response: each is a message to look at. */
const MAX_EVENTS = 10_000;

/**
 * Reads the events of a stream, in order. An event that is not complete at the end was not sent (HTML, server-sent events). A
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

/** Reads the text of a stream, and ends every line with LF. */
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

/** Keeps as much of the line that is not complete after this text as shows what it is. */
function beginningOf(former: string, text: string): string {
  const last = text.lastIndexOf('\n');
  return last === -1 ? (former + text.slice(0, 400)).slice(0, 400) : text.slice(last + 1, last + 401);
}

/** What the lines since the last event said. */
interface Begun {
  id?: string;
  type?: string;
  readonly data: string[];
}

/**
 * Finds the events in text whose lines end with LF (HTML, server-sent events), however it is cut into pieces. It takes time in
 * proportion to the text: most parsers make an error of every line that they do not know, and streams may have millions.
 */
function createEventParser(tell: (event: EventOrRetry) => void): (text: string) => void {
  let line: string[] = [];
  let begun: Begun = { data: [] };
  const end = () => {
    const { id, type = 'message', data } = begun;
    begun = { data: [] };
    if (data.length > 0) tell({ id, type, data: data.join('\n') });
  };
  const take = (complete: string) => {
    if (complete === '') return end();
    const [field, value] = fieldOf(complete);
    if (field === 'retry' && /^\d+$/.test(value)) tell({ retry: Number(value) });
    else note(begun, field, value);
  };
  return (text) => {
    let start = 0;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', start)) {
      line.push(text.slice(start, at));
      take(line.join(''));
      line = [];
      start = at + 1;
    }
    line.push(text.slice(start));
  };
}

function fieldOf(line: string): readonly [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}

function note(begun: Begun, field: string, value: string): void {
  if (field === 'data') begun.data.push(value);
  else if (field === 'id' && !value.includes('\0')) begun.id = value;
  else if (field === 'event' && value !== '') begun.type = value;
}
