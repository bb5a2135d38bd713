/** A store of a session for pages with any library. It does not need React. */

import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { Client, ClientSession } from '../client-session.ts';
import { createClient } from '../create-client.ts';
import type { TransportOptions } from '../transport.ts';
import { FollowedSession } from './followed-session.ts';
import type { SessionActions, SessionSnapshot } from './shown-messages.ts';

/** A session for `useSyncExternalStore` and similar functions. */
export interface SessionStore extends SessionActions {
  /** Follows the session while there is a listener. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => SessionSnapshot;
}

/**
 * Milliseconds until the store disconnects after its last listener has left. A short change of view then
 * needs no new requests.
 */
const DISCONNECT_DELAY_MS = 100;

/**
 * Makes a store of a session for a page with any library. Sends no requests before the first subscription.
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
      // A new function for each subscription, so that one listener can subscribe several times.
      const notifyListener = (): void => listener();
      live.listeners.add(notifyListener);
      if (!following) {
        following = new AbortController();
        void live.follow(following.signal);
      }
      return () => {
        if (live.listeners.delete(notifyListener)) setTimeout(leave, DISCONNECT_DELAY_MS);
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

/** Options of `useSession`: a session of a client, or the URL of its agent. */
export type UseSessionOptions = { readonly session: string } & (
  | { readonly client: Client<unknown> }
  | ({ readonly agent: string; readonly client?: undefined } & Pick<TransportOptions, 'url' | 'token'>)
);

/** A session in a page, with its actions. */
export interface LiveSession extends SessionSnapshot, SessionActions {
  /** Returns the bytes of a file, by the `id` in messages and calls. */
  file(id: string): Promise<Blob>;
}

/**
 * Shows a session, live, with messages from this page and others. It needs no provider. Server rendering
 * shows an empty session.
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
  // A page may create a new function for each render.
  const latest = useRef(token);
  useEffect(() => {
    latest.current = token;
  });
  const { store, file } = useMemo(() => {
    const getLatestToken = async (): Promise<string> => {
      const { current = '' } = latest;
      return typeof current === 'string' ? current : current();
    };
    const session = (client ?? createClient({ url, agent, token: getLatestToken })).session(id);
    return { store: createSessionStore(session), file: (of: string) => session.file(of) };
  }, [client, url, agent, id]);
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot);
  const { send, decide, answer, stop, retry } = store;
  return { ...snapshot, send, decide, answer, stop, retry, file };
}
