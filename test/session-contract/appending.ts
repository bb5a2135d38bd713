import { describe, expect, it } from 'vitest';
import type { Change } from '../../src/journal/session-port.ts';
import { bodiesOf, event, goingOn, lease, type MakeHarness, starting, startOf } from './harness.ts';

export function appendingContract(make: MakeHarness): void {
  describe('append', () => {
    it('stores the events in order and answers the last sequence and their time', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      const answer = await session.append(1, 3, { events: [event('t1', 'x'), event('t1', 'y')] });
      const page = await session.read({ from: 3 });
      expect(page?.rows.map((row) => [row.seq, row.body])).toEqual([
        [3, '"x"'],
        [4, '"y"'],
      ]);
      expect(answer).toEqual({ status: 'appended', head: 4, at: page?.rows[0]?.at, inbox: [] });
    });

    it('gives the same events the same answer, and stores them once', async () => {
      const { session, wait } = make();
      await session.begin(starting('t1', 'a'));
      const change: Change = { events: [event('t1', 'x'), event('t1', 'y')] };
      const first = await session.append(1, 3, change);
      await session.append(1, 5, { events: [event('t1', 'z')] });
      await wait(5);
      expect(await session.append(1, 3, change)).toEqual(first);
      expect(await bodiesOf(session)).toEqual([{ opening: true }, 'start of t1', 'x', 'y', 'z']);
    });

    it.each(['ended', 'yielded', 'suspended'] as const)(
      'answers the same again after the lease was given back (%s)',
      async (release) => {
        const { session, restart } = make();
        await session.begin(starting('t1', 'a'));
        const change: Change = { events: [event('t1', 'x')], release };
        const first = await session.append(1, 3, change);
        await restart();
        expect(await session.append(1, 3, change)).toEqual(first);
        expect(await session.read({ from: 1 })).toMatchObject({ head: 3 });
      },
    );

    it('answers a release without events again', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      expect(await session.append(1, 3, { events: [], release: 'yielded' })).toMatchObject({
        status: 'appended',
        head: 2,
      });
      expect(await session.append(1, 3, { events: [], release: 'yielded' })).toMatchObject({
        status: 'appended',
        head: 2,
      });
      expect(await session.append(1, 3, { events: [] })).toEqual({ status: 'stale' });
    });

    it('answers the same again after another has taken over, and lets the former holder store nothing more', async () => {
      const { session, leaseMs, wait } = make();
      await session.begin(starting('t1', 'a'));
      const change: Change = { events: [event('t1', 'x')] };
      const first = await session.append(1, 3, change);
      await wait(leaseMs + 20);
      await lease(session, goingOn('t1', 'b'));
      await session.append(2, 4, { events: [event('t1', 'by b')] });
      expect(await session.append(1, 3, change)).toEqual(first);
      expect(await session.append(1, 4, { events: [event('t1', 'by a')] })).toEqual({ status: 'stale' });
      expect(await session.append(1, 5, { events: [event('t1', 'by a')] })).toEqual({ status: 'stale' });
      expect(await bodiesOf(session)).toEqual([{ opening: true }, 'start of t1', 'x', 'by b']);
    });

    it('refuses an epoch that was never given, and one whose lease was given back', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      expect(await session.append(2, 3, { events: [event('t1', 'x')] })).toEqual({ status: 'stale' });
      expect(await session.append(0, 3, { events: [event('t1', 'x')] })).toEqual({ status: 'stale' });
      await session.append(1, 3, { events: [event('t1', 'y')], release: 'yielded' });
      expect(await session.append(1, 4, { events: [event('t1', 'z')] })).toEqual({ status: 'stale' });
      expect(await session.read({ from: 1 })).toMatchObject({ head: 3 });
    });

    it('refuses a gap and an overlap with other events, and stores nothing', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      await session.append(1, 3, { events: [event('t1', 'x')] });
      const gap = { status: 'gap' };
      expect(await session.append(1, 5, { events: [event('t1', 'y')] })).toEqual(gap);
      expect(await session.append(1, 3, { events: [event('t1', 'x'), event('t1', 'y')] })).toEqual(gap);
      expect(await session.append(1, 3, { events: [event('t1', 'x', 'another-type')] })).toEqual(gap);
      expect(await session.append(1, 2, { events: [event('t1', 'start of t1', 'turn-started')] })).toEqual(
        gap,
      );
      expect(await session.read({ from: 1 })).toMatchObject({ head: 3 });
    });

    it('does not take the start of a background turn for events of a former holder', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      await session.append(1, 3, { events: [event('t1', 'x')], release: 'ended' });
      await session.accept(startOf('t2'));
      const late = { events: [event('t1', 'late', 'turn-started')] };
      expect(await session.append(1, 4, late)).toEqual({ status: 'stale' });
    });

    it('ends a turn: none is open, and another may start', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      await session.append(1, 3, { events: [event('t1', 'end')], release: 'ended' });
      expect(await session.read({ from: 1 })).toMatchObject({ head: 3, openTurn: null });
      expect(await session.begin(starting('t2', 'b'))).toMatchObject({ status: 'leased', epoch: 2 });
    });

    it('yields a turn: it stays open for the next holder', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      await session.append(1, 3, { events: [event('t1', 'yield')], release: 'yielded' });
      expect(await lease(session, goingOn('t1', 'b'))).toMatchObject({
        epoch: 2,
        cause: 'handed-over',
        expiredFor: 0,
        page: { head: 3, openTurn: { id: 't1', state: 'running' } },
      });
    });
  });
}
