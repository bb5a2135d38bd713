/** The live journal of a session, which all of its views share. */
import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { ClientSession } from '../../../../client/client-session.ts';
import type { StoredEvent } from '../../../../journal/events.ts';
import { createAgentClient, type Failure, type SessionPlace, toFailure } from './api.ts';

/** The pieces of a reply that the model is writing, by the id of its loop. */
export interface LivePiece {
  readonly text: string;
  readonly reasoning: string;
}

/** `loading` means that earlier events are still being read, and `live` that new events arrive. */
export type Connection = 'loading' | 'live' | 'reconnecting' | 'erased' | 'failed' | 'empty';

export interface SessionStore extends SessionPlace {
  readonly client: ClientSession;
  /** The journal. The array grows in place, and `length` signals each change. */
  readonly events: readonly StoredEvent[];
  readonly length: ReadonlySignal<number>;
  readonly connection: ReadonlySignal<Connection>;
  readonly failure: ReadonlySignal<Failure | undefined>;
  /** The unfinished reply of each loop. Empty for the turn's own loop. */
  readonly live: ReadonlySignal<ReadonlyMap<string, LivePiece>>;
  /** The last progress line of running calls, by call id. */
  readonly progress: ReadonlySignal<ReadonlyMap<string, string>>;
  /** Starts to follow the session, after a failure or after the first message to a new session. */
  follow(): void;
  close(): void;
}

/** The ids of new sessions, which exist only in the page and need no request. */
const unsentSessions = new Set<string>();

/** Returns the id of a new session. */
export function createSessionId(): string {
  const id = crypto.randomUUID();
  unsentSessions.add(id);
  return id;
}

/** The props of every view of a session. */
export interface SessionViewProps {
  readonly store: SessionStore;
}

/** Opens a session and follows it until `close`. */
export function openSession({ agent, id, owner }: SessionPlace): SessionStore {
  const client = createAgentClient(agent, owner).session(id);
  const events: StoredEvent[] = [];
  const length = signal(0);
  const connection = signal<Connection>('loading');
  const failure = signal<Failure | undefined>(undefined);
  const live = signal<ReadonlyMap<string, LivePiece>>(new Map());
  const progress = signal<ReadonlyMap<string, string>>(new Map());
  let stop = new AbortController();
  const follow = (): void => {
    stop.abort();
    stop = new AbortController();
    failure.value = undefined;
    connection.value = events.length > 0 ? 'reconnecting' : 'loading';
    void followJournal({ client, events, length, connection, failure, live, progress, signal: stop.signal });
  };
  if (unsentSessions.delete(id)) connection.value = 'empty';
  else follow();
  return {
    agent,
    id,
    owner,
    client,
    events,
    length,
    connection,
    failure,
    live,
    progress,
    follow,
    close: () => stop.abort(),
  };
}

interface FollowState extends Pick<SessionStore, 'client'> {
  readonly events: StoredEvent[];
  readonly length: Signal<number>;
  readonly connection: Signal<Connection>;
  readonly failure: Signal<Failure | undefined>;
  readonly live: Signal<ReadonlyMap<string, LivePiece>>;
  readonly progress: Signal<ReadonlyMap<string, string>>;
  readonly signal: AbortSignal;
}

/** The number of events after which the view updates while a long journal loads. */
const EVENTS_PER_CHUNK = 500;

/** Reads and follows the journal. Never rejects. */
async function followJournal(of: FollowState): Promise<void> {
  const { client, events, length, connection, failure, signal } = of;
  try {
    for await (const event of client.events({ after: events.at(-1)?.seq ?? 0, signal })) {
      events.push(event);
      if (events.length % EVENTS_PER_CHUNK === 0) length.value = events.length;
    }
    length.value = events.length;
    connection.value = 'live';
    // The journal outlives every connection, so the number of retries is practically unlimited.
    for await (const item of client.watch({ after: events.at(-1)?.seq ?? 0, retries: 1_000_000, signal })) {
      batch(() => applyItem(of, item));
      if (item.type === 'erased') return;
    }
  } catch (thrown) {
    if (signal.aborted) return;
    const told = toFailure(thrown);
    batch(() => {
      length.value = events.length;
      connection.value = told.type === 'unknown-session' ? 'empty' : 'failed';
      failure.value = told.type === 'unknown-session' ? undefined : told;
    });
  }
}

type WatchItem =
  Awaited<ReturnType<ReturnType<ClientSession['watch']>['next']>> extends infer Result
    ? Result extends { readonly done?: false; readonly value: infer Value }
      ? Value
      : never
    : never;

function applyItem({ events, length, connection, live, progress }: FollowState, item: WatchItem): void {
  if ('seq' in item) {
    events.push(item);
    length.value = events.length;
    connection.value = 'live';
    if (item.type === 'model-replied') live.value = withoutKey(live.peek(), item.frame ?? '');
    if (item.type === 'tool-call-ended') progress.value = withoutKey(progress.peek(), item.call);
    if (item.type === 'turn-ended') {
      live.value = new Map();
      progress.value = new Map();
    }
    return;
  }
  switch (item.type) {
    case 'text-delta':
    case 'reasoning-delta': {
      const loop = item.frame ?? '';
      const { text, reasoning } = live.peek().get(loop) ?? { text: '', reasoning: '' };
      const piece =
        item.type === 'text-delta'
          ? { text: text + item.text, reasoning }
          : { text, reasoning: reasoning + item.text };
      live.value = new Map(live.peek()).set(loop, piece);
      return;
    }
    case 'reply-restarted':
      live.value = withoutKey(live.peek(), item.frame ?? '');
      return;
    case 'progress':
      progress.value = new Map(progress.peek()).set(item.call, item.status);
      return;
    case 'erased':
      connection.value = 'erased';
      return;
    case 'resumed':
      connection.value = 'live';
  }
}

function withoutKey<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  const copy = new Map(map);
  copy.delete(key);
  return copy;
}
