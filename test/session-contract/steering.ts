import { describe, expect, it } from 'vitest';
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
import { endTurn, line, queued } from './queueing.ts';

const steer = (turn: string, request?: ReturnType<typeof keyed>) => ({
  ...startOf(turn, request),
  whenBusy: 'steer' as const,
});

export function steeringContract(make: MakeHarness): void {
  describe('a message for the open turn', () => {
    const noted = { id: 1, kind: 'steer', turn: 's1', body: '"start of s1"' };
    const steering = { status: 'steering', turn: 's1', into: 't1' };

    it('starts a turn at once in a session that is free', async () => {
      const { session } = make();
      expect(await session.accept(steer('s1'))).toEqual({ status: 'accepted', turn: 's1' });
    });

    it('is read by the holder with every answer until it takes it in, and is no turn then', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      expect(await session.accept(steer('s1'))).toEqual(steering);
      expect(await session.renew(1)).toEqual({ status: 'renewed', inbox: [noted] });
      expect(await line(session)).toEqual(['t1', ['s1']]);
      const taken = await session.append(1, 3, { events: [event('t1', 'steered')], inboxRead: [1] });
      expect(taken).toMatchObject({ status: 'appended', inbox: [] });
      expect(await line(session)).toEqual(['t1', []]);
      await endTurn(session, 't1', 1);
      expect(await line(session)).toEqual([null, []]);
      expect(await bodiesOf(session)).toEqual([{ opening: true }, 'start of t1', 'steered', 'end of t1']);
    });

    it('is found by whoever takes the turn over', async () => {
      const { session, restart } = make();
      await session.accept(startOf('t1'));
      await session.accept(steer('s1'));
      await restart();
      expect((await lease(session, goingOn('t1', 'a'))).inbox).toEqual([noted]);
    });

    it('is refused by a turn that waits for somebody outside, and leaves nothing behind', async () => {
      const harness = make();
      const { session } = harness;
      await session.begin(starting('t1', 'a'));
      await session.append(1, 3, { events: [event('t1', 'wait')], release: 'suspended' });
      const refused = { status: 'suspended', turn: 't1' };
      expect(await session.accept(steer('s1', keyed('k')))).toEqual(refused);
      expect(await session.begin({ nonce: 'b', start: steer('s1', keyed('k')), reader: READER })).toEqual(
        refused,
      );
      expect(await line(session)).toEqual(['t1', []]);
      await harness.wait(harness.leaseMs / 3);
      expect(harness.handOvers()).toEqual([]);
      // Once it is answered it goes on, and can be steered again, also under a key that was refused.
      await session.post('answer', 't1', '{}');
      expect(await session.accept(steer('s1', keyed('k', 'other')))).toEqual(steering);
      expect((await lease(session, goingOn('t1', 'b'))).inbox).toMatchObject([
        { kind: 'answer' },
        { kind: 'steer', turn: 's1' },
      ]);
    });

    it('that came before its turn began to wait is left to whoever goes on with it', async () => {
      const harness = make();
      const { session } = harness;
      await session.begin(starting('t1', 'a'));
      await session.accept(steer('s1', keyed('k')));
      await session.append(1, 3, { events: [event('t1', 'wait')], release: 'suspended' });
      await harness.wait(harness.leaseMs / 3);
      expect(harness.handOvers()).toEqual([]);
      // It was taken, so it is not refused when it is sent again.
      expect(await session.accept(steer('s1', keyed('k')))).toEqual(steering);
      await session.post('answer', 't1', '{}');
      expect((await lease(session, goingOn('t1', 'b'))).inbox).toMatchObject([noted, { kind: 'answer' }]);
    });

    it('is a turn of its own when that ends first, in its place in the line', async () => {
      const harness = make();
      const { session } = harness;
      await session.begin(starting('t1', 'a'));
      await session.accept(queued('t2'));
      await session.accept(steer('s1'));
      await session.accept(queued('t3'));
      await endTurn(session, 't1', 1);
      expect(await line(session)).toEqual(['t2', ['s1', 't3']]);
      expect(await handedOver(harness, 1)).toEqual(['t2']);
      expect(await session.read({ from: 1, turn: 's1' })).toMatchObject({ waits: { status: 'queued' } });
      // It was not for this turn.
      expect((await lease(session, goingOn('t2', 'b'))).inbox).toEqual([]);
      await endTurn(session, 't2', 2);
      expect(await line(session)).toEqual(['s1', ['t3']]);
    });

    it('that was taken in is known when it is sent again, by its id or its key, and is not taken twice', async () => {
      const { session, restart } = make();
      await session.begin(starting('t1', 'a'));
      await session.begin({ nonce: 'b', start: steer('s1', keyed('k')), reader: READER });
      await session.begin({ nonce: 'c', start: steer('s2'), reader: READER });
      expect(await session.accept(steer('s9', keyed('k')))).toEqual(steering);
      await session.append(1, 3, { events: [event('t1', 'x'), event('t1', 'y')], inboxRead: [1, 2] });
      await restart();
      const known = { status: 'known', turn: 's1', into: 't1' };
      expect(await session.begin({ nonce: 'b', start: steer('s1', keyed('k')), reader: READER })).toEqual(
        known,
      );
      expect(await session.accept(steer('s1', keyed('k')))).toEqual(known);
      expect(await session.accept(steer('s9', keyed('k')))).toEqual(known);
      // An acknowledgement was lost, and there is no key.
      const again = await session.begin({ nonce: 'c', start: steer('s2'), reader: READER });
      expect(again).toEqual({ status: 'known', turn: 's2', into: 't1' });
      await endTurn(session, 't1', 1);
      expect(await session.accept(steer('s2'))).toEqual({ status: 'known', turn: 's2', into: 't1' });
      expect(await line(session)).toEqual([null, []]);
    });

    it('cannot be cancelled, since it is no turn', async () => {
      const { session } = make();
      await session.begin(starting('t1', 'a'));
      await session.accept(steer('s1'));
      expect(await session.post('cancel', 's1', '{}')).toBe('no-such-turn');
      await endTurn(session, 't1', 1);
      expect(await session.post('cancel', 's1', '{}')).toBe('posted');
    });
  });
}
