import {
  AnswerTooLargeError,
  ConnectionLostError,
  HttpStatusError,
  NoAnswerError,
  ResponseTooLargeError,
  WireError,
} from './wire-error.ts';

/** One event of a stream. A server with resumable streams begins with an event without data. */
export interface StreamEvent {
  readonly id: string | undefined;
  /** Defaults to `message`. */
  readonly type: string;
  readonly data: string;
}

/** An event, or the milliseconds that clients should wait before they resume the stream. */
export type EventOrRetry = StreamEvent | { readonly retry: number };

/** The maximum number of events in one response. Each is a message to parse. */
const MAX_EVENTS = 10_000;

/**
 * Reads the events of a stream, in order. An incomplete event at the end is ignored (HTML, server-sent
 * events). If the reader stops early, the body is cancelled.
 *
 * @throws ResponseTooLargeError after the last event within the limit, or AnswerTooLargeError if the response
 * itself is too large. Errors from the body pass through.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<EventOrRetry, void> {
  let read: EventOrRetry[] = [];
  let events = 0;
  const parse = createEventParser((event) => {
    if (++events <= MAX_EVENTS) read.push(event);
  });
  for await (const text of readText(body)) {
    parse(text);
    yield* read;
    read = [];
    if (events > MAX_EVENTS) throw new ResponseTooLargeError(MAX_EVENTS, 'events');
  }
}

/** Reads the text of a stream, and ends every line with LF. */
async function* readText(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
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
      line = getLineStart(line, text);
      yield text;
    }
  } catch (error) {
    const isOfAnswer = error instanceof ResponseTooLargeError && isAnswerStart(line.replace(/^data: ?/, ''));
    throw isOfAnswer ? new AnswerTooLargeError(error) : error;
  }
}

/** Returns the start of the incomplete line, long enough to recognize its kind. */
function getLineStart(former: string, text: string): string {
  const last = text.lastIndexOf('\n');
  return last === -1 ? (former + text.slice(0, 400)).slice(0, 400) : text.slice(last + 1, last + 401);
}

/** The fields of the lines since the last event. */
interface PartialEvent {
  id?: string;
  type?: string;
  readonly data: string[];
}

/**
 * Creates a parser for events in text whose lines end with LF (HTML, server-sent events), in pieces of any
 * size. It takes linear time. Most parsers create an error for every unknown line, and a stream can have
 * millions.
 */
function createEventParser(tell: (event: EventOrRetry) => void): (text: string) => void {
  let line: string[] = [];
  let begun: PartialEvent = { data: [] };
  const dispatchEvent = () => {
    const { id, type = 'message', data } = begun;
    begun = { data: [] };
    if (data.length > 0) tell({ id, type, data: data.join('\n') });
  };
  const take = (complete: string) => {
    if (complete === '') return dispatchEvent();
    const [field, value] = parseField(complete);
    if (field === 'retry' && /^\d+$/.test(value)) tell({ retry: Number(value) });
    else setField(begun, field, value);
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

function parseField(line: string): readonly [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}

function setField(begun: PartialEvent, field: string, value: string): void {
  if (field === 'data') begun.data.push(value);
  else if (field === 'id' && !value.includes('\0')) begun.id = value;
  else if (field === 'event' && value !== '') begun.type = value;
}

/**
 * The maximum number of braces, brackets, commas and colons in one text. A megabyte of `{},` would fill a
 * Worker's memory when parsed, and take seconds.
 */
const MAX_PARTS = 200_000;

/**
 * Parses JSON. Returns `undefined` for invalid JSON.
 *
 * @throws ResponseTooLargeError if it has too many parts, whatever its length.
 */
export function readJson(text: string): unknown {
  if (hasMoreParts(text, MAX_PARTS)) throw new ResponseTooLargeError(MAX_PARTS, 'parts of JSON');
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Matches the start of a response: a result after only the fields that every message has. */
const ANSWER_START =
  /^\s{0,9}\{\s{0,9}(?:"(?:jsonrpc|id)"\s{0,9}:\s{0,9}[^,{[]{1,80},\s{0,9}){0,2}"result"\s{0,9}:/;

/** Returns whether a text that is too long to parse begins like a response. */
export const isAnswerStart = (text: string): boolean => ANSWER_START.test(text.slice(0, 300));

function hasMoreParts(text: string, max: number): boolean {
  if (text.length <= max) return false;
  let parts = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = findStringEnd(text, at);
    else if (char === '{' || char === '[' || char === ',' || char === ':') parts += 1;
    if (parts > max) return true;
  }
  return false;
}

/** Returns the end of the string that begins at `start`, or the end of the text if it is unterminated. */
function findStringEnd(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    if (!isEscaped(text, at)) return at;
  }
  return text.length;
}

/** Returns whether a quote is escaped, by an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === '\\') before -= 1;
  return (at - before) % 2 === 0;
}

/** The default wait before a stream is resumed, in milliseconds. Each further wait is 50 % longer. */
const FIRST_PAUSE_MS = 500;
const PAUSE_GROWTH = 1.5;

/** A stream of events, and the way to resume it. */
export interface FollowedStream {
  readonly signal: AbortSignal;
  /** `true` to resume it even if its events have no ids. Missed events are then lost. */
  readonly alwaysResumes: boolean;
  /** The maximum number of times to resume it. Each is a request, and an invocation can make few. */
  readonly maxResumes: number;
  /** Requests the events after this one. */
  resume(lastId: string | undefined): Promise<Response>;
  /** Reads the data of one message. */
  take(data: string): void;
  /** Returns whether the stream has delivered enough. Called after every event. */
  isDone(): boolean;
}

/**
 * Reads a stream and its continuations (MCP specification, Resumability and Redelivery), until `isDone`.
 *
 * @throws NoAnswerError if the stream ends too early and cannot be resumed. If it broke, throws that error.
 * Throws ResponseTooLargeError, AnswerTooLargeError or the signal's reason.
 */
export async function followEvents(first: Response, followed: FollowedStream): Promise<void> {
  const { signal, alwaysResumes, maxResumes, isDone } = followed;
  const position: Position = { lastId: undefined, retry: undefined };
  let response: Response | undefined = first;
  for (let resumes = 0; ; resumes++) {
    const broken = response && (await readPart(response, followed, position));
    if (isDone()) return;
    signal.throwIfAborted();
    const isResumed = alwaysResumes || position.lastId !== undefined;
    if (!isResumed || resumes === maxResumes) throw broken ?? new NoAnswerError();
    await pause(position.retry ?? FIRST_PAUSE_MS * PAUSE_GROWTH ** resumes, signal);
    signal.throwIfAborted();
    response = await followed.resume(position.lastId).catch(assertResumable);
  }
}

/** The event after which to resume a stream, and the wait in ms, as sent by the server. */
interface Position {
  lastId: string | undefined;
  retry: number | undefined;
}

/** Returns the error that broke the stream. Returns `undefined` if it ended or has delivered enough. */
async function readPart(
  { body }: Response,
  { take, isDone }: FollowedStream,
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
    // A continuation would contain the oversized message again.
    if (error instanceof ResponseTooLargeError || error instanceof AnswerTooLargeError) throw error;
    return error instanceof WireError ? error : new ConnectionLostError();
  }
}

const isMessage = ({ type, data }: StreamEvent): boolean => type === 'message' && data !== '';

/**
 * Throws if a retry cannot help, because the server does not know the stream. A server that is down may
 * recover.
 */
function assertResumable(error: unknown): undefined {
  if (error instanceof HttpStatusError && error.status < 500) throw new NoAnswerError();
}

/** Waits for some milliseconds, or until the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
