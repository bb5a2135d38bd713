/** A store of a session, as pages of any library take it. It needs no React. */

import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { Client, ClientSession } from '../client-session.ts';
import { createClient } from '../create-client.ts';
import type { TransportOptions } from '../transport.ts';
import { FollowedSession } from './followed-session.ts';
import type { SessionActions, SessionSnapshot } from './shown-messages.ts';

/** A session for pages: as `useSyncExternalStore` and its like take it. */
export interface SessionStore extends SessionActions {
  /** Follows the session while there is a listener. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => SessionSnapshot;
}

/** Whoever looks away for so long does not look any more, in ms: a page that shows something else meanwhile asks nobody anew. */
const GRACE = 100;

/**
 * Makes a store of a session: what pages of any library are made with. Nothing is asked of the session before somebody subscribes.
 *
 * @example
 * ```ts
 * const client = createClient({ url: 'https://agents.example.com', agent: 'clerk' });
 * const store = createSessionStore(client.session('s1'));
 * const leave = store.subscribe(() => console.log(store.getSnapshot().messages.at(-1)?.text));
 * await store.send('Please pay invoice INV-17.');
 * leave();
 * ```
 */
export function createSessionStore(session: ClientSession<unknown>): SessionStore {
  const live = new FollowedSession(session);
  let following: AbortController | undefined;
  const leave = (): void => {
    if (live.listeners.size > 0) return;
    following?.abort();
    following = undefined;
  };
  return {
    getSnapshot: () => live.snapshot,
    subscribe(listener) {
      // Each subscription is one of its own, also of a listener that is there already.
      const mine = (): void => listener();
      live.listeners.add(mine);
      if (!following) {
        following = new AbortController();
        void live.follow(following.signal);
      }
      return () => {
        if (live.listeners.delete(mine)) setTimeout(leave, GRACE);
      };
    },
    send: (message, options) => live.send(message, options),
    decide: (call, decision) =>
      live.answer([{ call, ...(typeof decision === 'string' ? { decision } : decision) }]),
    answer: (answers) => live.answer(answers),
    stop: () => live.tried(() => session.cancel()),
    retry: () => live.tried(() => session.retry({ background: true })),
  };
}

/** Which session a page shows: of a client, or where its agent is. */
export type UseSessionOptions = { readonly session: string } & (
  | { readonly client: Client<unknown> }
  | ({ readonly agent: string; readonly client?: undefined } & Pick<TransportOptions, 'url' | 'token'>)
);

/** What a page shows of a session, and what it does there. */
export interface LiveSession extends SessionSnapshot, SessionActions {
  /** The bytes of a file, by the `id` that messages and calls tell. */
  file(id: string): Promise<Blob>;
}

/**
 * Shows a session, live: what this page sends, and what others do. It needs no provider; a server that renders it shows nothing yet.
 *
 * @example
 * ```ts
 * const { messages, pending, send, decide, stop } = useSession({ url: 'https://agents.example.com', agent: 'clerk', session: 's1' });
 * ```
 */
export function useSession(options: UseSessionOptions): LiveSession {
  const { client, session: id } = options;
  const { url, agent } = client ? { url: '', agent: '' } : options;
  const token = client ? undefined : options.token;
  // A page may make a new function each time that it renders.
  const latest = useRef(token);
  useEffect(() => {
    latest.current = token;
  });
  const { store, file } = useMemo(() => {
    const renewed = async (): Promise<string> => {
      const { current = '' } = latest;
      return typeof current === 'string' ? current : current();
    };
    const session = (client ?? createClient({ url, agent, token: renewed })).session(id);
    return { store: createSessionStore(session), file: (of: string) => session.file(of) };
  }, [client, url, agent, id]);
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot);
  const { send, decide, answer, stop, retry } = store;
  return { ...snapshot, send, decide, answer, stop, retry, file };
}
