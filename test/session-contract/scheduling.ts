import { describe, expect, it } from 'vitest';
import {
  bodiesOf,
  event,
  goingOn,
  handedOver,
  lease,
  type MakeHarness,
  starting,
  startOf,
} from './harness.ts';
import { endTurn, line, queued } from './queueing.ts';

const later = (turn: string, delayMs: number) => ({ ...startOf(turn), delayMs });

export function schedulingContract(make: MakeHarness): void {
  describe('a turn for later', () => {
    it('makes the session, and starts by the alarm when its time comes', async () => {
      const harness = make();
      const { session, leaseMs } = harness;
      const scheduled = await session.accept(later('t1', leaseMs));
      expect(scheduled).toEqual({ status: 'scheduled', turn: 't1', at: expect.any(Number) });
      expect(await bodiesOf(session)).toEqual([{ opening: true }]);
      expect(await line(session)).toEqual([null, ['t1']]);
      await harness.wait(leaseMs / 2);
      expect(harness.handOvers()).toEqual([]);
      // Sent again, it is to start when it was.
      expect(await session.accept(later('t1', leaseMs))).toEqual(scheduled);
      expect(await session.read({ from: 1, turn: 't1' })).toMatchObject({ waits: scheduled });
      expect(await handedOver(harness, 1)).toEqual(['t1']);
      expect(await lease(session, goingOn('t1', 'a'))).toMatchObject({ epoch: 1, cause: 'started' });
      expect(await bodiesOf(session)).toEqual([{ opening: true }, 'start of t1']);
    });

    it('keeps nobody from the session before its time', async () => {
      const { session, leaseMs } = make();
      await session.accept(later('t1', 10 * leaseMs));
      expect(await session.begin(starting('t2', 'a'))).toMatchObject({ status: 'leased' });
      expect(await line(session)).toEqual(['t2', ['t1']]);
      await endTurn(session, 't2', 1);
      expect(await line(session)).toEqual([null, ['t1']]);
    });

    it('gets in line when a turn is open at its time, behind those that wait', async () => {
      const harness = make();
      const { session, leaseMs, wait } = harness;
      await session.begin(starting('t1', 'a'));
      await session.accept(later('t2', leaseMs / 3));
      await session.accept(queued('t3'));
      expect(await line(session)).toEqual(['t1', ['t3', 't2']]);
      await wait(leaseMs / 2);
      expect(await session.read({ from: 1, turn: 't2' })).toMatchObject({
        openTurn: { id: 't1' },
        waits: { status: 'queued', turn: 't2' },
      });
      await session.accept(queued('t4'));
      await endTurn(session, 't1', 1);
      expect(await line(session)).toEqual(['t3', ['t2', 't4']]);
    });

    it('starts after a restart', async () => {
      const harness = make();
      const { session, leaseMs, wait, restart } = harness;
      await session.accept(later('t1', leaseMs));
      await restart();
      await wait(leaseMs / 2);
      expect(harness.handOvers()).toEqual([]);
      expect(await handedOver(harness, 1)).toEqual(['t1']);
    });

    it('is refused when a hundred wait for their time, and keeps nobody out who gets in line', async () => {
      const { session, leaseMs } = make();
      await session.begin(starting('t1', 'a'));
      await session.accept(queued('q1'));
      for (let i = 0; i < 100; i += 1) {
        expect(await session.accept(later(`l${i}`, 100 * leaseMs))).toMatchObject({ status: 'scheduled' });
      }
      const full = { status: 'full', most: 100 };
      expect(await session.accept(later('l100', 100 * leaseMs))).toEqual(full);
      expect(await session.accept(queued('q2'))).toMatchObject({ status: 'queued' });
      expect(await session.accept({ ...startOf('s1'), whenBusy: 'steer' })).toMatchObject({
        status: 'steering',
      });
    });

    it('gets in line at once when it is cancelled, for a holder to end it', async () => {
      const harness = make();
      const { session, leaseMs } = harness;
      await session.accept(later('t1', 100 * leaseMs));
      expect(await session.post('cancel', 't1', '{}')).toBe('posted');
      expect(await handedOver(harness, 1)).toEqual(['t1']);
      expect((await lease(session, goingOn('t1', 'a'))).inbox).toMatchObject([
        { kind: 'cancel', turn: 't1' },
      ]);
    });

    it('is scheduled by an append, in its commit', async () => {
      const harness = make();
      const { session, leaseMs } = harness;
      await session.begin(starting('t1', 'a'));
      const scheduled = [{ started: event('t2', 'start of t2', 'turn-started'), after: leaseMs / 3 }];
      await session.append(1, 3, { events: [event('t1', 'x')], scheduled });
      await session.append(1, 3, { events: [event('t1', 'x')], scheduled });
      expect(await line(session)).toEqual(['t1', ['t2']]);
      await endTurn(session, 't1', 1);
      expect(await handedOver(harness, 1)).toEqual(['t2']);
      expect(await line(session)).toEqual(['t2', []]);
    });
  });
}
