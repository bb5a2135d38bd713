import { readEvents } from './read-events.ts';
import { pause } from './wire.ts';
import {
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
  /** Also when the server gave its events no ids: what was missed is lost then. */
  readonly alwaysResumes: boolean;
  /** Times at the most that it is resumed: each is a request, of which an invocation has few. */
  readonly maxResumes: number;
  /** Asks for what came after this event. */
  resume(lastId: string | undefined): Promise<Response>;
  /** Takes the data of one message. */
  take(data: string): void;
}

/** Reads a stream over all its parts (MCP specification, Resumability and Redelivery). */
export class EventFollower {
  readonly #followed: Followed;
  #lastId: string | undefined;
  #retry: number | undefined;

  constructor(followed: Followed) {
    this.#followed = followed;
  }

  /**
   * Reads until `isDone`; it is asked after every message.
   *
   * @throws NoAnswerError when the stream ends before, and cannot be resumed, or was as often as is allowed, or the error
   *   that broke it; ResponseTooLargeError; the signal's reason.
   */
  async follow(first: Response, isDone: () => boolean): Promise<void> {
    let response: Response | undefined = first;
    for (let resumes = 0; ; resumes++) {
      const broken = response && (await this.#read(response, isDone));
      if (isDone()) return;
      this.#followed.signal.throwIfAborted();
      const isResumed = this.#followed.alwaysResumes || this.#lastId !== undefined;
      if (!isResumed || resumes === this.#followed.maxResumes) throw broken ?? new NoAnswerError();
      await pause(this.#retry ?? FIRST_PAUSE * GROWTH ** resumes, this.#followed.signal);
      response = await this.#followed.resume(this.#lastId).catch(unlessRefused);
    }
  }

  /** Answers what broke the stream; nothing when it ended, or there is enough. */
  async #read(response: Response, isDone: () => boolean): Promise<WireError | undefined> {
    if (!response.body) return undefined;
    try {
      for await (const event of readEvents(response.body)) {
        if ('retry' in event) this.#retry = event.retry;
        else this.#note(event);
        if (isDone()) return undefined;
      }
      return undefined;
    } catch (error) {
      // It would come again.
      if (error instanceof ResponseTooLargeError) throw error;
      return error instanceof WireError ? error : new ConnectionLostError();
    }
  }

  #note({
    id,
    type,
    data,
  }: {
    readonly id: string | undefined;
    readonly type: string;
    readonly data: string;
  }): void {
    if (id !== undefined && id !== '') this.#lastId = id;
    if (type === 'message' && data !== '') this.#followed.take(data);
  }
}

/** A server that does not know the stream will not know it later; one that is down may be back. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof HttpStatusError && error.status < 500) throw new NoAnswerError();
}
