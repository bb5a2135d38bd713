import { readEvents, type StreamEvent } from './read-events.ts';
import {
  AnswerTooLargeError,
  ConnectionLostError,
  HttpStatusError,
  NoAnswerError,
  ResponseTooLargeError,
  WireError,
} from './wire-error.ts';

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
