import { type Client, createClient } from '../../client/entry.ts';
import type { desk } from './desk.ts';

// Imports only the agent's type, so that the page contains no code of the Worker.
export const createDeskClient = (url: string, token: string) =>
  createClient<typeof desk>({ url, agent: 'desk', token });

/** Sends a question, prints the answer as it arrives, and lets `decide` approve calls. */
export async function ask(
  client: Client,
  message: string,
  { show, decide }: { show: (text: string) => void; decide: (question: string) => Promise<boolean> },
): Promise<string> {
  const session = client.session(); // a new session; store its `id` to open it again
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
    items = session.streamAnswers(decisions); // streams only the items after the decisions
  }
}
