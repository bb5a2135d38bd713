import {
  AnswerTooLargeError,
  ConnectionLostError,
  HttpStatusError,
  NoAnswerError,
  ResponseTooLargeError,
  WireError,
} from './wire-error.ts';

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

/**
 * Braces, brackets, commas and colons of one text: a megabyte of `{},` fills the memory of a Worker once it is parsed, and
 * keeps it busy for seconds.
 */
const MAX_PARTS = 200_000;

/**
 * The JSON in a text; undefined when it is none.
 *
 * @throws ResponseTooLargeError when it is made of more parts than is good for anybody, whatever its length.
 */
export function readJson(text: string): unknown {
  if (hasMoreParts(text, MAX_PARTS)) throw new ResponseTooLargeError(MAX_PARTS, 'parts of JSON');
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Begins as the answer to a request does: with a result, after nothing but what every message has. */
const ANSWER =
  /^\s{0,9}\{\s{0,9}(?:"(?:jsonrpc|id)"\s{0,9}:\s{0,9}[^,{[]{1,80},\s{0,9}){0,2}"result"\s{0,9}:/;

/** Tells whether the beginning of a text, which is too long to be read, shows that it is an answer. */
export const beginsAnswer = (text: string): boolean => ANSWER.test(text.slice(0, 300));

function hasMoreParts(text: string, max: number): boolean {
  if (text.length <= max) return false;
  let parts = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '{' || char === '[' || char === ',' || char === ':') parts += 1;
    if (parts > max) return true;
  }
  return false;
}

/** Finds where the string ends that begins there, or the end of the text when it does not end. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    if (!isEscaped(text, at)) return at;
  }
  return text.length;
}

/** A quote is escaped after an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === '\\') before -= 1;
  return (at - before) % 2 === 0;
}

/** Milliseconds before a stream is resumed, unless the server says; half as long again each time. */
const FIRST_PAUSE = 500;
const GROWTH = 1.5;

/** One stream of events, and how the rest of it is asked for. */
export interface Followed {
  readonly signal: AbortSignal;
  /** True when it is resumed also where the server gave its events no ids: what was missed is lost then. */
  readonly alwaysResumes: boolean;
  /** The most times that it is resumed: each is a request, of which an invocation has few. */
  readonly maxResumes: number;
  /** Asks for what came after this event. */
  resume(lastId: string | undefined): Promise<Response>;
  /** Takes the data of one message. */
  take(data: string): void;
  /** Tells whether there is enough; asked after every event. */
  isDone(): boolean;
}

/**
 * Reads a stream over all its parts (MCP specification, Resumability and Redelivery), until `isDone`.
 *
 * @throws NoAnswerError when the stream ends before, and cannot be resumed, or was as often as is allowed, or the error that
 *   broke it; ResponseTooLargeError and AnswerTooLargeError; the signal's reason.
 */
export async function followEvents(first: Response, followed: Followed): Promise<void> {
  const { signal, alwaysResumes, maxResumes, isDone } = followed;
  const position: Position = { lastId: undefined, retry: undefined };
  let response: Response | undefined = first;
  for (let resumes = 0; ; resumes++) {
    const broken = response && (await readPart(response, followed, position));
    if (isDone()) return;
    signal.throwIfAborted();
    const isResumed = alwaysResumes || position.lastId !== undefined;
    if (!isResumed || resumes === maxResumes) throw broken ?? new NoAnswerError();
    await pause(position.retry ?? FIRST_PAUSE * GROWTH ** resumes, signal);
    signal.throwIfAborted();
    response = await followed.resume(position.lastId).catch(unlessRefused);
  }
}

/** Where a stream is taken up again, and after how many ms, as the server says. */
interface Position {
  lastId: string | undefined;
  retry: number | undefined;
}

/** Answers what broke the stream, and nothing when it ended, or there is enough. */
async function readPart(
  { body }: Response,
  { take, isDone }: Followed,
  position: Position,
): Promise<WireError | undefined> {
  if (!body) return undefined;
  try {
    for await (const event of readEvents(body)) {
      if ('retry' in event) position.retry = event.retry;
      else {
        if (event.id !== undefined && event.id !== '') position.lastId = event.id;
        if (isMessage(event)) take(event.data);
      }
      if (isDone()) return undefined;
    }
    return undefined;
  } catch (error) {
    // What is too large would come again.
    if (error instanceof ResponseTooLargeError || error instanceof AnswerTooLargeError) throw error;
    return error instanceof WireError ? error : new ConnectionLostError();
  }
}

const isMessage = ({ type, data }: StreamEvent): boolean => type === 'message' && data !== '';

/** A server that does not know the stream will not know it later; one that is down may be back. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof HttpStatusError && error.status < 500) throw new NoAnswerError();
}

/** Waits so many milliseconds, or until the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
