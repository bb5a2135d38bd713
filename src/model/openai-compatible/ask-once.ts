import { ModelError, type ModelReply } from '../chat-model.ts';
import { createPatience, type Patience } from './patience.ts';
import { readReply } from './read-reply.ts';
import { type Attempt, parseRetryAfter } from './retry.ts';
import { errorOfResponse } from './server-errors.ts';

/** Anything that answers as `fetch` does: a service binding, a proxy, a test. */
export type Fetch = (url: string, request: RequestInit) => Promise<Response>;

/** Where and how to ask; the same for every ask of an adapter. */
export interface Endpoint {
  readonly url: string;
  readonly headers: Headers;
  /** The longest silence in ms: until the response's headers, and between two chunks of its body. */
  readonly timeout: number;
  readonly fetch: Fetch;
  /** Makes a message fit to be shown: without secrets, and short. */
  readonly clean: (message: string) => string;
  readonly now: () => number;
}

/** One ask, ready to be sent. */
export interface OutgoingAsk {
  readonly body: string;
  readonly signal: AbortSignal;
  readonly onText: ((piece: string) => void) | undefined;
}

const unreachable = (error: unknown): ModelError =>
  new ModelError(
    'unreachable',
    `The model's server could not be reached: ${error instanceof Error ? error.message : 'no reason given'}`,
  );

const send = async (
  endpoint: Endpoint,
  body: string,
  signal: AbortSignal,
  patience: Patience,
): Promise<Response> => {
  // A redirect would carry the key to an address that nobody configured.
  const request: RequestInit = {
    method: 'POST',
    headers: endpoint.headers,
    body,
    signal,
    redirect: 'manual',
  };
  const answer = (async () => endpoint.fetch(endpoint.url, request))();
  try {
    return await patience.wait(() => answer, unreachable);
  } catch (error) {
    // A `fetch` that ignores its signal may still answer; nobody will read it.
    answer.then((late) => late.body?.cancel()).catch(() => {});
    throw error;
  }
};

/**
 * Sends one ask and reads its answer. What went wrong is an outcome whose message is safe to show; only what `onText`
 * throws is thrown.
 */
export const askOnce = async (endpoint: Endpoint, ask: OutgoingAsk): Promise<Attempt<ModelReply>> => {
  const connection = new AbortController();
  const hangUp = (): void => connection.abort();
  ask.signal.addEventListener('abort', hangUp);
  const patience = createPatience(ask.signal, endpoint.timeout);
  let outputBegan = false;
  let retryAfter: number | undefined;
  const onText = (piece: string): void => {
    if (ask.onText === undefined) return;
    outputBegan = true;
    ask.onText(piece);
  };
  try {
    patience.check();
    const response = await send(endpoint, ask.body, connection.signal, patience);
    if (!response.ok) {
      retryAfter = parseRetryAfter(response.headers, endpoint.now());
      throw await errorOfResponse(response, patience, retryAfter);
    }
    const value = await readReply(response, patience, { streamed: ask.onText !== undefined, onText });
    return { type: 'succeeded', value };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const { failure, message, status } = error;
    return {
      type: 'failed',
      error: new ModelError(failure, endpoint.clean(message), { status, outputBegan }),
      retryAfter,
    };
  } finally {
    ask.signal.removeEventListener('abort', hangUp);
    hangUp();
  }
};
