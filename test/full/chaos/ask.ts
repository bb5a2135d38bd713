import { readEventStream } from '../../../src/examples/demo/client.ts';
import { type Reply, toReply } from './reply.ts';

/** A journaled event that a client was shown. */
export interface ShownEvent {
  readonly seq: number;
  readonly type: string;
}

/** The settings of one request. */
export interface Request {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The JSON body of a POST. Without a body, the request is a GET. */
  readonly body?: object | undefined;
  readonly signal: AbortSignal;
  readonly shown?: ((event: ShownEvent) => void) | undefined;
}

/**
 * The time in ms after which a request is abandoned, so that it can be repeated. Every successful request is
 * faster.
 */
const PATIENCE_MS = 30_000;

/** Sends one request and returns its outcome. Does not reject. */
export async function ask(request: Request): Promise<Reply> {
  try {
    const response = await send(request);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    return isStream ? await readStream(response, request) : toReply(response, await response.text());
  } catch (failure) {
    return { came: isDown(failure) ? 'down' : 'broken' };
  }
}

/** @throws the errors of `fetch` */
export function send({ url, headers, body, signal }: Request): Promise<Response> {
  return fetch(url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
}

/**
 * Returns the answer at the end of a stream, or reports that the turn continues elsewhere. A stream that ends
 * without either is broken.
 */
async function readStream(response: Response, { shown }: Request): Promise<Reply> {
  let last: Reply = { came: 'broken' };
  for await (const { event, id, data } of readEventStream(response)) {
    if (id) shown?.({ seq: Number.parseInt(id, 10), type: event });
    else if (event === 'answer' || event === 'suspended') last = toReply(response, data);
    else if (event === 'accepted' || event === 'continues')
      last = { came: 'accepted', turn: parseTurnId(data), status: event };
  }
  return last;
}

function parseTurnId(data: string): string {
  const { turn }: { turn: string } = JSON.parse(data); // an event of the turn's stream
  return turn;
}

const isDown = (failure: unknown): boolean =>
  failure instanceof Error &&
  failure.cause instanceof Error &&
  'code' in failure.cause &&
  failure.cause.code === 'ECONNREFUSED';
