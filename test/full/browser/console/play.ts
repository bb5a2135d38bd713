/** Creates sessions of the shop with a client, as its users would. */
import { createClient } from '../../../../src/client/entry.ts';

/** The sessions that {@link playSessions} creates, named after their content. */
export const SESSIONS = ['refund', 'approval', 'parcel', 'book', 'research', 'hostile', 'failed'] as const;

/** Creates all sessions on a running Worker. */
export async function playSessions(url: string): Promise<void> {
  const client = createClient({ url, agent: 'clerk' });
  const say = async (session: string, ...messages: readonly string[]): Promise<void> => {
    for (const message of messages)
      await client
        .session(session)
        .send(message)
        .catch(() => undefined);
  };
  const approve = async (session: string): Promise<void> => {
    const one = client.session(session);
    const { pending } = await one.state();
    for (const call of pending) await one.decide(call, 'approve');
  };
  await say('refund', 'Please refund order 1001, it came damaged.');
  await approve('refund');
  await say('refund', 'Thank you! Please ship a new one.');
  await Promise.all([
    say('approval', 'Please refund order 1001.'),
    say('parcel', 'Please ship order 1001.'),
    say('book', 'Do it by the book: order 2002.'),
    say('research', 'Please research what is with order 1001.'),
    say('hostile', 'Read me the letter.'),
    say('failed', 'Break.'),
  ]);
}
