import type { ModelError } from '../../../../../src/index.ts';
import type { ModelReply, ModelRequest } from '../../../../../src/model/entry.ts';
import type { OpenaiCompatibleOptions } from '../../../../../src/model/openai-compatible/entry.ts';
import { createOpenaiCompatible, type Fetch, type RetryClock } from '../../../../doors/model.ts';

export const START_TIME = Date.UTC(2026, 0, 1, 12, 0, 0);

export const hello: ModelRequest = { messages: [{ role: 'user', text: 'hello' }], tools: [] };

/** The behavior of a fake server for one request. */
export type FakeAnswer = (request: RequestInit) => Response | Promise<Response>;

/** Returns chunks as the text of server-sent events. Objects are sent as JSON, and strings unchanged. */
export const toSseText = (...events: readonly unknown[]): string =>
  events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');

export const createChoiceDelta = (fields: object, reason: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason: reason }],
});

/**
 * Returns a stream that closes, hangs or fails after these chunks. It calls `cancelled` when the reader
 * cancels it.
 */
export const createBodyStream = (
  chunks: readonly (Uint8Array | string)[],
  end: 'close' | 'hang' | 'break' = 'close',
  cancelled: () => void = () => {},
): ReadableStream<Uint8Array> => {
  const waiting = chunks.map((chunk) =>
    typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk,
  );
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = waiting.shift();
      if (chunk !== undefined) return controller.enqueue(chunk);
      if (end === 'close') return controller.close();
      if (end === 'break') return controller.error(new Error('socket hang up'));
      return new Promise(() => {});
    },
    cancel: cancelled,
  });
};

export const createStreamResponse = (
  chunks: readonly (Uint8Array | string)[] | string,
  end: 'close' | 'hang' | 'break' = 'close',
  cancelled: () => void = () => {},
): Response =>
  new Response(createBodyStream(typeof chunks === 'string' ? [chunks] : chunks, end, cancelled), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  });

export const createCompletion = (message: object, reason: string | null = 'stop', extra: object = {}) => ({
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: reason }],
  ...extra,
});

/** Returns a server that gives these answers in turn and repeats the last one. It records each request. */
export const createFakeServer = (...answers: readonly FakeAnswer[]) => {
  const requests: { url: string; headers: Record<string, string>; body: unknown; init: RequestInit }[] = [];
  const fetch: Fetch = async (url, init) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push({
      url,
      headers: Object.fromEntries(new Headers(init.headers)),
      body: await new Response(init.body ?? null).json(),
      init,
    });
    if (answer === undefined) throw new Error('The fake server has no answer.');
    return answer(init);
  };
  return { fetch, requests };
};

/** Returns a clock that never waits, and records the requested waits. */
export const createFakePace = (random = 0) => {
  const waits: number[] = [];
  const pace: RetryClock = {
    sleep: async (ms) => {
      waits.push(ms);
    },
    random: () => random,
    now: () => START_TIME,
  };
  return { pace, waits };
};

/** Asks a new adapter once, with a listener for text if `stream` is `true`. */
export const ask = async (
  answers: FakeAnswer | readonly FakeAnswer[],
  {
    stream = false,
    request = hello,
    signal = new AbortController().signal,
    random = 0,
    onText = () => {},
    ...options
  }: Partial<OpenaiCompatibleOptions> & {
    stream?: boolean;
    request?: ModelRequest;
    signal?: AbortSignal;
    random?: number;
    onText?: (piece: string) => void;
  } = {},
) => {
  const server = createFakeServer(...(typeof answers === 'function' ? [answers] : answers));
  const { pace, waits } = createFakePace(random);
  const model = createOpenaiCompatible(
    { baseURL: 'https://model.test/v1', model: 'm-1', fetch: server.fetch, ...options },
    pace,
  );
  const pieces: string[] = [];
  const collect = (piece: string): void => {
    pieces.push(piece);
    onText(piece);
  };
  const thoughts: string[] = [];
  const onReasoning = (piece: string): void => void thoughts.push(piece);
  const listening = stream ? { signal, onText: collect, onReasoning } : { signal };
  const settled = await model.ask(request, listening).then(
    (reply): { reply: ModelReply } => ({ reply }),
    (error: ModelError): { error: ModelError } => ({ error }),
  );
  return { ...settled, pieces, thoughts, waits, requests: server.requests };
};

/** Returns the error of a request that must fail, as plain fields. */
export const askForFailure = async (...given: Parameters<typeof ask>) => {
  const outcome = await ask(...given);
  if ('reply' in outcome)
    throw new Error(`The model must fail, but it replied: ${JSON.stringify(outcome.reply)}`);
  const { name, failure, message, status, outputBegan } = outcome.error;
  return { name, failure, message, status, outputBegan };
};

/** Returns the reply of a request that must succeed. */
export const askForReply = async (...given: Parameters<typeof ask>) => {
  const outcome = await ask(...given);
  if ('error' in outcome) throw outcome.error;
  return outcome.reply;
};
