/** Checks for all stored sessions that a page shows the same messages for live events as after a reload. */
import { expect, it } from 'vitest';
import type { SessionView } from '../../../src/create-holdfast.ts';
import type { StoredEvent } from '../../../src/journal/entry.ts';
import { type Conversation, foldItem, toMessages } from '../../doors/client.ts';
import { listVersions, readFolder } from '../kept.ts';

/** The readable sessions that do not show a summary to the page. */
const sessions = listVersions().flatMap((version) =>
  [...readFolder(version).journals].flatMap(([name, { reading }]) => {
    const events = reading.events.flatMap(({ body }) => (Object(body).events ?? []) as StoredEvent[]);
    const isWhole = !events.some(({ type }) => type === 'conversation-cut');
    const view = reading.session.body as SessionView; // the response of `GET /sessions/{session}`
    return reading.session.status === 200 && isWhole ? [{ name: `${version}/${name}`, events, view }] : [];
  }),
);

/**
 * Returns the messages as JSON. Removes the texts of messages added by the loop, because a page writes its
 * own until it reads the state.
 */
const toComparable = (messages: Conversation['messages']): unknown =>
  JSON.parse(
    JSON.stringify(
      messages.map((message) =>
        message.by === 'loop' || message.by === 'late' ? { ...message, text: '' } : message,
      ),
    ),
  );

it.each(sessions)(
  '$name shows the same messages in the same order live and after a reload',
  ({ events, view }) => {
    const none: Conversation = { messages: [] };
    const { messages } = events.reduce(foldItem, none);
    expect(toComparable(messages)).toEqual(toComparable(toMessages(view)));
  },
);

it('more than thirty sessions are compared', () => {
  expect(sessions.length).toBeGreaterThan(30);
});
