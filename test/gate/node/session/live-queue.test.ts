import { beforeEach, describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/journal/entry.ts';
import type { LiveItem, LiveMessage } from '../../../doors/journal.ts';
import { LiveQueue } from '../../../doors/session.ts';

let queue: LiveQueue;
beforeEach(() => {
  queue = new LiveQueue();
});

interface MessagePlace {
  readonly after: number;
  readonly at?: number;
  readonly reply?: string;
  readonly frame?: string;
  readonly turn?: string;
}

const createTextMessage = (
  text: string,
  { after, at = 0, reply = '1.1', frame, turn = 't1' }: MessagePlace,
): LiveMessage => ({
  turn,
  items: [{ item: { type: 'text-delta', reply, ...(frame !== undefined && { frame }), text }, after, at }],
});

/** The texts or types of all items that may be shown after this event. */
function takeTexts(seq: number): string[] {
  const items: LiveItem[] = [];
  for (let item = queue.take(seq); item; item = queue.take(seq)) items.push(item);
  return items.map((item) => ('text' in item ? item.text : 'status' in item ? item.status : item.type));
}

/** Reports an event as shown, with only the parts that the queue reads. */
const showEvent = (seq: number, event: Pick<SessionEvent, 'type'> & object): void =>
  queue.shown({ ...event, seq, at: 0 } as never); // The queue reads no other properties.

describe('a live message from the connection of a reader', () => {
  it('is shown after the events that precede it, in order', () => {
    queue.push(createTextMessage('a', { after: 3 }));
    queue.push(createTextMessage('b', { after: 5, at: 1 }));
    expect([queue.isReady(2), takeTexts(2)]).toEqual([false, []]);
    expect([queue.isReady(4), takeTexts(4)]).toEqual([true, ['a']]);
    expect(takeTexts(5)).toEqual(['b']);
    expect(queue.isReady(9)).toBe(false);
  });

  it.each(['turn-resumed', 'turn-yielded', 'turn-ended'] as const)(
    'is dropped if it is older than %s',
    (type) => {
      queue.push(createTextMessage('a', { after: 3 }));
      queue.push({
        turn: 't1',
        items: [{ item: { type: 'progress', call: 'c', status: 'deep' }, after: 3 }],
      });
      queue.push({ turn: 't1', items: [{ item: { type: 'reply-restarted', reply: '1.2' }, after: 4 }] });
      showEvent(4, { type });
      expect(takeTexts(4)).toEqual(['reply-restarted']);
    },
  );

  it('is dropped after its loop has replied, but not after another loop has', () => {
    showEvent(4, { type: 'model-replied', frame: 'c1' } as never);
    queue.push(createTextMessage('own', { after: 3, frame: 'c1' }));
    queue.push(createTextMessage('other', { after: 3, frame: 'c2' }));
    queue.push(createTextMessage('next', { after: 4, frame: 'c1', reply: '2.1' }));
    expect(takeTexts(4)).toEqual(['other', 'next']);
  });

  it('is dropped after its call has ended, and so are messages from its nested loops', () => {
    showEvent(4, { type: 'tool-call-ended', call: 'c1' } as never);
    queue.push(createTextMessage('inside', { after: 3, frame: 'c1' }));
    queue.push({ turn: 't1', items: [{ item: { type: 'progress', call: 'c1', status: 'late' }, after: 3 }] });
    queue.push({ turn: 't1', items: [{ item: { type: 'progress', call: 'c2', status: 'deep' }, after: 3 }] });
    expect(takeTexts(4)).toEqual(['deep']);
  });

  it('is shown in the order of the reply, across text and reasoning, even if the messages arrive out of order', () => {
    const thought = { type: 'reasoning-delta', reply: '1.1', text: 'Hm.' } as const;
    queue.push({ turn: 't1', items: [{ item: thought, after: 3, at: 1 }] });
    expect(takeTexts(3)).toEqual([]);
    queue.push(createTextMessage('a', { after: 3 }));
    queue.push({ turn: 't1', items: [{ item: thought, after: 3, at: 1 }] });
    queue.push(createTextMessage('b', { after: 3, at: 4 }));
    expect(takeTexts(3)).toEqual(['a', 'Hm.', 'b']);
  });

  it('is shown only if it belongs to the followed turn, if there is one', () => {
    queue = new LiveQueue('t2');
    queue.push(createTextMessage('a', { after: 3 }));
    queue.push(createTextMessage('b', { after: 3, turn: 't2' }));
    expect(takeTexts(3)).toEqual(['b']);
  });

  it('is held back until the earlier parts of its reply have been shown', () => {
    queue.push(createTextMessage('cd', { after: 3, at: 2 }));
    expect(takeTexts(3)).toEqual([]);
    queue.push(createTextMessage('abcd', { after: 3 }));
    queue.push(createTextMessage('e', { after: 3, at: 4 }));
    queue.push(createTextMessage('g', { after: 3, at: 6 }));
    expect(takeTexts(3)).toEqual(['abcd', 'e']);
  });

  it('is shown without the part that earlier messages have already shown', () => {
    queue.push(createTextMessage('ab', { after: 3 }));
    queue.push(createTextMessage('ab', { after: 3 }));
    queue.push(createTextMessage('abc', { after: 3 }));
    queue.push(createTextMessage('bcd', { after: 3, at: 1 }));
    expect(takeTexts(3)).toEqual(['ab', 'c', 'd']);
  });

  it('reports a restarted reply once, and shows it from its beginning', () => {
    const restarted: LiveMessage = {
      turn: 't1',
      items: [{ item: { type: 'reply-restarted', reply: '1.2' }, after: 3 }],
    };
    queue.push(createTextMessage('ab', { after: 3 }));
    for (const text of ['x', 'xy']) {
      queue.push(restarted);
      queue.push(createTextMessage(text, { after: 3, reply: '1.2' }));
    }
    expect(takeTexts(3)).toEqual(['ab', 'reply-restarted', 'x', 'y']);
  });
});
