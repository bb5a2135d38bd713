import type { ContentBlock } from '@modelcontextprotocol/client';
import { CallInterrupted } from '../../tool/signals.ts';
import type { RemoteCallOptions } from './mcp-connection.ts';

/** What ended a call before there was an answer. */
type CallEnding = 'cancelled' | 'timeout' | CallInterrupted;

/** What the server is told of a call that is cancelled; reasons of ours are none of its business. */
const REASONS = { cancelled: 'The call was cancelled.', timeout: 'The call timed out.' };

/** The most questions of one call: people are not to be worn down. */
export const MAX_QUESTIONS = 10;

/** A call that waits for its answer. */
export interface CallInFlight {
  /** The progress token by which the server, and the wire, name the call. */
  readonly token: number;
  /** The name of the tool. */
  readonly tool: string;
  readonly options: RemoteCallOptions;
  /** Aborts when the call has ended before there was an answer. */
  readonly signal: AbortSignal;
  readonly ending: CallEnding | undefined;
  /** What the server has said of its answer before that is there. */
  readonly streamed: ContentBlock[];
  /** Counts a question to people; false when there have been as many as a call may put. */
  mayAsk(): boolean;
  /** Ends the call; the first ending counts. */
  end(ending: CallEnding): void;
  /** Forgets the call: to be called once it has settled. */
  settle(): void;
}

/** The calls of one connection that wait for their answers. */
export class CallsInFlight {
  readonly #calls = new Map<number, CallInFlight>();
  #last: number;

  /** `from`: its tokens are greater. */
  constructor(from: number) {
    this.#last = from;
  }

  begin(tool: string, options: RemoteCallOptions): CallInFlight {
    const token = ++this.#last;
    const over = new AbortController();
    let ending: CallEnding | undefined;
    let questions = 0;
    const end = (why: CallEnding) => {
      ending ??= why;
      over.abort(why === 'timeout' ? REASONS.timeout : REASONS.cancelled);
    };
    const onAbort = () => end(isTimeout(options.signal.reason) ? 'timeout' : 'cancelled');
    options.signal.addEventListener('abort', onAbort, { once: true });
    if (options.signal.aborted) onAbort();
    const call: CallInFlight = {
      token,
      tool,
      options,
      streamed: [],
      signal: over.signal,
      get ending() {
        return ending;
      },
      mayAsk: () => ++questions <= MAX_QUESTIONS,
      end,
      settle: () => {
        options.signal.removeEventListener('abort', onAbort);
        this.#calls.delete(token);
      },
    };
    this.#calls.set(token, call);
    return call;
  }

  get(token: unknown): CallInFlight | undefined {
    return typeof token === 'number' ? this.#calls.get(token) : undefined;
  }

  /** Answers the call that is in flight when there is only one. */
  get only(): CallInFlight | undefined {
    return this.#calls.size === 1 ? this.#calls.values().next().value : undefined;
  }

  all(): readonly CallInFlight[] {
    return [...this.#calls.values()];
  }
}

const isTimeout = (reason: unknown): boolean => reason instanceof Error && reason.name === 'TimeoutError';

/** Tells whether a call was left, to be gone on with later. */
export const isInterrupted = (ending: unknown): ending is CallInterrupted =>
  ending instanceof CallInterrupted;
