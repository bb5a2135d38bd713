import { describe, expect, it } from 'vitest';
import type { Change, Leased, SessionPort } from '../../src/journal/session-port.ts';
import {
  event,
  goingOn,
  handedOver,
  lease,
  type MakeHarness,
  type SessionHarness,
  starting,
} from './harness.ts';

const WAIT = 't1.3.0#0';
const mine = { wait: WAIT, bodyHash: 'mine' };
const other = { wait: WAIT, bodyHash: 'other' };
const answer = { id: 1, kind: 'answer', turn: 't1', body: '"yes"' };
const expired = { id: 1, kind: 'expired', turn: 't1', body: WAIT };
const asked = (more: Partial<Change> = {}): Change => ({
  events: [event('t1', 'asked', 'tool-call-suspended')],
  ...more,
});
const expiring = (after: number, wait = WAIT): Pick<Change, 'expiries'> => ({ expiries: [{ wait, after }] });

/** A turn that waits, given back by its holder. */
async function suspended(session: SessionPort, more: Partial<Change> = {}): Promise<Leased> {
  const leased = await lease(session, starting('t1', 'a'));
  await session.append(leased.epoch, 3, asked({ ...more, release: 'suspended' }));
  return leased;
}

/** Ends the turn that somebody is to go on with. */
async function ended({ session }: SessionHarness): Promise<void> {
  const { epoch, page, inbox } = await lease(session, goingOn('t1', 'z'));
  const inboxRead = inbox.map(({ id }) => id);
  await session.append(epoch, page.head + 1, { events: [event('t1', 'end')], inboxRead, release: 'ended' });
}

export function answeringContract(make: MakeHarness): void {
  describe('an answer to a wait', () => {
    it('is taken once, and known to its sender (AEA-12)', async () => {
      const { session } = make();
      await suspended(session);
      expect(await session.post('answer', 't1', '"yes"', mine)).toBe('posted');
      expect(await session.post('answer', 't1', '"yes"', mine)).toBe('known');
      expect(await session.post('answer', 't1', '"no"', other)).toBe('answered');
      expect((await lease(session, goingOn('t1', 'b'))).inbox).toEqual([answer]);
    });

    it('is taken once also after it was read, after its turn has ended and after a restart', async () => {
      const harness = make();
      const { session, restart } = harness;
      await suspended(session);
      await session.post('answer', 't1', '"yes"', mine);
      await ended(harness);
      await restart();
      expect(await session.post('answer', 't1', '"yes"', mine)).toBe('known');
      expect(await session.post('answer', 't1', '"no"', other)).toBe('answered');
      expect((await lease(session, starting('t2', 'c'))).inbox).toEqual([]);
    });

    it('leaves other waits open', async () => {
      const { session } = make();
      await suspended(session);
      await session.post('answer', 't1', '"yes"', mine);
      expect(await session.post('answer', 't1', '"no"', { wait: 't1.3.1#0', bodyHash: 'mine' })).toBe(
        'posted',
      );
      const { inbox } = await lease(session, goingOn('t1', 'b'));
      expect(inbox).toEqual([answer, { ...answer, id: 2, body: '"no"' }]);
    });

    it('hands the suspended turn over at once, to whoever resumes it first', async () => {
      const harness = make();
      const { session } = harness;
      await suspended(session);
      await session.post('answer', 't1', '"yes"', mine);
      expect(await session.read({ from: 4 })).toMatchObject({ openTurn: { id: 't1', state: 'running' } });
      expect(await handedOver(harness, 1)).toEqual(['t1']);
      expect(await lease(session, goingOn('t1', 'b'))).toMatchObject({ cause: 'handed-over' });
    });

    it('reaches the holder that lives, and hands nothing over', async () => {
      const { session, handOvers, wait, leaseMs } = make();
      const { epoch } = await lease(session, starting('t1', 'a'));
      await session.append(epoch, 3, asked());
      expect(await session.post('answer', 't1', '"yes"', mine)).toBe('posted');
      expect(await session.renew(epoch)).toEqual({ status: 'renewed', inbox: [answer] });
      await wait(leaseMs / 3);
      expect(handOvers()).toEqual([]);
    });

    it('that comes before the lease is given back finds the turn another holder', async () => {
      const harness = make();
      const { session } = harness;
      const { epoch } = await lease(session, starting('t1', 'a'));
      await session.append(epoch, 3, asked());
      await session.post('answer', 't1', '"yes"', mine);
      await session.append(epoch, 4, { events: [], release: 'suspended' });
      expect(await handedOver(harness, 1)).toEqual(['t1']);
      expect(await lease(session, goingOn('t1', 'b'))).toMatchObject({
        cause: 'handed-over',
        inbox: [answer],
      });
    });

    it('is refused for a turn that is not open, also where there is no session', async () => {
      const harness = make();
      const { session } = harness;
      expect(await session.post('answer', 't1', '"yes"', mine)).toBe('no-such-turn');
      expect(await session.read({ from: 1 })).toBeNull();
      await suspended(session);
      expect(await session.post('answer', 't2', '"yes"', { wait: 't2.3.0#0', bodyHash: 'h' })).toBe(
        'no-such-turn',
      );
      await session.post('cancel', 't1', '{}');
      await ended(harness);
      expect(await session.post('answer', 't1', '"yes"', mine)).toBe('no-such-turn');
    });
  });

  describe('a wait that expires', () => {
    it('takes no answer when its time is over, although no alarm has come yet', async () => {
      const { session } = make();
      await suspended(session, expiring(0));
      expect(await session.post('answer', 't1', '"yes"', mine)).toBe('expired');
      expect((await lease(session, goingOn('t1', 'b'))).inbox).toEqual([expired]);
    });

    it('takes none after the alarm either, whoever asks, also after its turn has ended', async () => {
      const harness = make();
      const { session, leaseMs } = harness;
      await suspended(session, expiring(leaseMs / 3));
      await handedOver(harness, 1);
      expect(await session.post('answer', 't1', '"yes"', mine)).toBe('expired');
      await ended(harness);
      expect(await session.post('answer', 't1', '"yes"', mine)).toBe('expired');
      expect(await session.post('answer', 't1', '"no"', other)).toBe('expired');
    });

    it('frees its suspended turn by the alarm, and hands it over with a note (AEA-12)', async () => {
      const harness = make();
      const { session, leaseMs, wait, handOvers } = harness;
      await suspended(session, expiring(leaseMs));
      await wait(leaseMs * 0.7);
      expect(handOvers()).toEqual([]);
      expect(await handedOver(harness, 1)).toEqual(['t1']);
      expect(await lease(session, goingOn('t1', 'b'))).toMatchObject({
        cause: 'handed-over',
        inbox: [expired],
      });
    });

    it('does so through a restart', async () => {
      const harness = make();
      const { session, leaseMs, restart } = harness;
      await suspended(session, expiring(leaseMs / 2));
      await restart();
      expect(await handedOver(harness, 1)).toEqual(['t1']);
      expect((await lease(session, goingOn('t1', 'b'))).inbox).toEqual([expired]);
    });

    it('tells the holder that lives, and hands nothing over', async () => {
      const { session, leaseMs, wait, handOvers } = make();
      const { epoch } = await lease(session, starting('t1', 'a'));
      await session.append(epoch, 3, asked(expiring(leaseMs / 4)));
      expect(await session.renew(epoch)).toMatchObject({ inbox: [] });
      await wait(leaseMs / 2);
      expect(await session.renew(epoch)).toEqual({ status: 'renewed', inbox: [expired] });
      expect(handOvers()).toEqual([]);
    });

    it('is handed over by the deadline of a holder that has fallen silent', async () => {
      const harness = make();
      const { session, leaseMs } = harness;
      const { epoch } = await lease(session, starting('t1', 'a'));
      await session.append(epoch, 3, asked(expiring(leaseMs / 4)));
      await handedOver(harness, 1);
      expect(await lease(session, goingOn('t1', 'b'))).toMatchObject({ cause: 'expired', inbox: [expired] });
    });

    it('does not expire once it is answered', async () => {
      const { session, leaseMs, wait } = make();
      const { epoch } = await lease(session, starting('t1', 'a'));
      await session.append(epoch, 3, asked(expiring(leaseMs / 4)));
      await session.post('answer', 't1', '"yes"', mine);
      await wait(leaseMs / 2);
      expect(await session.renew(epoch)).toEqual({ status: 'renewed', inbox: [answer] });
    });

    it('keeps its time when its append is repeated', async () => {
      const { session, leaseMs, wait } = make();
      const { epoch } = await lease(session, starting('t1', 'a'));
      const change = asked(expiring(leaseMs * 0.6));
      await session.append(epoch, 3, change);
      await wait(leaseMs * 0.4);
      await session.append(epoch, 3, change);
      await wait(leaseMs * 0.4);
      expect(await session.renew(epoch)).toEqual({ status: 'renewed', inbox: [expired] });
    });

    it('is not asked for again by an append that is repeated after its answer', async () => {
      const { session, leaseMs, wait } = make();
      const { epoch } = await lease(session, starting('t1', 'a'));
      const change = asked(expiring(leaseMs * 0.3));
      await session.append(epoch, 3, change);
      await session.post('answer', 't1', '"yes"', mine);
      await session.append(epoch, 3, change);
      await wait(leaseMs / 2);
      expect(await session.renew(epoch)).toEqual({ status: 'renewed', inbox: [answer] });
    });

    it('is told in the order of their times, the earliest by the first alarm', async () => {
      const { session, leaseMs, wait } = make();
      const { epoch } = await lease(session, starting('t1', 'a'));
      const [late, soon] = [expiring(leaseMs * 5, 'late#0'), expiring(leaseMs * 0.2, 'soon#0')];
      await session.append(epoch, 3, asked(late));
      await session.append(epoch, 4, asked(soon));
      await wait(leaseMs * 0.5);
      expect(await session.renew(epoch)).toMatchObject({ inbox: [{ kind: 'expired', body: 'soon#0' }] });
    });

    it('goes with its turn', async () => {
      const { session, leaseMs, wait, handOvers } = make();
      const { epoch } = await lease(session, starting('t1', 'a'));
      await session.append(epoch, 3, asked(expiring(leaseMs / 4)));
      await session.append(epoch, 4, { events: [event('t1', 'end')], release: 'ended' });
      const next = await lease(session, starting('t2', 'b'));
      await wait(leaseMs / 2);
      expect(await session.renew(next.epoch)).toEqual({ status: 'renewed', inbox: [] });
      expect(handOvers()).toEqual([]);
    });
  });
}
