/** What a page makes of stored sessions as they happen is what it is shown of them after a reload. */
import { expect, it } from 'vitest';
import type { SessionView } from '../../../src/create-holdfast.ts';
import type { StoredEvent } from '../../../src/journal/entry.ts';
import { type Conversation, foldItem, toMessages } from '../../doors/client.ts';
import { readFolder, versions } from '../kept.ts';

/** The sessions that can be read, and of which the page was not shown a summary. */
const sessions = versions().flatMap((version) =>
  [...readFolder(version).journals].flatMap(([name, { reading }]) => {
    const events = reading.events.flatMap(({ body }) => (Object(body).events ?? []) as StoredEvent[]);
    const isWhole = !events.some(({ type }) => type === 'conversation-cut');
    const view = reading.session.body as SessionView; // as it was answered
    return reading.session.status === 200 && isWhole ? [{ name: `${version}/${name}`, events, view }] : [];
  }),
);

/** The messages as JSON has them; what nobody has written, a page has in words of its own until it asks for the state. */
const told = (messages: Conversation['messages']): unknown =>
  JSON.parse(
    JSON.stringify(
      messages.map((message) =>
        message.by === 'loop' || message.by === 'late' ? { ...message, text: '' } : message,
      ),
    ),
  );

it.each(sessions)('$name has the same messages, in the same order', ({ events, view }) => {
  const none: Conversation = { messages: [] };
  const { messages } = events.reduce(foldItem, none);
  expect(told(messages)).toEqual(told(toMessages(view)));
});

it('is shown of many sessions', () => {
  expect(sessions.length).toBeGreaterThan(30);
});
