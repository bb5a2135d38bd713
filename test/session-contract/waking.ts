import { describe, expect, it } from 'vitest';
import { event, goingOn, handedOver, lease, type MakeHarness, starting, startOf } from './harness.ts';

export function wakingContract(make: MakeHarness): void {
  describe('the alarm', () => {
    it('hands an accepted turn to the runner at once, and again while nobody begins it', async () => {
      const harness = make();
      await harness.session.accept(startOf('t1'));
      await harness.wait(harness.leaseMs / 3);
      expect(harness.handOvers()).toEqual(['t1']);
      expect(await handedOver(harness, 2)).toEqual(['t1', 't1']);
    });

    it('hands a turn over whose holder fell silent, after a full term', async () => {
      const harness = make();
      await harness.session.begin(starting('t1', 'a'));
      await harness.wait(harness.leaseMs * 0.8);
      expect(harness.handOvers()).toEqual([]);
      expect(await handedOver(harness, 1)).toEqual(['t1']);
      expect(await lease(harness.session, goingOn('t1', 'b'))).toMatchObject({
        cause: 'expired',
        expirations: 1,
      });
    });

    it('lets a holder that is heard go on, and looks again at its deadline', async () => {
      const harness = make();
      await harness.session.begin(starting('t1', 'a'));
      await harness.wait(harness.leaseMs * 0.6);
      await harness.session.append(1, 3, { events: [event('t1', 'x')] });
      await harness.wait(harness.leaseMs * 0.6);
      await harness.session.renew(1);
      await harness.wait(harness.leaseMs * 0.6);
      expect(harness.handOvers()).toEqual([]);
      expect(await handedOver(harness, 1)).toEqual(['t1']);
    });

    it('hands a yielded turn over at once', async () => {
      const harness = make();
      await harness.session.begin(starting('t1', 'a'));
      await harness.session.append(1, 3, { events: [event('t1', 'yield')], release: 'yielded' });
      await harness.wait(harness.leaseMs / 3);
      expect(harness.handOvers()).toEqual(['t1']);
    });

    it.each(['ended', 'suspended'] as const)('leaves a turn alone that is %s', async (release) => {
      const harness = make();
      await harness.session.begin(starting('t1', 'a'));
      await harness.session.append(1, 3, { events: [event('t1', 'x')], release });
      await harness.wait(harness.leaseMs * 1.5);
      expect(harness.handOvers()).toEqual([]);
    });

    it('hands a turn over at once that a refused start or a note finds without a holder', async () => {
      const harness = make();
      await harness.session.accept(startOf('t1'));
      await handedOver(harness, 1);
      await harness.session.accept(startOf('t2'));
      await harness.wait(harness.leaseMs / 4);
      expect(harness.handOvers()).toEqual(['t1', 't1']);
      await harness.session.post('cancel', 't1', '{}');
      await harness.wait(harness.leaseMs / 4);
      expect(harness.handOvers()).toEqual(['t1', 't1', 't1']);
    });

    it('hands nothing over for a refused start or a note while the holder lives', async () => {
      const harness = make();
      await harness.session.begin(starting('t1', 'a'));
      await harness.session.accept(startOf('t2'));
      await harness.session.post('cancel', 't1', '{}');
      await harness.wait(harness.leaseMs / 3);
      expect(harness.handOvers()).toEqual([]);
    });

    it('hands a suspended turn over at once that gets a note', async () => {
      const harness = make();
      await harness.session.begin(starting('t1', 'a'));
      await harness.session.append(1, 3, { events: [event('t1', 'wait')], release: 'suspended' });
      await harness.session.post('cancel', 't1', '{}');
      await harness.wait(harness.leaseMs / 3);
      expect(harness.handOvers()).toEqual(['t1']);
    });

    it('stays set through a restart', async () => {
      const harness = make();
      await harness.session.begin(starting('t1', 'a'));
      await harness.restart();
      expect(await handedOver(harness, 1)).toEqual(['t1']);
    });

    it('ends a silent lease although the object is started anew for every alarm', async () => {
      const harness = make();
      const { leaseMs, wait, restart } = harness;
      await harness.session.begin(starting('t1', 'a'));
      await wait(leaseMs * 0.8);
      await restart();
      // Started by its alarm at 1.0, which grants a term until 2.0 and says so.
      await wait(leaseMs * 0.8);
      await restart();
      await wait(leaseMs * 0.8);
      expect(harness.handOvers()).toEqual(['t1']);
      expect(await lease(harness.session, goingOn('t1', 'b'))).toMatchObject({
        cause: 'expired',
        expirations: 1,
      });
    });

    it('grants a full term after a restart to a holder that was heard since the alarm', async () => {
      const harness = make();
      const { session, leaseMs, wait, restart } = harness;
      await session.begin(starting('t1', 'a'));
      await wait(leaseMs * 0.5);
      await session.renew(1);
      // The alarm at 1.0 has set itself to the deadline, 1.5.
      await wait(leaseMs * 0.7);
      await session.renew(1);
      await restart();
      await session.read({ from: 1 });
      await wait(leaseMs * 0.6);
      expect(harness.handOvers()).toEqual([]);
      expect(await session.resume(goingOn('t1', 'b'))).toMatchObject({ status: 'busy' });
    });
  });
}
