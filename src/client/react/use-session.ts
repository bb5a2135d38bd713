/** A session as a hook of React. */
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { Client } from '../client-session.ts';
import { createClient } from '../create-client.ts';
import type { TransportOptions } from '../transport.ts';
import type { SessionActions, SessionSnapshot } from './followed-session.ts';
import { createSessionStore } from './session-store.ts';

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
  // A page may make its function anew each time that it renders.
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
  const { send, decide, answer, stop } = store;
  return { ...snapshot, send, decide, answer, stop, file };
}
