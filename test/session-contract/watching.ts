import { describe, expect, it, vi } from 'vitest';
import { event, type MakeHarness, type SessionHarness, starting, startOf } from './harness.ts';

/** Watches, and collects what it is told. */
async function watched({ session }: SessionHarness) {
  const heads: number[] = [];
  const onClosed = vi.fn();
  const stop = await session.watch(({ head }) => heads.push(head), onClosed);
  return { heads, onClosed, stop };
}

export function watchingContract(make: MakeHarness): void {
  describe('watch', () => {
    it('tells the head now, and after each call that stores events', async () => {
      const harness = make();
      const { session } = harness;
      await session.begin(starting('t1', 'a'));
      const { heads, stop } = await watched(harness);
      await vi.waitFor(() => expect(heads).toEqual([2]));
      await session.append(1, 3, { events: [event('t1', 'x'), event('t1', 'y')] });
      await vi.waitFor(() => expect(heads).toEqual([2, 4]));
      await session.renew(1);
      await session.append(1, 5, { events: [event('t1', 'end')], release: 'ended' });
      await session.accept(startOf('t2'));
      await vi.waitFor(() => expect(heads).toEqual([2, 4, 5, 6]));
      stop();
    });

    it('tells the head again when a lease is given back with no event', async () => {
      const harness = make();
      await harness.session.begin(starting('t1', 'a'));
      const { heads, stop } = await watched(harness);
      await vi.waitFor(() => expect(heads).toEqual([2]));
      await harness.session.append(1, 3, { events: [], release: 'suspended' });
      await vi.waitFor(() => expect(heads).toEqual([2, 2]));
      expect((await harness.session.read({ from: 3 }))?.openTurn).toEqual({ id: 't1', state: 'waiting' });
      stop();
    });

    it('sees the first events of a session that was not there', async () => {
      const harness = make();
      const { heads, stop } = await watched(harness);
      await vi.waitFor(() => expect(heads).toEqual([0]));
      expect(await harness.session.read({ from: 1 })).toBeNull();
      await harness.session.begin(starting('t1', 'a'));
      await vi.waitFor(() => expect(heads).toEqual([0, 2]));
      stop();
    });

    it('tells every watcher, and none that stopped', async () => {
      const harness = make();
      const first = await watched(harness);
      const second = await watched(harness);
      await vi.waitFor(() => expect([first.heads, second.heads]).toEqual([[0], [0]]));
      first.stop();
      await harness.session.begin(starting('t1', 'a'));
      await vi.waitFor(() => expect(second.heads).toEqual([0, 2]));
      expect(first.heads).toEqual([0]);
      expect(first.onClosed).not.toHaveBeenCalled();
      second.stop();
    });
  });
}
