import { type Client, createClient } from '../../client/entry.ts';
import type { desk } from './desk.ts';

// The agent's type alone is imported: nothing of the Worker gets into a page.
export const deskOf = (url: string, token: string) =>
  createClient<typeof desk>({ url, agent: 'desk', token });

/** Asks something, shows the answer as it comes, and lets `decide` say what may be done. */
export async function ask(
  client: Client,
  message: string,
  { show, decide }: { show: (text: string) => void; decide: (question: string) => Promise<boolean> },
): Promise<string> {
  const session = client.session(); // a new one; its `id` finds it again
  for (let items = session.stream(message); ; ) {
    const decisions = [];
    for await (const item of items) {
      if (item.type === 'text-delta') show(item.text);
      if (item.type === 'answer') return item.answer.text;
      if (item.type !== 'suspended') continue;
      for (const call of item.answer.pending) {
        const decision = (await decide(call.message)) ? ('approve' as const) : ('reject' as const);
        decisions.push({ call, decision });
      }
    }
    items = session.streamAnswers(decisions); // what comes of them, and no more
  }
}
