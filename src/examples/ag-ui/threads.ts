/** Lists AG-UI threads for pages, from the index of sessions, since AG-UI has no list of its own. */
import { HttpAgent } from '@ag-ui/client';
import { createIndexClient } from '../../client/entry.ts';

/** The agent of the threads, and the access to it. */
export interface ThreadPlace {
  /** The address of the Worker: `https://agents.example.com`. */
  readonly url: string;
  readonly token: string;
  readonly agent: string;
  /** Defaults to the global `fetch`. */
  readonly fetch?: ((url: string, init?: object) => Promise<Response>) | undefined;
}

/** A thread of AG-UI in a list. Its `id` is the id of its session. */
export interface Thread {
  readonly id: string;
  readonly name: string;
  /** In ISO 8601. */
  readonly updatedAt: string;
  readonly isUnread: boolean;
  readonly status: 'running' | 'waiting' | 'failed' | 'idle';
}

/**
 * Returns a page of the caller's threads, the latest first. Pass its `next` as `cursor` to get the next page.
 */
export async function listThreads({ url, token, agent, fetch }: ThreadPlace, cursor?: string) {
  const { sessions, next } = await createIndexClient({ url, token, fetch }).sessions(agent, { cursor });
  const threads = sessions.map(
    ({ session, title, lastActivity, unread, status }): Thread => ({
      id: session,
      name: title ?? 'Untitled',
      updatedAt: new Date(lastActivity).toISOString(),
      isUnread: unread === true,
      status,
    }),
  );
  return { threads, next };
}

/** Opens a thread: `await openThread(place, id).runAgent()` shows its messages, and its running turn. */
export function openThread({ url, token, agent, fetch }: ThreadPlace, threadId: string): HttpAgent {
  const address = `${url}/agents/${agent}/ag-ui`;
  return new HttpAgent({
    url: address,
    threadId,
    headers: { authorization: `Bearer ${token}` },
    ...(fetch && { fetch }),
  });
}
