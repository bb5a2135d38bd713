/**
 * The entry `holdfast/react/lists`: shows the sessions of a caller and its inbox in pages. The page provides
 * React.
 */
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { ListedSession, SessionStatus, WaitingSession } from '../../../worker/index-views.ts';
import { createIndexClient, type IndexClient } from '../../index-client.ts';
import type { TransportOptions } from '../../transport.ts';
import { type ListSnapshot, LiveList, type PageReader } from './live-list.ts';

export type { ListSnapshot } from './live-list.ts';

/** The source of a list, and its refresh interval. */
type ListPlace = {
  /** Milliseconds between reads while the list is shown. Defaults to 5,000. */
  readonly every?: number | undefined;
} & (
  | { readonly index: IndexClient }
  | ({ readonly index?: undefined } & Pick<TransportOptions, 'url' | 'token'>)
);

/** Options of `useSessions`. */
export type UseSessionsOptions = ListPlace & {
  readonly agent: string;
  readonly status?: SessionStatus | undefined;
};

/** Options of `useInbox`. */
export type UseInboxOptions = ListPlace;

/** A list in a page. */
export interface ShownList<Entry> extends ListSnapshot<Entry> {
  /** Reads the list again, for example after an answer was sent. Never rejects: `error` has the failure. */
  refresh(): Promise<void>;
  /** Shows more entries, if there are any. */
  more(): Promise<void>;
}

/**
 * Shows the caller's sessions with an agent, the latest first. Requires `sessionIndex()` in the app.
 *
 * @example
 * ```ts
 * const { entries } = useSessions({ url: 'https://agents.example.com', agent: 'clerk' });
 * ```
 */
export function useSessions(options: UseSessionsOptions): ShownList<ListedSession> {
  const { agent, status } = options;
  const index = useIndex(options);
  const read = useMemo(
    (): PageReader<ListedSession> => async (cursor, signal) => {
      const { sessions, next } = await index.sessions(agent, { status, cursor, signal });
      return { entries: sessions, next };
    },
    [index, agent, status],
  );
  return useList(read, options);
}

/**
 * Shows the calls that wait for the caller, across sessions. Requires `sessionIndex()` in the app.
 *
 * @example
 * ```ts
 * const { entries } = useInbox({ url: 'https://agents.example.com' });
 * ```
 */
export function useInbox(options: UseInboxOptions): ShownList<WaitingSession> {
  const index = useIndex(options);
  const read = useMemo(
    (): PageReader<WaitingSession> => async (cursor, signal) => {
      const { waiting, next } = await index.pending({ cursor, signal });
      return { entries: waiting, next };
    },
    [index],
  );
  return useList(read, options);
}

function useIndex(options: ListPlace): IndexClient {
  const { index } = options;
  const url = index ? '' : options.url;
  const token = index ? undefined : options.token;
  // A page may create a new function for each render.
  const latest = useRef(token);
  useEffect(() => {
    latest.current = token;
  });
  return useMemo(() => {
    const getLatestToken = async (): Promise<string> => {
      const { current = '' } = latest;
      return typeof current === 'string' ? current : current();
    };
    return index ?? createIndexClient({ url, token: getLatestToken });
  }, [index, url]);
}

function useList<Entry>(read: PageReader<Entry>, { every = 5_000 }: ListPlace): ShownList<Entry> {
  const list = useMemo(() => new LiveList(read, every), [read, every]);
  const snapshot = useSyncExternalStore(list.subscribe, list.getSnapshot, list.getSnapshot);
  const { refresh, more } = list;
  return { ...snapshot, refresh, more };
}
