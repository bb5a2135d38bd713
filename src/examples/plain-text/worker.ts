import { createHoldfast, type TurnItem } from '../../create-holdfast.ts';
import { defineAgent } from '../../index.ts';
import { openaiCompatible } from '../../model/openai-compatible/entry.ts';
import { defineModule, defineRoute } from '../../module.ts';
import { orOffline } from '../../offline-model/entry.ts';

/** Translates the items of a turn to plain text. It is pure, so a test can pass a list of items. */
async function* toPlainText(items: AsyncIterable<TurnItem>) {
  for await (const item of items) {
    if (item.type === 'text-delta') yield `data: ${item.text.replaceAll('\n', ' ')}\n\n`;
    if (item.type === 'suspended') yield `event: ask\ndata: ${item.view.pending[0]?.message}\n\n`;
    if (item.type === 'answer') yield `event: end\ndata: ${item.answer.outcome}\n\n`;
  }
}

const plainText = defineModule({ name: 'plain-text' }).use({
  routes: [
    defineRoute({
      method: 'POST',
      path: '/plain/{agent}/{chat}',
      isCounted: true, // it starts turns, so rate limits count it
      streams: true,
      async handle(asked, { agent, chat }) {
        const { text } = await asked.json();
        const session = asked.session({ agent, session: chat });
        // A refusal is thrown here and becomes an HTTP status, which is impossible after the stream has
        // started.
        const turn = await session.stream(String(text), { signal: asked.signal });
        return asked.stream(() => toPlainText(turn));
      },
      refuse: ({ status, detail, headers }) => new Response(detail, { status, headers }),
    }),
  ],
});

const clerk = defineAgent({ name: 'clerk', description: 'Answers.', instructions: 'Answer.' });
const holdfast = createHoldfast({
  agents: [clerk],
  use: [plainText],
  model: orOffline(openaiCompatible()),
});

export default holdfast.worker;
export const { TurnRunner } = holdfast;
export { SessionObject } from '../../../durable-objects/index.ts';
