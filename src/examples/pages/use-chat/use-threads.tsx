import { useEffect, useMemo } from 'react';
import { createClient, createIndexClient } from '../../../client/entry.ts';
import { useSessions } from '../../../client/react/lists/entry.ts';

/**
 * Returns the caller's chats with the agent `desk`, the latest first. `shown` is the id of the open chat.
 * That chat is marked as read.
 */
export function useThreads({ url, token, shown }: { url: string; token: string; shown: string }) {
  const index = useMemo(() => createIndexClient({ url, token }), [url, token]);
  const client = useMemo(() => createClient({ url, token, agent: 'desk' }), [url, token]);
  const { entries, refresh, more, hasMore } = useSessions({ index, agent: 'desk', every: 2_000 });
  // An edit creates a fork, which is a separate session. A chat and its forks form one thread.
  const chats = Map.groupBy(entries, ({ session, forkOf }) => forkOf ?? session);
  const threads = Array.from(chats, ([id, sessions]) => ({ id, sessions, latest: sessions[0] }));
  const open = threads.find(({ id }) => id === shown)?.latest;
  const { session, seq, unread = false } = open ?? {};
  useEffect(() => {
    if (!unread || session === undefined) return;
    void index.markRead({ agent: 'desk', session, seq }).then(refresh);
  }, [index, refresh, session, seq, unread]);
  return {
    threads,
    more: hasMore ? more : undefined,
    async rename(session: string, title: string): Promise<void> {
      await index.setTitle({ agent: 'desk', session }, title);
      await refresh();
    },
    async remove(sessions: readonly { session: string }[]): Promise<void> {
      for (const { session } of sessions) await client.session(session).erase();
      await refresh();
    },
  };
}
