import { describe, expect, it } from 'vitest';
import { event, goingOn, lease, type MakeHarness, starting, startOf } from './harness.ts';

export function inboxContract(make: MakeHarness): void {
  describe('post', () => {
    const note = { id: 1, kind: 'cancel', turn: 't1', body: '{"by":"me"}' };

    it('is read with every answer until an append takes it in', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      expect(await session.post('cancel', 't1', '{"by":"me"}')).toBe('posted');
      expect(await session.renew(1)).toEqual({ status: 'renewed', inbox: [note] });
      expect(await session.append(1, 3, { events: [event('t1', 'x')] })).toMatchObject({ inbox: [note] });
      const taken = await session.append(1, 4, { events: [event('t1', 'cancelled')], inboxRead: [1] });
      expect(taken).toMatchObject({ inbox: [] });
      expect(await session.renew(1)).toEqual({ status: 'renewed', inbox: [] });
    });

    it('answers an append with notes that were posted after those it takes in', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      await session.post('cancel', 't1', '1');
      await session.post('cancel', 't1', '2');
      const answer = await session.append(1, 3, { events: [event('t1', 'x')], inboxRead: [1] });
      expect(answer).toMatchObject({ inbox: [{ id: 2, body: '2' }] });
    });

    it('never gives an id to two notes', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      await session.post('cancel', 't1', '1');
      await session.append(1, 3, { events: [event('t1', 'x')], inboxRead: [1] });
      await session.post('cancel', 't1', '2');
      expect(await session.renew(1)).toMatchObject({ inbox: [{ id: 2, body: '2' }] });
    });

    it('keeps one note of two that are the same', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      await session.post('cancel', 't1', '1');
      expect(await session.post('cancel', 't1', '1')).toBe('posted');
      expect(await session.renew(1)).toMatchObject({ inbox: [{ id: 1, body: '1' }] });
    });

    it('answers no more than one message can carry, what is short first, and the others when these were read', async () => {
      const { session } = make();
      const long = 'x'.repeat(3_000_000);
      await session.begin(starting('t1', 'a'));
      for (const turn of ['s1', 's2']) {
        await session.accept({ ...startOf(turn), started: event(turn, long), whenBusy: 'steer' });
      }
      await session.post('late', 't1', `"${long}1"`);
      await session.post('late', 't1', `"${long}2"`);
      await session.post('cancel', 't1', '{}');
      const idsOf = (answer: object): unknown =>
        'inbox' in answer && Array.isArray(answer.inbox) ? answer.inbox.map(({ id }) => id) : answer;
      const read = async (seq: number, inboxRead: readonly number[]): Promise<unknown> =>
        idsOf(await session.append(1, seq, { events: [event('t1', 'x')], inboxRead }));
      expect(idsOf(await session.renew(1))).toEqual([3, 5]);
      expect(await read(3, [5])).toEqual([3]);
      expect(await read(4, [3])).toEqual([4]);
      expect(await read(5, [4])).toEqual([1]);
      expect(await read(6, [1])).toEqual([2]);
      expect(await read(7, [2])).toEqual([]);
    });

    it('answers one that is longer than what is answered at once', async () => {
      const { session } = make();
      const long = `"${'x'.repeat(5_000_000)}"`;
      await session.begin(starting('t1', 'a'));
      await session.post('late', 't1', long);
      await session.post('late', 't1', '"2"');
      const { inbox } = await lease(session, { ...starting('t1', 'a') });
      expect(inbox.map(({ id, body }) => [id, body === long])).toEqual([[1, true]]);
      const next = await session.append(1, 3, { events: [event('t1', 'x')], inboxRead: [1] });
      expect(next).toMatchObject({ inbox: [{ id: 2, body: '"2"' }] });
    });

    it('waits for the next holder', async () => {
      const { session, restart } = make();
      await session.accept(startOf('t1'));
      await session.post('cancel', 't1', '{"by":"me"}');
      await restart();
      expect((await lease(session, goingOn('t1', 'a'))).inbox).toEqual([note]);
    });

    it('is refused for a turn that is not open', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      expect(await session.post('cancel', 't2', '{}')).toBe('no-such-turn');
      await session.append(1, 3, { events: [event('t1', 'end')], release: 'ended' });
      expect(await session.post('cancel', 't1', '{}')).toBe('no-such-turn');
    });

    it('is dropped with the turn that ends without having read it', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      await session.post('cancel', 't1', '{}');
      expect(await session.append(1, 3, { events: [event('t1', 'end')], release: 'ended' })).toMatchObject({
        inbox: [],
      });
      expect((await lease(session, starting('t2', 'b'))).inbox).toEqual([]);
    });

    it('makes a suspended turn wait for a holder', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      await session.append(1, 3, { events: [event('t1', 'wait')], release: 'suspended' });
      expect(await session.post('cancel', 't1', '{"by":"me"}')).toBe('posted');
      expect(await lease(session, goingOn('t1', 'b'))).toMatchObject({ cause: 'handed-over', inbox: [note] });
    });
  });
}
