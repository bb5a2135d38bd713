import { setTimeout as delay } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { SessionEvent } from '../../journal/events.ts';

/** An event as the events endpoint returns it. */
export type TimelineEvent = SessionEvent & { readonly seq: number; readonly at: number };

/** A call that waits for a decision. */
export interface PendingCall {
  readonly call: string;
  readonly message: string;
  readonly links: { readonly approvals: string };
}

/** The properties of a turn's answer that the demo uses. */
export interface Answer {
  readonly turn: string;
  readonly outcome: string;
  readonly text: string;
  readonly iterations: number;
  readonly toolCalls: number;
  /** The calls that a suspended turn waits for. */
  readonly pending?: readonly PendingCall[];
}

export interface Decision {
  readonly decision: 'approve' | 'edit' | 'reject' | 'exit';
  readonly input?: object;
  readonly reason?: string;
}

/** One session, which the demo uses over HTTP like any client. */
export interface Client {
  /**
   * Sends a message and waits for the answer. Turns with one `loopId` share a loop. Rejects if the connection
   * is lost.
   */
  send(message: string, loopId?: string): Promise<Answer>;
  /** Returns as soon as the message is accepted. */
  sendInBackground(message: string): Promise<void>;
  /** Sends a message, and calls `onEvent` for each server-sent event. Rejects if the connection is lost. */
  stream(message: string, onEvent: (type: string, data: unknown) => void): Promise<void>;
  /** Decides a waiting call, and waits for the answer. Rejects if it was decided already. */
  decide(pending: PendingCall, decision: Decision): Promise<Answer>;
  /** Returns the journal so far. */
  events(): Promise<readonly TimelineEvent[]>;
  /**
   * Follows the journal, without sending anything, until an event after `seq` ends a turn. Resolves with the
   * journal.
   */
  turnEnded(seq: number): Promise<readonly TimelineEvent[]>;
}

export interface StreamedEvent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** The timeout for each step of the demo, in milliseconds. */
const PATIENCE = 30_000;

/** Makes a client of one session at a Worker's URL. Sends no request yet. */
export function openSession(url: string, session: string, agent = 'support'): Client {
  const path = `${url}/agents/${agent}/sessions/${session}`;
  const post = (message: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
    postJson(`${path}/messages`, { message }, headers);
  const readEvents = async (): Promise<readonly TimelineEvent[]> => {
    const response = await fetch(`${path}/events`, { signal: AbortSignal.timeout(PATIENCE) });
    if (!response.ok) throw new Error(`GET returned ${response.status}: ${await response.text()}`);
    const page = (await response.json()) as { readonly events: readonly TimelineEvent[] }; // the contract of the route
    return page.events;
  };
  return {
    events: readEvents,
    send: async (message, loopId) =>
      (await postJson(`${path}/messages`, { message, loopId })).json() as Promise<Answer>, // the contract of the route
    decide: async ({ links }, decision) =>
      (await postJson(url + links.approvals, decision)).json() as Promise<Answer>, // the contract of the route
    async sendInBackground(message) {
      const { status } = await post(message, { prefer: 'respond-async' });
      if (status !== 202) throw new Error(`A background message returned ${status}, not 202.`);
    },
    async stream(message, onEvent) {
      const response = await post(message, { accept: 'text/event-stream' });
      for await (const { event, data } of readEventStream(response)) onEvent(event, JSON.parse(data));
    },
    async turnEnded(seq) {
      let last = String(seq);
      const signal = AbortSignal.timeout(PATIENCE);
      while (!signal.aborted) {
        try {
          const headers = { accept: 'text/event-stream', 'last-event-id': last };
          for await (const { event, id } of readEventStream(
            await fetch(`${path}/events`, { headers, signal }),
          )) {
            if (event === 'turn-ended') return readEvents();
            last = id ?? last;
          }
        } catch {
          // The next request resumes a broken stream after the last event that arrived.
          await delay(100);
        }
      }
      throw new Error(`The turn did not end by itself within ${PATIENCE} ms.`);
    },
  };
}

async function postJson(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE),
  });
  if (!response.ok) throw new Error(`POST returned ${response.status}: ${await response.text()}`);
  return response;
}

/** Yields the events of a stream. @throws Error if the response is not a stream, or breaks off. */
export async function* readEventStream(response: Response): AsyncGenerator<StreamedEvent> {
  if (!response.ok || !response.body)
    throw new Error(`The request for the stream returned ${response.status}.`);
  const frames = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const { event = 'message', id, data } of frames) yield { event, id, data };
}
