import { describe, expect, it } from 'vitest';
import type { Notice, SessionPort } from '../../src/journal/session-port.ts';
import {
  bodiesOf,
  event,
  goingOn,
  handedOver,
  keyed,
  lease,
  type MakeHarness,
  READER,
  starting,
  startOf,
} from './harness.ts';

/** A turn that waits when another one is open. */
export const queued = (turn: string, request?: ReturnType<typeof keyed>) => ({
  ...startOf(turn, request),
  whenBusy: 'queue' as const,
});

/** Ends the open turn. Of each turn nothing is stored but its start and its end. */
export async function endTurn(session: SessionPort, turn: string, epoch: number): Promise<void> {
  const head = (await session.read({ from: 1 }))?.head ?? 0;
  const answer = await session.append(epoch, head + 1, {
    events: [event(turn, `end of ${turn}`, 'turn-ended')],
    release: 'ended',
  });
  expect(answer).toMatchObject({ status: 'appended', head: head + 1, inbox: [] });
}

/** Which turns wait, and which is open. */
export async function line(session: SessionPort): Promise<readonly [string | null, readonly string[]]> {
  const page = await session.read({ from: 1, limit: 1 });
  return [page?.openTurn?.id ?? null, page?.waiting.map(({ turn }) => turn) ?? []];
}

export function queueingContract(make: MakeHarness): void {
  describe('a turn that is to wait', () => {
    it('starts at once in a session that is free', async () => {
      const { session } = make();
      expect(await session.begin({ nonce: 'a', start: queued('t1'), reader: READER })).toMatchObject({
        status: 'leased',
        cause: 'started',
      });
      await endTurn(session, 't1', 1);
      expect(await session.accept(queued('t2'))).toEqual({ status: 'accepted', turn: 't2' });
    });

    it('is stored behind the open one, and started in the commit that ends it, in order', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      expect(await session.accept(queued('t2'))).toEqual({ status: 'queued', turn: 't2' });
      const begun = await session.begin({ nonce: 'b', start: queued('t3'), reader: READER });
      expect(begun).toEqual({ status: 'queued', turn: 't3' });
      expect(await line(session)).toEqual(['t1', ['t2', 't3']]);
      await endTurn(session, 't1', 1);
      expect(await line(session)).toEqual(['t2', ['t3']]);
      const second = await lease(session, goingOn('t2', 'c'));
      expect(second).toMatchObject({ epoch: 2, cause: 'started', expirations: 0 });
      await endTurn(session, 't2', 2);
      expect(await line(session)).toEqual(['t3', []]);
      expect(await bodiesOf(session)).toEqual([
        { opening: true },
        'start of t1',
        'end of t1',
        'start of t2',
        'end of t2',
        'start of t3',
      ]);
    });

    it('gets a holder by the alarm when it starts', async () => {
      const harness = make();
      await harness.session.begin(starting('t1', 'a'));
      await harness.session.accept(queued('t2'));
      expect(harness.handOvers()).toEqual([]);
      await endTurn(harness.session, 't1', 1);
      expect(await handedOver(harness, 1)).toEqual(['t2']);
    });

    it('waits through a restart', async () => {
      const { session, restart } = make();
      await session.begin(starting('t1', 'a'));
      await session.accept(queued('t2'));
      await restart();
      expect(await line(session)).toEqual(['t1', ['t2']]);
      await endTurn(session, 't1', 1);
      expect(await line(session)).toEqual(['t2', []]);
    });

    it('waits behind a turn that waits for somebody outside, and does not wake it', async () => {
      const harness = make();
      const { session } = harness;
      await session.begin(starting('t1', 'a'));
      await session.append(1, 3, { events: [event('t1', 'wait')], release: 'suspended' });
      expect(await session.accept(queued('t2'))).toEqual({ status: 'queued', turn: 't2' });
      await harness.wait(harness.leaseMs / 3);
      expect(harness.handOvers()).toEqual([]);
      expect(await session.read({ from: 1 })).toMatchObject({
        openTurn: { id: 't1', state: 'waiting' },
        waiting: [{ turn: 't2', status: 'queued' }],
      });
      await session.post('cancel', 't1', '{}');
      await lease(session, goingOn('t1', 'b'));
      await endTurn(session, 't1', 2);
      expect(await line(session)).toEqual(['t2', []]);
    });

    it('moves the alarm of an open turn that nobody holds to now', async () => {
      const harness = make();
      await harness.session.accept(startOf('t1'));
      await handedOver(harness, 1);
      await harness.session.accept(queued('t2'));
      await harness.wait(harness.leaseMs / 4);
      expect(harness.handOvers()).toEqual(['t1', 't1']);
    });

    it('says how it waits when it is sent again, with its id or its key, and waits once', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      const waits = { status: 'queued', turn: 't2' };
      expect(await session.begin({ nonce: 'b', start: queued('t2', keyed('k')), reader: READER })).toEqual(
        waits,
      );
      expect(await session.begin({ nonce: 'b', start: queued('t2', keyed('k')), reader: READER })).toEqual(
        waits,
      );
      expect(await session.accept(queued('t2', keyed('k')))).toEqual(waits);
      expect(await session.accept(queued('t9', keyed('k')))).toEqual(waits);
      expect(await session.accept(queued('t9', keyed('k', 'other')))).toEqual({ status: 'key-reused' });
      expect(await line(session)).toEqual(['t1', ['t2']]);
      await endTurn(session, 't1', 1);
      const known = { status: 'known', turn: 't2' };
      expect(await session.begin({ nonce: 'b', start: queued('t2', keyed('k')), reader: READER })).toEqual(
        known,
      );
      expect(await session.accept(queued('t9', keyed('k')))).toEqual(known);
      expect(await session.accept(queued('t2', keyed('k')))).toEqual({ status: 'accepted', turn: 't2' });
      expect(await line(session)).toEqual(['t2', []]);
    });

    it('is known to a page of its own', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      await session.accept(queued('t2'));
      expect(await session.read({ from: 1, turn: 't2' })).toMatchObject({
        rows: [],
        waits: { status: 'queued', turn: 't2' },
      });
      expect(await session.read({ from: 1, turn: 't1' })).not.toHaveProperty('waits');
      expect(await session.read({ from: 1 })).not.toHaveProperty('waits');
    });

    it('is refused when a hundred wait, and leaves nothing behind', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      for (let i = 0; i < 100; i += 1) await session.accept(queued(`w${i}`));
      const full = { status: 'full', most: 100 };
      expect(await session.accept(queued('t2', keyed('k')))).toEqual(full);
      expect(await session.accept({ ...startOf('t2'), whenBusy: 'steer' })).toEqual(full);
      expect(await session.accept(queued('w7'))).toEqual({ status: 'queued', turn: 'w7' });
      await endTurn(session, 't1', 1);
      expect(await session.accept(queued('t2', keyed('k', 'other')))).toEqual({
        status: 'queued',
        turn: 't2',
      });
    });

    it('is told to watchers when it comes and when it starts', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      const told: Notice[] = [];
      const stop = await session.watch(
        (notice) => told.push(notice),
        () => {},
      );
      await session.accept(queued('t2'));
      await endTurn(session, 't1', 1);
      await expect.poll(() => told.length).toBe(3);
      expect(told.map(({ head, openTurn, waiting }) => [head, openTurn?.id, waiting])).toEqual([
        [2, 't1', []],
        [2, 't1', [{ turn: 't2', status: 'queued' }]],
        [4, 't2', []],
      ]);
      stop();
    });

    it.each([100, 100_000, 3_000_000])('is kept whole with a body of %d characters', async (length) => {
      const { session } = make();
      const long = 'ü'.repeat(length);
      await session.begin(starting('t1', 'a'));
      await session.accept({ ...queued('t2'), started: event('t2', long, 'turn-started') });
      await endTurn(session, 't1', 1);
      const page = await session.read({ from: 4 });
      expect(page?.rows.map(({ type, turn }) => [type, turn])).toEqual([['turn-started', 't2']]);
      expect(page?.rows[0]?.body === JSON.stringify(long)).toBe(true);
    });
  });

  describe('a retry of the append that ended a turn', () => {
    it('gets the same answer, and starts the next turn once', async () => {
      const { session, restart } = make();
      await session.begin(starting('t1', 'a'));
      await session.accept(queued('t2'));
      await session.accept(queued('t3'));
      await session.post('cancel', 't2', '{}');
      const ending = { events: [event('t1', 'end', 'turn-ended')], release: 'ended' } as const;
      const first = await session.append(1, 3, ending);
      expect(first).toMatchObject({ status: 'appended', head: 3, inbox: [] });
      expect(await session.append(1, 3, ending)).toEqual(first);
      await restart();
      expect(await session.append(1, 3, ending)).toEqual(first);
      expect(await line(session)).toEqual(['t2', ['t3']]);
      expect(await bodiesOf(session)).toEqual([{ opening: true }, 'start of t1', 'end', 'start of t2']);
    });
  });

  describe('a cancel of a turn that waits', () => {
    it('is found by its holder, and by that of no other turn', async () => {
      const { session, restart } = make();
      await session.begin(starting('t1', 'a'));
      await session.accept(queued('t2'));
      expect(await session.post('cancel', 't2', '{}')).toBe('posted');
      expect(await session.post('cancel', 't2', '{}')).toBe('posted');
      expect(await session.renew(1)).toEqual({ status: 'renewed', inbox: [] });
      await restart();
      await endTurn(session, 't1', 1);
      const { inbox } = await lease(session, goingOn('t2', 'b'));
      expect(inbox.map(({ kind, turn, body }) => [kind, turn, body])).toEqual([['cancel', 't2', '{}']]);
      await endTurn(session, 't2', 2);
      expect((await lease(session, starting('t3', 'c'))).inbox).toEqual([]);
    });

    it('is the only note that it takes', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      await session.accept(queued('t2'));
      expect(await session.post('answer', 't2', '{}')).toBe('no-such-turn');
      expect(await session.post('late', 't2', '{}')).toBe('no-such-turn');
    });
  });

  describe('a late result', () => {
    it('waits for whoever holds the session next, and outlives the end of its turn', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      await endTurn(session, 't1', 1);
      expect(await session.post('late', 't1', '{"late":1}')).toBe('posted');
      const { epoch, inbox } = await lease(session, starting('t2', 'b'));
      expect(inbox.map(({ kind, turn, body }) => [kind, turn, body])).toEqual([['late', 't1', '{"late":1}']]);
      const ids = inbox.map(({ id }) => id);
      const taken = await session.append(epoch, 5, { events: [event('t2', 'heard')], inboxRead: ids });
      expect(taken).toMatchObject({ inbox: [] });
    });

    it('does not wake a turn that waits, and is refused of a turn that never was', async () => {
      const harness = make();
      const { session } = harness;
      expect(await session.post('late', 't1', '{}')).toBe('no-such-turn');
      await session.begin(starting('t1', 'a'));
      await session.append(1, 3, { events: [event('t1', 'wait')], release: 'suspended' });
      expect(await session.post('late', 't1', '{}')).toBe('posted');
      expect(await session.post('late', 't2', '{}')).toBe('no-such-turn');
      await harness.wait(harness.leaseMs / 3);
      expect(harness.handOvers()).toEqual([]);
    });

    it('does not keep the lease of a turn that begins to wait', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      await session.post('late', 't1', '{}');
      await session.append(1, 3, { events: [event('t1', 'wait')], release: 'suspended' });
      expect(await session.resume(goingOn('t1', 'b'))).toEqual({ status: 'suspended', turn: 't1' });
    });
  });
}
