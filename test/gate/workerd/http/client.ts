import { exports } from 'cloudflare:workers';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { expect } from 'vitest';
import { toSessionName } from '../../../doors/session.ts';
import { assertDescribedEvent, checkResponses, type Send } from './as-described.ts';

declare global {
  namespace Cloudflare {
    interface GlobalProps {
      mainModule: typeof import('../../../fixtures/test-worker.ts');
    }
  }
}

export type { Send } from './as-described.ts';

export const ORIGIN = 'http://localhost';

/** Sends a request to the Worker under test, without checking the response. */
export const sendUnchecked: Send = (path, init) =>
  exports.default.fetch(new Request(`${ORIGIN}${path}`, init));

/** Sends a request to the Worker under test, and checks the response against its description. */
export const send: Send = checkResponses(sendUnchecked);

/** Returns the path of an unused session. */
export const createSessionPath = (agent = 'scripted', prefix = 's'): string =>
  `/agents/${agent}/sessions/${prefix}-${crypto.randomUUID()}`;

/** Returns the id of the session at this path. */
export const getSessionId = (path: string): string => path.split('/').at(-1) ?? '';

/** Returns the name of its object. The owner defaults to the caller of a Worker that is open on localhost. */
export function getSessionName(path: string, owner = 'local'): string {
  const [, , agent = ''] = path.split('/');
  return toSessionName({ owner: { id: owner }, agent, session: getSessionId(path) });
}

type Headers = Readonly<Record<string, string>>;

export const post = (
  session: string,
  body: unknown,
  { headers = {}, signal, via = send }: { headers?: Headers; signal?: AbortSignal; via?: Send } = {},
): Promise<Response> =>
  via(`${session}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal && { signal }),
  });

export const SSE_HEADERS = { accept: 'text/event-stream' };

/** Returns the body of a JSON response. */
export async function readJson(response: Response): Promise<Record<string, unknown>> {
  return response.json();
}

export interface SentEvent {
  /** The sequence number in the event's id. */
  readonly id?: number;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** Yields the events of a stream as they arrive. Returning early cancels it. */
export async function* readSentEvents(response: Response): AsyncGenerator<SentEvent> {
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const waiting: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => waiting.push(message) });
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    for (const { id, event = 'message', data } of waiting.splice(0)) {
      const sent = { event, data: JSON.parse(data) };
      assertDescribedEvent(response, { ...(id !== undefined && { id }), ...sent });
      yield { ...(id !== undefined && id !== '' && { id: Number.parseInt(id, 10) }), ...sent };
    }
  }
}

/** Reads a stream until an event with this name, or until its end. */
export async function readUntil(events: AsyncIterator<SentEvent>, name?: string): Promise<SentEvent[]> {
  const read: SentEvent[] = [];
  for (;;) {
    const next = await events.next();
    if (next.done) return read;
    read.push(next.value);
    if (next.value.event === name) return read;
  }
}

export const readAllEvents = (response: Response): Promise<SentEvent[]> =>
  readUntil(readSentEvents(response));

/** Returns the journal, as read over the API. */
export async function readJournal(session: string, via: Send = send): Promise<Record<string, unknown>[]> {
  const { events } = await readJson(await via(`${session}/events`));
  if (!Array.isArray(events)) throw new Error('The response has no events.');
  return events;
}

/** Follows a session until its turn has ended, and returns the journal. */
export async function followToEnd(session: string): Promise<Record<string, unknown>[]> {
  const events = readSentEvents(await send(`${session}/events`, { headers: SSE_HEADERS }));
  await readUntil(events, 'turn-ended');
  await events.return(undefined);
  return readJournal(session);
}
