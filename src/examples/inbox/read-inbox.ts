import { createClient, createIndexClient } from '../../client/entry.ts';

interface Access {
  readonly url: string;
  readonly token: string;
}

/** Returns all calls that wait for the caller, each with functions to decide it. */
export async function readInbox({ url, token }: Access) {
  const index = createIndexClient({ url, token });
  const entries = [];
  let cursor: string | undefined;
  do {
    const page = await index.pending({ cursor });
    for (const { agent, session, pending } of page.waiting) {
      const client = createClient({ url, token, agent }).session(session);
      for (const call of pending) {
        entries.push({
          question: call.message,
          input: call.input,
          approve: () => client.decide(call, 'approve'),
          reject: (reason: string) => client.decide(call, { decision: 'reject', reason }),
        });
      }
    }
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return entries;
}
