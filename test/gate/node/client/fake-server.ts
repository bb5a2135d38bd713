import { vi } from 'vitest';
import { type ClientSession, createClient, type FetchInit } from '../../../../src/client/entry.ts';

/** A request that the server received. */
export interface ReceivedRequest extends FetchInit {
  /** The path below that of the session. */
  readonly path: string;
}

/** The next response, or a lost connection. */
export type NextResponse = Response | Error | ((got: ReceivedRequest) => Response | Promise<Response>);

/** A session whose server responds as scripted, and the requests that the server received. */
export interface FakeSession {
  readonly session: ClientSession;
  readonly got: ReceivedRequest[];
}

const SESSION = 'https://agents.test/agents/clerk/sessions/s1';

export function createFakeSession(...script: NextResponse[]): FakeSession {
  const got: ReceivedRequest[] = [];
  const client = createClient({
    url: 'https://agents.test',
    agent: 'clerk',
    token: async () => 'secret',
    async fetch(url, init) {
      const request: ReceivedRequest = { ...init, path: url.replace(SESSION, '') };
      got.push(request);
      const next = script.shift();
      if (next === undefined) throw new Error('The script has no further response.');
      if (next instanceof Error) throw next;
      return typeof next === 'function' ? next(request) : next;
    },
  });
  return { session: client.session('s1'), got };
}

/** How the body of a response ends. */
type StreamEnd = 'closed' | 'broken' | 'open';

/** Returns a stream of these frames, in pieces of `size` bytes. */
export function createStreamResponse(
  frames: readonly string[],
  end: StreamEnd = 'closed',
  size?: number,
): Response {
  const bytes = new TextEncoder().encode(frames.join(''));
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        for (let at = 0; at < bytes.length; at += size ?? bytes.length)
          controller.enqueue(bytes.slice(at, at + (size ?? bytes.length)));
        if (end === 'closed') controller.close();
      },
      pull(controller) {
        // The enqueued chunks are read first.
        if (end === 'broken') controller.error(new TypeError('terminated'));
      },
    },
    new CountQueuingStrategy({ highWaterMark: 0 }),
  );
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

/** Returns the frame of a stored event. */
export const createStoredFrame = (seq: number, type: string, more: object = {}): string =>
  `id: i.${seq}\nevent: ${type}\ndata: ${JSON.stringify({ seq, type, at: 0, turn: 't1', ...more })}\n\n`;

/** Returns a frame without an id, which is sent only live. */
export const createFrame = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;

export const ANSWER = { turn: 't1', outcome: 'completed', text: 'Paid.' };

export const createJsonResponse = (
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): Response => Response.json(value, { status, headers });

export const createProblemResponse = (
  type: string,
  status: number,
  more: object = {},
  headers: Record<string, string> = {},
): Response =>
  new Response(
    JSON.stringify({
      type: `urn:holdfast:problem:${type}`,
      title: type,
      status,
      detail: `It is ${type}.`,
      ...more,
    }),
    { status, headers: { 'content-type': 'application/problem+json', ...headers } },
  );

export const LOST_ERROR = new TypeError('fetch failed');

/**
 * Runs timers until the work settles. The caller handles a rejection. Sessions of earlier test files may set
 * timers without end, so not all timers are run.
 */
export async function withoutWaiting<T>(work: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  work.then(settle, settle);
  await vi.advanceTimersByTimeAsync(0);
  while (!isSettled && vi.getTimerCount() > 0) await vi.advanceTimersToNextTimerAsync();
  return work;
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const read: T[] = [];
  for await (const item of items) read.push(item);
  return read;
}
