import { describe, expect, it } from 'vitest';
import { event, goingOn, lease, type MakeHarness, starting } from './harness.ts';

export function takingOverContract(make: MakeHarness): void {
  describe('resume', () => {
    it('does not go on with another turn than the open one', async () => {
      const { session } = make();
      const { epoch } = await lease(session, starting('t1', 'a'));
      expect(await session.resume(goingOn('t2', 'b'))).toEqual({ status: 'not-open' });
      await session.append(epoch, 3, { events: [], release: 'ended' });
      expect(await session.resume(goingOn('t1', 'b'))).toEqual({ status: 'not-open' });
    });

    it('is refused while the holder lives', async () => {
      const { session, leaseMs } = make();
      await session.begin(starting('t1', 'a'));
      const refused = await session.resume(goingOn('t1', 'b'));
      expect(refused).toEqual({ status: 'busy', turn: 't1', retryAfter: expect.any(Number) });
      const retryAfter = refused.status === 'busy' ? refused.retryAfter : 0;
      expect(retryAfter).toBeGreaterThan(0);
      expect(retryAfter).toBeLessThanOrEqual(leaseMs);
    });

    it('takes a lease over that expired, and says since when', async () => {
      const { session, leaseMs, wait } = make();
      await session.begin(starting('t1', 'a'));
      await wait(leaseMs + 20);
      const taken = await lease(session, goingOn('t1', 'b'));
      expect(taken).toMatchObject({ epoch: 2, cause: 'expired', expirations: 1 });
      expect(taken.expiredFor).toBeGreaterThanOrEqual(19);
      expect(taken.page.rows).toHaveLength(2);
    });

    it('gives the same nonce the same answer, after a restart too', async () => {
      const { session, leaseMs, wait, restart } = make();
      await session.begin(starting('t1', 'a'));
      await wait(leaseMs + 20);
      const taken = await lease(session, goingOn('t1', 'b'));
      expect(await session.resume(goingOn('t1', 'b'))).toEqual(taken);
      await restart();
      expect(await session.resume(goingOn('t1', 'b'))).toEqual(taken);
    });

    it('gives the same nonce a new lease when it gave the former one back', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      await session.append(1, 3, { events: [event('t1', 'yield')], release: 'yielded' });
      expect(await lease(session, goingOn('t1', 'a'))).toMatchObject({ epoch: 2, cause: 'handed-over' });
    });

    it('counts leases in a row that expired, and not those that were handed over', async () => {
      const { session, leaseMs, wait } = make();
      await session.begin(starting('t1', 'a'));
      await wait(leaseMs + 20);
      expect(await lease(session, goingOn('t1', 'b'))).toMatchObject({ expirations: 1 });
      await wait(leaseMs + 20);
      const third = await lease(session, goingOn('t1', 'c'));
      expect(third).toMatchObject({ epoch: 3, cause: 'expired', expirations: 2 });
      await session.append(3, 3, { events: [event('t1', 'yield')], release: 'yielded' });
      const fourth = await lease(session, goingOn('t1', 'd'));
      expect(fourth).toMatchObject({ epoch: 4, cause: 'handed-over', expirations: 2, expiredFor: 0 });
    });

    it('counts anew after progress, and only then', async () => {
      const { session, leaseMs, wait } = make();
      await session.begin(starting('t1', 'a'));
      await wait(leaseMs + 20);
      await lease(session, goingOn('t1', 'b'));
      await session.append(2, 3, { events: [event('t1', 'no progress')] });
      await wait(leaseMs + 20);
      expect(await lease(session, goingOn('t1', 'c'))).toMatchObject({ expirations: 2 });
      await session.append(3, 4, { events: [event('t1', 'progress')], progress: true });
      await wait(leaseMs + 20);
      expect(await lease(session, goingOn('t1', 'd'))).toMatchObject({ expirations: 1 });
    });

    it('counts anew with a new turn', async () => {
      const { session, leaseMs, wait } = make();
      await session.begin(starting('t1', 'a'));
      await wait(leaseMs + 20);
      await lease(session, goingOn('t1', 'b'));
      await session.append(2, 3, { events: [], release: 'ended' });
      expect(await lease(session, starting('t2', 'c'))).toMatchObject({
        cause: 'started',
        expirations: 0,
        expiredFor: 0,
      });
    });
  });

  describe('the term of a lease', () => {
    it('begins anew with each append and each renew', async () => {
      const { session, leaseMs, wait } = make();
      await session.begin(starting('t1', 'a'));
      await wait(leaseMs * 0.6);
      expect(await session.append(1, 3, { events: [event('t1', 'x')] })).toMatchObject({
        status: 'appended',
      });
      await wait(leaseMs * 0.6);
      expect(await session.renew(1)).toEqual({ status: 'renewed', inbox: [] });
      await wait(leaseMs * 0.6);
      expect(await session.resume(goingOn('t1', 'b'))).toMatchObject({ status: 'busy' });
    });

    it('begins anew with an append that is only answered again', async () => {
      const { session, leaseMs, wait } = make();
      await session.begin(starting('t1', 'a'));
      await session.append(1, 3, { events: [event('t1', 'x')] });
      await wait(leaseMs * 0.6);
      await session.append(1, 3, { events: [event('t1', 'x')] });
      await wait(leaseMs * 0.6);
      expect(await session.resume(goingOn('t1', 'b'))).toMatchObject({ status: 'busy' });
    });

    it('is granted in full to the stored lease when the object starts', async () => {
      const { session, leaseMs, wait, restart } = make();
      await session.begin(starting('t1', 'a'));
      await wait(leaseMs * 0.6);
      await restart();
      expect(await session.read({ from: 1 })).toMatchObject({ head: 2 });
      await wait(leaseMs * 0.6);
      expect(await session.resume(goingOn('t1', 'b'))).toMatchObject({ status: 'busy' });
      expect(await session.append(1, 3, { events: [event('t1', 'x')] })).toMatchObject({
        status: 'appended',
      });
    });

    it('may be outlived by a holder that nobody replaced', async () => {
      const { session, leaseMs, wait } = make();
      await session.begin(starting('t1', 'a'));
      await wait(leaseMs + 20);
      expect(await session.renew(1)).toEqual({ status: 'renewed', inbox: [] });
      expect(await session.resume(goingOn('t1', 'b'))).toMatchObject({ status: 'busy' });
    });

    it('cannot be renewed by a former holder', async () => {
      const { session, leaseMs, wait } = make();
      await session.begin(starting('t1', 'a'));
      await wait(leaseMs + 20);
      await session.resume(goingOn('t1', 'b'));
      expect(await session.renew(1)).toEqual({ status: 'stale' });
      await session.append(2, 3, { events: [], release: 'yielded' });
      expect(await session.renew(2)).toEqual({ status: 'stale' });
    });
  });
}
