/** Lists AG-UI threads for pages. The list comes from the index of sessions, since AG-UI has none. */
import { HttpAgent } from '@ag-ui/client';
import { createIndexClient } from '../../client/entry.ts';

/** The Worker and the agent that the threads belong to. */
export interface ThreadPlace {
  /** The address of the Worker, such as `https://agents.example.com`. */
  readonly url: string;
  readonly token: string;
  readonly agent: string;
  /** Defaults to the global `fetch`. */
  readonly fetch?: ((url: string, init?: object) => Promise<Response>) | undefined;
}

/** An AG-UI thread in a list. Its `id` is the id of its session. */
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

/** Opens a thread: `await openThread(place, id).runAgent()` loads its messages and its running turn. */
export function openThread({ url, token, agent, fetch }: ThreadPlace, threadId: string): HttpAgent {
  const address = `${url}/agents/${agent}/ag-ui`;
  return new HttpAgent({
    url: address,
    threadId,
    headers: { authorization: `Bearer ${token}` },
    ...(fetch && { fetch }),
  });
}
