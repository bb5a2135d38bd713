import { beforeEach, describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import { createManualClock, type ManualClock } from '../../../../src/testing/entry.ts';
import { LIVE, type LiveItem, type LiveMessage, MAX_BUFFER_WEIGHT } from '../../../doors/journal.ts';
import { LiveRelay } from '../../../doors/session.ts';

let clock: ManualClock;
let relay: LiveRelay;
let sent: LiveMessage[];
let line: { isRead: boolean; room: number };

beforeEach(() => {
  clock = createManualClock(0);
  sent = [];
  line = { isRead: false, room: Number.POSITIVE_INFINITY };
  const readers = {
    get isRead() {
      return line.isRead;
    },
    show: (message: LiveMessage) => {
      line.room -= 1;
      return line.room >= 0 && sent.push(message) > 0;
    },
  };
  relay = new LiveRelay({ clock, turn: 't1', readers });
});

const createTextDelta = (said: string, frame?: string, reply = '1.1'): LiveItem => ({
  type: 'text-delta',
  reply,
  ...(frame !== undefined && { frame }),
  text: said,
});
const createReasoningDelta = (said: string): LiveItem => ({
  type: 'reasoning-delta',
  reply: '1.1',
  text: said,
});
const createProgress = (call: string, status: string): LiveItem => ({ type: 'progress', call, status });
const createEvent = (type: StoredEvent['type'], more: object = {}): StoredEvent =>
  ({ type, turn: 't1', ...more }) as never; // The relay reads no other properties.

/** The recipient of each message sent since the last call, and its items with their offsets. */
async function takeSentItems(): Promise<string[]> {
  await clock.advance(50);
  return sent.splice(0).map(({ to = 'all', items }) => {
    const words = items.map(({ item, at }) => {
      if ('text' in item)
        return `${item.frame ?? ''}${item.type === 'text-delta' ? '' : '~'}${item.text}@${at}`;
      return 'status' in item ? `${item.call} ${item.status}` : `anew ${item.reply}`;
    });
    return [to, ...words].join('|');
  });
}

describe('the live buffer of a lease holder', () => {
  it('contains the whole open reply, with text and reasoning in order', async () => {
    for (const item of [
      createReasoningDelta('Hm'),
      createReasoningDelta('.'),
      createTextDelta('Hel'),
      createTextDelta('lo'),
      createReasoningDelta('?'),
      createTextDelta('.'),
    ])
      relay.add(item, 3);
    expect(await takeSentItems()).toEqual([]);
    line.isRead = true;
    relay.joined('a');
    expect(await takeSentItems()).toEqual(['a|~Hm.@0|Hello@3|~?@8|.@9']);
    relay.add(createTextDelta('!'), 3);
    expect(await takeSentItems()).toEqual(['all|!@10']);
  });

  it('is sent again to each reader who joins, and to all readers when the connection opens', async () => {
    line.isRead = true;
    relay.add(createTextDelta('Hel'), 3);
    expect(await takeSentItems()).toEqual(['all|Hel@0']);
    relay.joined('a');
    relay.add(createTextDelta('lo'), 3);
    relay.joined('b');
    expect(await takeSentItems()).toEqual(['all|lo@3', 'a b|Hello@0']);
    relay.joined(LIVE);
    relay.joined('c');
    expect(await takeSentItems()).toEqual(['all|Hello@0', 'c|Hello@0']);
  });

  it('contains the reply of each loop until the reply is stored or the call of the loop has ended', async () => {
    line.isRead = true;
    for (const frame of ['c1', 'c2', 'c3']) relay.add(createTextDelta(frame, frame), 3);
    relay.add(createTextDelta('root'), 3);
    await takeSentItems();
    relay.drop(createEvent('model-replied', { frame: 'c1' }));
    relay.joined('a');
    expect(await takeSentItems()).toEqual(['a|c2c2@0|c3c3@0|root@0']);
    relay.drop(createEvent('model-replied'));
    relay.drop(createEvent('tool-call-ended', { call: 'c2' }));
    relay.add(createTextDelta('next', undefined, '2.1'), 4);
    relay.joined('b');
    expect(await takeSentItems()).toEqual(['all|next@0', 'b|c3c3@0|next@0']);
  });

  it('contains the last progress of each running call', async () => {
    line.isRead = true;
    for (const [call, status] of [
      ['c1', 'deep'],
      ['c2', 'high'],
      ['c1', 'deeper'],
      ['c3', 'x'.repeat(70_000)],
    ] as const)
      relay.add(createProgress(call, status), 3);
    expect(await takeSentItems()).toEqual(['all|c2 high|c1 deeper']);
    relay.drop(createEvent('tool-call-ended', { call: 'c2' }));
    relay.joined('a');
    expect(await takeSentItems()).toEqual(['a|c1 deeper']);
  });

  it('contains only the new attempt of a restarted reply', async () => {
    line.isRead = true;
    relay.add(createTextDelta('Hel'), 3);
    await takeSentItems();
    relay.add({ type: 'reply-restarted', reply: '1.2' }, 3);
    relay.add(createTextDelta('Ho', undefined, '1.2'), 3);
    relay.joined('a');
    expect(await takeSentItems()).toEqual(['all|anew 1.2|Ho@0', 'a|anew 1.2|Ho@0']);
  });

  it('contains the beginning of a reply that does not fit, and all of the next reply', async () => {
    line.isRead = true;
    relay.add(createTextDelta('inside', 'c1'), 3);
    for (let length = 0; length < MAX_BUFFER_WEIGHT; length += 50_000)
      relay.add(createTextDelta('x'.repeat(50_000)), 3);
    await takeSentItems();
    for (const item of [
      createTextDelta('end'),
      createTextDelta('y'.repeat(60_000), 'c1'),
      createTextDelta('end', 'c1'),
    ])
      relay.add(item, 3);
    relay.joined('a');
    expect((await takeSentItems()).map((one) => one.length > 50_000)).toEqual(
      Array.from({ length: 20 }, () => true),
    );
    relay.drop(createEvent('model-replied'));
    relay.add(createTextDelta('z', 'c1'), 4);
    relay.add(createTextDelta('next', undefined, '2.1'), 4);
    relay.joined('b');
    expect(await takeSentItems()).toEqual(['all|next@0', 'b|c1inside@0|next@0']);
  });

  it('omits a single piece that is too large for a message, and contains the whole of the next attempt', async () => {
    line.isRead = true;
    relay.add(createTextDelta('x'.repeat(70_000)), 3);
    relay.add(createTextDelta('end'), 3);
    relay.joined('a');
    expect(await takeSentItems()).toEqual([]);
    relay.add({ type: 'reply-restarted', reply: '1.2' }, 3);
    relay.add(createTextDelta('Ho', undefined, '1.2'), 3);
    expect(await takeSentItems()).toEqual(['all|anew 1.2|Ho@0']);
  });

  it('sends messages as the connection has room, and resumes at the first unsent message', async () => {
    line.isRead = true;
    for (let i = 0; i < 200; i += 1) relay.add(createTextDelta('x'.repeat(1_000)), 3);
    relay.settle();
    const takeLengths = () => sent.splice(0).map(({ to, items }) => [to, items[0]?.at]);
    const places = [0, 65_000, 130_000, 195_000];
    expect(takeLengths()).toEqual(places.map((at) => [undefined, at]));
    relay.joined('a');
    for (const at of places) {
      line.room = 1;
      await clock.advance(50);
      expect(takeLengths()).toEqual([['a', at]]);
    }
    line.room = Number.POSITIVE_INFINITY;
    expect(await takeSentItems()).toEqual([]);
  });

  it('is not sent after the last reader has left, or after it has closed', async () => {
    line.isRead = true;
    relay.add(createTextDelta('Hel'), 3);
    relay.joined('a');
    line.isRead = false;
    expect(await takeSentItems()).toEqual([]);
    line.isRead = true;
    relay.add(createTextDelta('lo'), 3);
    expect(await takeSentItems()).toEqual(['all|lo@3']);
    relay.add(createTextDelta('!'), 3);
    relay.close();
    relay.joined('a');
    expect(await takeSentItems()).toEqual([]);
  });
});
