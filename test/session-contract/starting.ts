import { describe, expect, it } from 'vitest';
import { bodiesOf, goingOn, keyed, lease, type MakeHarness, starting, startOf } from './harness.ts';

export function startingContract(make: MakeHarness): void {
  describe('an unknown session', () => {
    it('is nothing to read, and nothing to go on with, renew, append to or post to', async () => {
      const { session } = make();
      expect(await session.read({ from: 1 })).toBeNull();
      expect(await session.resume(goingOn('t1', 'a'))).toEqual({ status: 'not-open' });
      expect(await session.renew(0)).toEqual({ status: 'stale' });
      expect(await session.append(0, 1, { events: [] })).toEqual({ status: 'stale' });
      expect(await session.post('cancel', 't1', '{}')).toBe('no-such-turn');
      expect(await session.read({ from: 1 })).toBeNull();
    });
  });

  describe('begin', () => {
    it('stores the opening and the start, and leases', async () => {
      const { session, name, leaseMs } = make();
      const answer = await lease(session, starting('t1', 'a'));
      const page = await session.read({ from: 1 });
      expect(page?.rows.map(({ seq, type, turn, body }) => ({ seq, type, turn, body }))).toEqual([
        { seq: 1, type: 'session-opened', turn: '', body: '{"opening":true}' },
        { seq: 2, type: 'turn-started', turn: 't1', body: '"start of t1"' },
      ]);
      expect(answer).toEqual({
        status: 'leased',
        epoch: 1,
        leaseMs,
        cause: 'started',
        expirations: 0,
        expiredFor: 0,
        name,
        snapshot: null,
        covered: [],
        page: {
          rows: page?.rows,
          next: null,
          head: 2,
          openTurn: { id: 't1', state: 'running' },
          waiting: [],
        },
        inbox: [],
      });
    });

    it('stores the opening only once', async () => {
      const { session } = make();
      const { epoch } = await lease(session, starting('t1', 'a'));
      await session.append(epoch, 3, { events: [], release: 'ended' });
      const next = await lease(session, starting('t2', 'b'));
      expect(next.epoch).toBe(2);
      expect(await bodiesOf(session)).toEqual([{ opening: true }, 'start of t1', 'start of t2']);
    });

    it('gives the same nonce the same answer, and stores the start once', async () => {
      const { session } = make();
      const first = await lease(session, starting('t1', 'a', keyed('k')));
      expect(await session.begin(starting('t1', 'a', keyed('k')))).toEqual(first);
    });

    it('gives the same nonce the same answer after a restart', async () => {
      const { session, restart } = make();
      const first = await lease(session, starting('t1', 'a', keyed('k')));
      await restart();
      expect(await session.begin(starting('t1', 'a', keyed('k')))).toEqual(first);
    });

    it('answers known to another invocation with the same key or the same turn', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a', keyed('k')));
      const known = { status: 'known', turn: 't1' };
      expect(await session.begin(starting('t2', 'b', keyed('k')))).toEqual(known);
      expect(await session.begin(starting('t1', 'b'))).toEqual(known);
    });

    it('answers known to its own late retry when the turn has ended', async () => {
      const { session } = make();
      const { epoch } = await lease(session, starting('t1', 'a'));
      await session.append(epoch, 3, { events: [], release: 'ended' });
      expect(await session.begin(starting('t1', 'a'))).toEqual({ status: 'known', turn: 't1' });
      expect(await bodiesOf(session)).toEqual([{ opening: true }, 'start of t1']);
    });

    it('refuses while another turn is held, and says for how long', async () => {
      const { session, leaseMs } = make();
      await session.begin(starting('t1', 'a'));
      const refused = await session.begin(starting('t2', 'b'));
      expect(refused).toEqual({ status: 'busy', turn: 't1', retryAfter: expect.any(Number) });
      const retryAfter = refused.status === 'busy' ? refused.retryAfter : 0;
      expect(retryAfter).toBeGreaterThan(0);
      expect(retryAfter).toBeLessThanOrEqual(leaseMs);
      expect(await bodiesOf(session)).toEqual([{ opening: true }, 'start of t1']);
    });
  });

  describe('accept', () => {
    it('stores the turn, open and held by nobody', async () => {
      const { session } = make();
      expect(await session.accept(startOf('t1'))).toEqual({ status: 'accepted', turn: 't1' });
      const page = await session.read({ from: 1 });
      expect(page).toMatchObject({ head: 2, next: null, openTurn: { id: 't1', state: 'running' } });
      expect(await lease(session, goingOn('t1', 'a'))).toMatchObject({
        epoch: 1,
        cause: 'started',
        expirations: 0,
      });
    });

    it('accepts the same turn again without storing it again, open or ended', async () => {
      const { session } = make();
      const accepted = { status: 'accepted', turn: 't1' };
      await session.accept(startOf('t1', keyed('k')));
      expect(await session.accept(startOf('t1', keyed('k')))).toEqual(accepted);
      const { epoch } = await lease(session, goingOn('t1', 'a'));
      await session.append(epoch, 3, { events: [], release: 'ended' });
      expect(await session.accept(startOf('t1', keyed('k')))).toEqual(accepted);
      expect(await session.accept(startOf('t1'))).toEqual(accepted);
      expect(await session.read({ from: 1 })).toMatchObject({ head: 2, openTurn: null });
    });

    it('finds the turn of a key that was used, after it has ended too', async () => {
      const { session } = make();
      await session.accept(startOf('t1', keyed('k')));
      expect(await session.accept(startOf('t2', keyed('k')))).toEqual({ status: 'known', turn: 't1' });
      const { epoch } = await lease(session, goingOn('t1', 'a'));
      await session.append(epoch, 3, { events: [], release: 'ended' });
      expect(await session.accept(startOf('t2', keyed('k')))).toEqual({ status: 'known', turn: 't1' });
      expect(await session.read({ from: 1 })).toMatchObject({ head: 2, openTurn: null });
    });

    it('refuses a key with another body', async () => {
      const { session } = make();
      await session.accept(startOf('t1', keyed('k')));
      expect(await session.accept(startOf('t2', keyed('k', 'other')))).toEqual({ status: 'key-reused' });
      expect(await session.begin(starting('t2', 'a', keyed('k', 'other')))).toEqual({ status: 'key-reused' });
    });

    it('forgets a key when its time is over', async () => {
      const { session, wait } = make();
      const { epoch } = await lease(session, starting('t1', 'a', keyed('k', 'hash', 20)));
      await session.append(epoch, 3, { events: [], release: 'ended' });
      await wait(25);
      expect(await session.accept(startOf('t2', keyed('k', 'other')))).toEqual({
        status: 'accepted',
        turn: 't2',
      });
    });

    it('refuses while another turn is open', async () => {
      const { session } = make();
      await session.accept(startOf('t1'));
      expect(await session.accept(startOf('t2'))).toEqual({
        status: 'busy',
        turn: 't1',
        retryAfter: expect.any(Number),
      });
      expect(await session.read({ from: 1 })).toMatchObject({ head: 2 });
    });

    it('refuses while the open turn waits for a decision, which is then not to be gone on with', async () => {
      const { session } = make();
      const { epoch } = await lease(session, starting('t1', 'a'));
      await session.append(epoch, 3, { events: [event1], release: 'suspended' });
      const suspended = { status: 'suspended', turn: 't1' };
      expect(await session.accept(startOf('t2'))).toEqual(suspended);
      expect(await session.begin(starting('t2', 'b'))).toEqual(suspended);
      expect(await session.resume(goingOn('t1', 'b'))).toEqual(suspended);
      expect(await session.read({ from: 4 })).toMatchObject({
        head: 3,
        openTurn: { id: 't1', state: 'waiting' },
      });
    });
  });
}

const event1 = { type: 'tool-call-suspended', turn: 't1', body: '{}' };
