import { describe, expect, it } from 'vitest';
import type { EventPage, Leased, NewRow, ResumeRequest } from '../../src/journal/session-port.ts';
import { event, goingOn, lease, type MakeHarness, READER, type SessionHarness, starting } from './harness.ts';

/** Two turns: t1 at 2..6 and t2 at 7..9, which is held under epoch 2. */
async function twoTurns({ session }: SessionHarness): Promise<void> {
  await session.begin(starting('t1', 'a'));
  const events = [event('t1', 'm4', 'message'), event('t1', 's5'), event('t1', 'm6', 'message')];
  await session.append(1, 3, { events: [event('t1', 's3'), ...events], release: 'ended' });
  await session.begin(starting('t2', 'b'));
  await session.append(2, 8, { events: [event('t2', 'm8', 'message'), event('t2', 's9')] });
}

const seqs = (page: EventPage | null) => page?.rows.map((row) => row.seq);

export function readingContract(make: MakeHarness): void {
  describe('read', () => {
    it('answers the events from a sequence on, in order, with head and open turn', async () => {
      const harness = make();
      await twoTurns(harness);
      const page = await harness.session.read({ from: 8 });
      expect(page).toEqual({
        rows: [
          { seq: 8, at: expect.any(Number), type: 'message', turn: 't2', body: '"m8"' },
          { seq: 9, at: expect.any(Number), type: 'step', turn: 't2', body: '"s9"' },
        ],
        next: null,
        head: 9,
        openTurn: { id: 't2', state: 'running' },
        waiting: [],
      });
      expect(await harness.session.read({ from: 10 })).toEqual({
        rows: [],
        next: null,
        head: 9,
        openTurn: { id: 't2', state: 'running' },
        waiting: [],
      });
    });

    it('answers pages of at most `limit` events, and where the next one starts', async () => {
      const harness = make();
      await twoTurns(harness);
      const first = await harness.session.read({ from: 1, limit: 4 });
      expect([seqs(first), first?.next]).toEqual([[1, 2, 3, 4], 5]);
      const last = await harness.session.read({ from: 5, limit: 5 });
      expect([seqs(last), last?.next]).toEqual([[5, 6, 7, 8, 9], null]);
    });

    it('counts the bytes of bodies in UTF-8, and answers one event however long', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      const bodies = ['é'.repeat(49), 'é'.repeat(49), '😀'.repeat(5000), 'x'];
      await session.append(1, 3, { events: bodies.map((body) => event('t1', body)) });
      const exact = await session.read({ from: 3, maxBytes: 200 });
      expect([seqs(exact), exact?.next]).toEqual([[3, 4], 5]);
      const short = await session.read({ from: 3, maxBytes: 199 });
      expect([seqs(short), short?.next]).toEqual([[3], 4]);
      const long = await session.read({ from: 5, maxBytes: 1 });
      expect([seqs(long), long?.next]).toEqual([[5], 6]);
    });

    it('answers the events of one turn', async () => {
      const harness = make();
      await twoTurns(harness);
      expect(seqs(await harness.session.read({ from: 1, turn: 't1' }))).toEqual([2, 3, 4, 5, 6]);
      expect(seqs(await harness.session.read({ from: 1, turn: 't2' }))).toEqual([7, 8, 9]);
      expect(seqs(await harness.session.read({ from: 8, turn: 't2' }))).toEqual([8, 9]);
      expect(seqs(await harness.session.read({ from: 1, turn: 't3' }))).toEqual([]);
      const first = await harness.session.read({ from: 1, turn: 't1', limit: 2 });
      expect([seqs(first), first?.next]).toEqual([[2, 3], 4]);
    });

    it('leaves out other types up to a sequence, and none after it', async () => {
      const harness = make();
      await twoTurns(harness);
      const types = { names: ['message', 'turn-started'], until: 8 };
      expect(seqs(await harness.session.read({ from: 1, types }))).toEqual([2, 4, 6, 7, 8, 9]);
      const first = await harness.session.read({ from: 1, types, limit: 2 });
      expect([seqs(first), first?.next]).toEqual([[2, 4], 6]);
      expect(seqs(await harness.session.read({ from: 1, types: { names: [], until: 8 } }))).toEqual([9]);
    });

    it('reads a body of 5 MB with characters of every length back equal', async () => {
      const { session, restart } = make();
      await session.begin(starting('t1', 'a'));
      const body = JSON.stringify(`x${'aé€😀\u0000\ufeff'.repeat(400_000)}`);
      await session.append(1, 3, { events: [{ type: 'step', turn: 't1', body }, event('t1', 'after')] });
      await restart();
      const page = await session.read({ from: 3 });
      expect(page?.rows[0]?.body === body).toBe(true);
      expect(page?.next).toBe(4);
    });
  });

  describe('the page of a lease', () => {
    const snapshot = { seq: 6, reducer: 1, body: JSON.stringify('é'.repeat(100_000)) };

    async function withSnapshot(harness: SessionHarness): Promise<void> {
      await twoTurns(harness);
      const yielded: NewRow = event('t2', 's10');
      await harness.session.append(2, 10, { events: [yielded], snapshot, release: 'yielded' });
    }

    /** The bodies that came joined. */
    const covered = (leased: Leased): unknown[] => leased.covered.flatMap((text) => JSON.parse(text));

    async function messagesUpTo(harness: SessionHarness, seq: number): Promise<unknown[]> {
      const page = await harness.session.read({ from: 1 });
      const rows = page?.rows.filter((row) => row.seq <= seq && READER.messageTypes.includes(row.type)) ?? [];
      return rows.map((row) => JSON.parse(row.body));
    }

    it('has the snapshot, the messages that it covers and everything after it', async () => {
      const harness = make();
      await withSnapshot(harness);
      await harness.restart();
      const leased = await lease(harness.session, goingOn('t2', 'c'));
      expect(leased.snapshot).toEqual(snapshot);
      expect(covered(leased)).toEqual(await messagesUpTo(harness, snapshot.seq));
      expect(covered(leased).length).toBe(2);
      expect(seqs(leased.page)).toEqual([7, 8, 9, 10]);
      expect(leased.page).toMatchObject({ next: null, head: 10, openTurn: { id: 't2', state: 'running' } });
    });

    it('has all events and no snapshot for another reducer', async () => {
      const harness = make();
      await withSnapshot(harness);
      const request: ResumeRequest = { ...goingOn('t2', 'c'), reader: { ...READER, reducer: 2 } };
      const leased = await lease(harness.session, request);
      expect(leased.snapshot).toBeNull();
      expect(seqs(leased.page)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    });

    it('has the newest snapshot only', async () => {
      const harness = make();
      await withSnapshot(harness);
      await lease(harness.session, goingOn('t2', 'c'));
      const newer = { seq: 10, reducer: 1, body: '{"newer":true}' };
      await harness.session.append(3, 11, {
        events: [event('t2', 's11')],
        snapshot: newer,
        release: 'yielded',
      });
      const leased = await lease(harness.session, goingOn('t2', 'd'));
      expect(leased.snapshot).toEqual(newer);
      expect(covered(leased)).toEqual(await messagesUpTo(harness, newer.seq));
      expect(seqs(leased.page)).toEqual([11]);
    });

    it('joins long conversations in pieces, in order', async () => {
      const harness = make();
      await twoTurns(harness);
      const replies = Array.from({ length: 60 }, (_, index): NewRow => {
        const body = JSON.stringify({ v: 1, index, text: 'é'.repeat(10_000) });
        return { type: 'message', turn: 't2', body };
      });
      await harness.session.append(2, 10, { events: replies });
      const long = { seq: 69, reducer: 1, body: '{}' };
      await harness.session.append(2, 70, { events: [], snapshot: long, release: 'yielded' });
      const leased = await lease(harness.session, goingOn('t2', 'c'));
      expect(covered(leased)).toEqual(await messagesUpTo(harness, 69));
      expect(leased.covered.length).toBeLessThan(5);
      expect(Math.max(...leased.covered.map(({ length }) => length))).toBeLessThan(1024 * 1024);
      expect(leased.page.rows).toEqual([]);
    });

    it('has them as events when one of them is too long to be joined', async () => {
      const harness = make();
      await twoTurns(harness);
      const body = JSON.stringify({ v: 1, text: 'x'.repeat(100_000) });
      const events: NewRow[] = [{ type: 'message', turn: 't2', body }];
      const held = { seq: 10, reducer: 1, body: '{}' };
      await harness.session.append(2, 10, { events, snapshot: held, release: 'yielded' });
      const leased = await lease(harness.session, goingOn('t2', 'c'));
      const folded = [...covered(leased), ...leased.page.rows.map((row) => JSON.parse(row.body))];
      expect(folded).toEqual(await messagesUpTo(harness, 10));
    });

    it('ends at the bytes that the reader takes, and `read` goes on from there', async () => {
      const harness = make();
      await withSnapshot(harness);
      const reader = { ...READER, maxBytes: 3 };
      const leased = await lease(harness.session, { ...goingOn('t2', 'c'), reader });
      expect([seqs(leased.page), leased.page.next]).toEqual([[4], 6]);
      const types = { names: READER.messageTypes, until: snapshot.seq };
      const rest = await harness.session.read({ from: 6, types });
      expect([seqs(rest), rest?.next]).toEqual([[6, 7, 8, 9, 10], null]);
    });
  });
}
