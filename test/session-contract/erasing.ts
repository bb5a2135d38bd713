import { describe, expect, it } from 'vitest';
import type { Notice } from '../../src/journal/session-port.ts';
import {
  bodiesOf,
  event,
  goingOn,
  handedOver,
  keyed,
  lease,
  type MakeHarness,
  type SessionHarness,
  starting,
  startOf,
} from './harness.ts';

/** What is told of a session until it stops. */
async function told({ session }: SessionHarness): Promise<Notice[]> {
  const notices: Notice[] = [];
  await session.watch(
    (notice) => notices.push(notice),
    () => {},
  );
  return notices;
}

/** Waits until there is no session any more, at most so many ms. */
async function gone({ session, wait }: SessionHarness, ms: number): Promise<boolean> {
  for (let passed = 0; passed < ms; passed += ms / 20) {
    if ((await session.read({ from: 1 })) === null) return true;
    await wait(ms / 20);
  }
  return false;
}

const kept = (turn: string, retainMs: number | undefined) => ({ ...startOf(turn), retainMs });

export function erasingContract(make: MakeHarness): void {
  describe('erase', () => {
    it('leaves nothing to be read, held, resumed or answered, and says whether there was something', async () => {
      const { session } = make();
      expect(await session.erase()).toBe(false);
      const { epoch } = await lease(session, starting('t1', 'a', keyed('k')));
      expect(await session.erase()).toBe(true);
      expect(await session.erase()).toBe(false);
      expect(await session.read({ from: 1 })).toBeNull();
      expect(await session.renew(epoch)).toEqual({ status: 'stale' });
      expect(await session.append(epoch, 3, { events: [event('t1', 'x')] })).toEqual({ status: 'stale' });
      expect(await session.append(epoch, 3, { events: [], release: 'ended' })).toEqual({ status: 'stale' });
      expect(await session.resume(goingOn('t1', 'b'))).toEqual({ status: 'not-open' });
      for (const kind of ['cancel', 'answer', 'late'] as const) {
        expect(await session.post(kind, 't1', '{}')).toBe('no-such-turn');
      }
      expect(await session.post('answer', 't1', '{}', { wait: 't1.3.0#0', bodyHash: 'h' })).toBe(
        'no-such-turn',
      );
      expect(await session.read({ from: 1 })).toBeNull();
    });

    it('refuses the holder of a session that was erased also in another one of its name', async () => {
      const { session } = make();
      const old = await lease(session, starting('t1', 'a'));
      await session.append(old.epoch, 3, { events: [event('t1', 'old')] });
      await session.erase();
      const fresh = await lease(session, starting('t2', 'b'));
      expect(fresh.epoch).not.toBe(old.epoch);
      expect(await session.append(old.epoch, 3, { events: [event('t1', 'late')] })).toEqual({
        status: 'stale',
      });
      expect(await session.append(old.epoch, 4, { events: [event('t1', 'late')] })).toEqual({
        status: 'stale',
      });
      expect(await session.append(old.epoch, 3, { events: [], release: 'ended' })).toEqual({
        status: 'stale',
      });
      expect(await session.renew(old.epoch)).toEqual({ status: 'stale' });
      expect(await session.post('late', 't1', '{}')).toBe('no-such-turn');
      expect(await session.post('cancel', 't1', '{}')).toBe('no-such-turn');
      expect(await session.resume(goingOn('t1', 'a'))).toEqual({ status: 'not-open' });
      expect(await session.append(fresh.epoch, 3, { events: [event('t2', 'new')] })).toMatchObject({
        head: 3,
      });
      expect(await bodiesOf(session)).toEqual([{ opening: true }, 'start of t2', 'new']);
    });

    it('forgets keys, so that a request that was taken before begins anew', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a', keyed('k')));
      await session.erase();
      expect(await session.begin(starting('t2', 'b', keyed('k', 'other')))).toMatchObject({
        status: 'leased',
      });
    });

    it('takes everything along that waits, that is planned and that was handed over', async () => {
      const harness = make();
      const { session, leaseMs, wait } = harness;
      const { epoch } = await lease(session, starting('t1', 'a'));
      await session.accept({ ...startOf('t2'), whenBusy: 'queue' });
      await session.accept({ ...startOf('t3'), whenBusy: 'steer' });
      await session.accept({ ...startOf('t4'), delayMs: leaseMs / 4 });
      await session.post('cancel', 't1', '{}');
      const expiries = [{ wait: 't1.3.0#0', after: leaseMs / 4 }];
      await session.append(epoch, 3, { events: [event('t1', 'x')], expiries });
      await session.erase();
      await wait(leaseMs * 1.5);
      expect(harness.handOvers()).toEqual([]);
      expect(await session.read({ from: 1 })).toBeNull();
      await lease(session, starting('t5', 'e'));
      expect(await session.read({ from: 1 })).toMatchObject({ head: 2, waiting: [] });
    });

    it('ends a hand-over that is on its way', async () => {
      const harness = make();
      await harness.session.accept(startOf('t1'));
      await handedOver(harness, 1);
      await harness.session.erase();
      expect(await harness.session.resume(goingOn('t1', 'b'))).toEqual({ status: 'not-open' });
      expect(await harness.session.read({ from: 1 })).toBeNull();
    });

    it('is the end also after a restart', async () => {
      const harness = make();
      const { epoch } = await lease(harness.session, starting('t1', 'a'));
      await harness.session.erase();
      await harness.restart();
      expect(await harness.session.read({ from: 1 })).toBeNull();
      expect(await harness.session.renew(epoch)).toEqual({ status: 'stale' });
      await harness.wait(harness.leaseMs * 1.5);
      expect(harness.handOvers()).toEqual([]);
    });

    it('tells those who watch that there is no session', async () => {
      const harness = make();
      await harness.session.begin(starting('t1', 'a'));
      const notices = await told(harness);
      await harness.session.erase();
      await harness.wait(harness.leaseMs / 6);
      expect(notices.at(-1)).toEqual({ head: 0, openTurn: null, waiting: [] });
      await harness.session.begin(starting('t2', 'b'));
      await harness.wait(harness.leaseMs / 6);
      expect(notices.at(-1)).toMatchObject({ head: 2, openTurn: { id: 't2' } });
    });
  });

  describe('a session that is kept for some time', () => {
    /** Begins and ends a turn. */
    async function talk(
      { session }: SessionHarness,
      turn: string,
      retainMs: number | undefined,
    ): Promise<void> {
      const { epoch, page } = await lease(session, { ...starting(turn, turn), start: kept(turn, retainMs) });
      await session.append(epoch, page.head + 1, { events: [event(turn, 'end')], release: 'ended' });
    }

    it('is erased when nothing has happened in it for so long, and tells those who watch', async () => {
      const harness = make();
      const { leaseMs } = harness;
      await talk(harness, 't1', leaseMs);
      const notices = await told(harness);
      await harness.wait(leaseMs / 2);
      expect(await harness.session.read({ from: 1 })).not.toBeNull();
      expect(await gone(harness, leaseMs * 2)).toBe(true);
      await harness.wait(leaseMs / 6);
      expect(notices.at(-1)).toMatchObject({ head: 0 });
    });

    it('is another one afterwards, whose holder is none of the one before', async () => {
      const harness = make();
      const { leaseMs, session } = harness;
      const old = await lease(session, { ...starting('t1', 'a'), start: kept('t1', leaseMs) });
      await session.append(old.epoch, 3, { events: [event('t1', 'end')], release: 'ended' });
      expect(await gone(harness, leaseMs * 3)).toBe(true);
      const fresh = await lease(session, starting('t2', 'b'));
      expect(fresh.epoch).not.toBe(old.epoch);
    });

    it('is kept as long again after each message, and as long as the last message says', async () => {
      const harness = make();
      const { leaseMs, wait, session } = harness;
      await talk(harness, 't1', leaseMs);
      await wait(leaseMs * 0.7);
      await talk(harness, 't2', leaseMs);
      await wait(leaseMs * 0.7);
      expect(await session.read({ from: 1 })).not.toBeNull();
      await talk(harness, 't3', undefined);
      await wait(leaseMs * 2);
      expect(await session.read({ from: 1 })).not.toBeNull();
    });

    it('is kept while a turn waits for somebody, and its time begins when that has ended', async () => {
      const harness = make();
      const { leaseMs, wait, session } = harness;
      const { epoch } = await lease(session, { ...starting('t1', 'a'), start: kept('t1', leaseMs / 2) });
      await session.append(epoch, 3, { events: [event('t1', 'wait')], release: 'suspended' });
      await wait(leaseMs * 2);
      expect(await session.read({ from: 1 })).toMatchObject({ openTurn: { id: 't1', state: 'waiting' } });
      await session.post('cancel', 't1', '{}');
      const resumed = await lease(session, goingOn('t1', 'b'));
      const page = await session.read({ from: 4 });
      expect(page).toMatchObject({ head: 3 });
      await session.append(resumed.epoch, 4, {
        events: [event('t1', 'end')],
        inboxRead: [1],
        release: 'ended',
      });
      expect(await gone(harness, leaseMs * 2)).toBe(true);
    });

    it('is kept while a turn is planned in it', async () => {
      const harness = make();
      const { leaseMs, wait, session } = harness;
      await session.accept({ ...kept('t1', leaseMs / 3), delayMs: leaseMs * 1.5 });
      await wait(leaseMs);
      expect(await session.read({ from: 1 })).toMatchObject({
        waiting: [{ turn: 't1', status: 'scheduled' }],
      });
      await handedOver(harness, 1);
      const { epoch, page } = await lease(session, goingOn('t1', 'a'));
      await session.append(epoch, page.head + 1, { events: [event('t1', 'end')], release: 'ended' });
      expect(await gone(harness, leaseMs * 2)).toBe(true);
    });
  });
}
