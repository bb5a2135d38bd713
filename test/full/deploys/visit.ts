import { openSession, type TimelineEvent } from '../../../src/examples/demo/client.ts';
import { pollUntil } from '../../../src/examples/demo/ports.ts';

/** A response with its whole body. */
export interface VisitResponse {
  readonly status: number;
  readonly type: string | null;
  readonly retryAfter: string | null;
  readonly location: string | null;
  /** The parsed JSON, or the text of any other type. */
  readonly body: unknown;
}

/** A session, used over HTTP like by any client. */
export interface Visit {
  get(path?: string, headers?: Readonly<Record<string, string>>): Promise<VisitResponse>;
  post(path: string, body?: object, more?: SendOptions): Promise<VisitResponse>;
  /** Sends a message and waits for the answer. */
  say(message: string): Promise<VisitResponse>;
  /** Sends a message in the background and returns the id of its turn. */
  start(message: string): Promise<string>;
  /** Resolves with the journal when a turn has ended after this sequence number. */
  ended(after?: number): Promise<readonly TimelineEvent[]>;
  /** Resolves when an event of this type is in the journal. */
  happened(type: TimelineEvent['type']): Promise<void>;
  /** Waits until there are pending calls, and returns them. */
  pending(): Promise<readonly PendingCall[]>;
}

/** The options of a request. */
export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Aborts when the client disconnects before the answer. */
  readonly leave?: AbortSignal | undefined;
}

/** A pending call. */
export interface PendingCall {
  readonly call: string;
  readonly tool: string;
  readonly message: string;
}

const PATIENCE_MS = 20_000;

/** @param address Returns the session's current URL. */
export function openVisit(address: () => string): Visit {
  const send = async (path: string, init: RequestInit): Promise<VisitResponse> =>
    readResponse(await fetch(address() + path, { signal: AbortSignal.timeout(PATIENCE_MS), ...init }));
  const post: Visit['post'] = (path, body = {}, { headers, leave } = {}) =>
    send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      ...(leave && { signal: leave }),
    });
  const get: Visit['get'] = (path = '', headers = {}) => send(path, { headers });
  return {
    get,
    post,
    say: (message) => post('/messages', { message }),
    async start(message) {
      const { status, body } = await post('/messages', { message }, { headers: { prefer: 'respond-async' } });
      if (status !== 202) throw new Error(`The background message returned ${status}, not 202.`);
      return (body as { readonly turn: string }).turn; // documented in docs/http.md
    },
    ended: (after = 0) => {
      const { origin, pathname } = new URL(address());
      const [, , agent = '', , session = ''] = pathname.split('/');
      return openSession(origin, session, agent).turnEnded(after);
    },
    happened: (type) =>
      pollUntil(`an event ${type}`, PATIENCE_MS, async () => {
        const { body } = await get('/events');
        const { events = [] } = body as { readonly events?: readonly TimelineEvent[] }; // documented in docs/http.md
        return events.some((event) => event.type === type);
      }),
    async pending() {
      let pending: readonly PendingCall[] = [];
      await pollUntil('something is waited for', PATIENCE_MS, async () => {
        const { body } = await get();
        ({ pending = [] } = body as { readonly pending?: readonly PendingCall[] }); // documented in docs/http.md
        return pending.length > 0;
      });
      return pending;
    },
  };
}

async function readResponse(response: Response): Promise<VisitResponse> {
  const { status, headers } = response;
  const type = headers.get('content-type');
  const text = await response.text();
  return {
    status,
    type,
    retryAfter: headers.get('retry-after'),
    location: headers.get('location'),
    body: type?.includes('json') ? JSON.parse(text) : text,
  };
}
