import { eventsOf } from '../../../src/examples/demo/client.ts';
import { type Reply, toReply } from './reply.ts';

/** A journaled event that a client was shown. */
export interface Shown {
  readonly seq: number;
  readonly type: string;
}

/** One request. */
export interface Request {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as JSON by POST. Absent: GET. */
  readonly body?: object | undefined;
  readonly signal: AbortSignal;
  readonly shown?: ((event: Shown) => void) | undefined;
}

/** Nothing that works takes this long, in ms; whoever waits longer gives up, and may ask again. */
const PATIENCE = 30_000;

/** Sends one request, and says what came of it whatever happens. */
export async function ask(request: Request): Promise<Reply> {
  try {
    const response = await send(request);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    return isStream ? await streamed(response, request) : toReply(response, await response.text());
  } catch (failure) {
    return { came: isDown(failure) ? 'down' : 'broken' };
  }
}

/** @throws whatever `fetch` throws */
export function send({ url, headers, body, signal }: Request): Promise<Response> {
  return fetch(url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
}

/** The answer at the end of a stream, or that others go on with the turn. A stream that ends without is broken. */
async function streamed(response: Response, { shown }: Request): Promise<Reply> {
  let last: Reply = { came: 'broken' };
  for await (const { event, id, data } of eventsOf(response)) {
    if (id) shown?.({ seq: Number.parseInt(id, 10), type: event });
    else if (event === 'answer' || event === 'suspended') last = toReply(response, data);
    else if (event === 'accepted' || event === 'continues')
      last = { came: 'accepted', turn: turnOf(data), status: event };
  }
  return last;
}

function turnOf(data: string): string {
  const { turn }: { turn: string } = JSON.parse(data); // of an event of the turn's stream
  return turn;
}

const isDown = (failure: unknown): boolean =>
  failure instanceof Error &&
  failure.cause instanceof Error &&
  'code' in failure.cause &&
  failure.cause.code === 'ECONNREFUSED';
