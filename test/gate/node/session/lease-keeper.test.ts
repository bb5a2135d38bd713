import { describe, expect, it, vi } from 'vitest';
import type { SessionPort } from '../../../../src/testing/entry.ts';
import { DEFAULT_PLATFORM, HeldSession, Meter, readerOf } from '../../../doors/session.ts';
import { hold, LEASE_MS, note, standing } from './held.ts';

const renewals = (log: readonly string[]): string[] => log.filter((line) => line.startsWith('renew'));
const silent = (port: SessionPort): SessionPort => ({
  ...port,
  renew: () => Promise.reject(new Error('unreachable')),
});

describe('the holder of a lease', () => {
  it('renews it after a third of the term in silence', async () => {
    const { clock, log } = await hold();
    await clock.advance(LEASE_MS / 3 - 1);
    expect(renewals(log)).toEqual([]);
    await clock.advance(1);
    expect(renewals(log)).toEqual(['renew at 4000']);
    await clock.advance(LEASE_MS / 3);
    expect(renewals(log)).toHaveLength(2);
  });

  it('does not renew it while appends are answered', async () => {
    const { clock, log, outbox } = await hold();
    for (let i = 0; i < 10; i += 1) {
      await clock.advance(LEASE_MS / 4);
      outbox.emit(note('a'));
      await outbox.durable();
    }
    expect(renewals(log)).toEqual([]);
  });

  it('may not act from three quarters of the term after it was last heard, and aborts its work then', async () => {
    const { clock, session } = await hold({ wrap: silent });
    await clock.advance((LEASE_MS * 3) / 4 - 1);
    session.checkpoint();
    expect(session.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(session.signal.reason).toMatchObject({
      why: 'lost',
      message: 'The lease of this invocation has run out.',
    });
    expect(() => session.checkpoint()).toThrow('The lease of this invocation has run out.');
  });

  it('counts from when it sent what was acknowledged, not from the answer', async () => {
    const { clock, session } = await hold({
      wrap: (port) => ({
        ...silent(port),
        append: async (epoch, from, change) => {
          const answer = await port.append(epoch, from, change);
          await new Promise<void>((resolve) => clock.after(5_000, resolve));
          return answer;
        },
      }),
    });
    await clock.advance(1_000);
    session.outbox.emit(note('a'));
    await clock.advance(0);
    await clock.advance(5_000);
    await clock.advance((LEASE_MS * 3) / 4 - 5_001);
    session.checkpoint();
    await clock.advance(1);
    expect(() => session.checkpoint()).toThrow('run out');
  });

  it.each([0, 1, 2_999, 4_000, 8_999, 11_999])(
    'has stopped acting before another is given it, also by an object that starts anew %i ms after it was cut off',
    async (restartAt) => {
      let isCutOff = false;
      const reached = <T>(call: () => Promise<T>): Promise<T> =>
        isCutOff ? Promise.reject(new Error('unreachable')) : call();
      const { clock, session, port, restart, outbox } = await hold({
        wrap: (inner) => ({
          ...inner,
          append: (...sent) => reached(() => inner.append(...sent)),
          renew: (epoch) => reached(() => inner.renew(epoch)),
        }),
      });
      await clock.advance(LEASE_MS / 3 + 100); // renewed
      outbox.emit(note('a'));
      await outbox.durable();
      isCutOff = true;
      const resume = (nonce: string) => port.resume({ turn: 't1', nonce, reader: readerOf() });
      const both: number[] = [];
      let given = -1;
      for (let passed = 0; given === -1 && passed <= 2 * LEASE_MS; passed += 1_000) {
        if (passed <= restartAt && restartAt < passed + 1_000) {
          await clock.advance(restartAt - passed);
          restart();
          await clock.advance(passed - restartAt + 1_000);
        } else await clock.advance(1_000);
        const { status } = await resume(`at ${passed}`);
        if (status === 'leased') given = passed + 1_000;
        if (status === 'leased' && !session.signal.aborted) both.push(passed);
      }
      expect(both).toEqual([]);
      expect(given).toBe(LEASE_MS);
    },
  );

  it('asks the clock before it acts, and does not rely on a timer', async () => {
    let now = 1_000_000;
    const held = await hold();
    const session = new HeldSession({
      port: held.port,
      clock: { now: () => now, after: () => () => {} },
      leased: held.leased,
      sentAt: now,
      state: held.outbox.state,
      memories: [],
      meter: new Meter(DEFAULT_PLATFORM, () => now),
    });
    session.assertHeld();
    now += (LEASE_MS * 3) / 4;
    expect(() => session.assertHeld()).toThrow('The lease of this invocation has run out.');
    expect(session.signal.aborted).toBe(true);
  });

  it('tries again soon when the object could not be reached', async () => {
    let tries = 0;
    const { clock, session } = await hold({
      wrap: (port) => ({
        ...port,
        renew: (epoch) => {
          tries += 1;
          return tries < 3 ? Promise.reject(new Error('unreachable')) : port.renew(epoch);
        },
      }),
    });
    await clock.advance(LEASE_MS * 2);
    session.checkpoint();
    expect(tries).toBeGreaterThan(5);
  });

  it('stops at once when another invocation holds the session', async () => {
    const { clock, session, port } = await hold();
    await port.append(1, 3, { events: [], release: 'yielded' });
    await clock.advance(LEASE_MS / 3);
    expect(session.signal.reason).toMatchObject({
      why: 'lost',
      message: 'Another invocation holds the session (stale).',
    });
  });

  it('takes in an inbox message that a renewal brings', async () => {
    const { clock, session, port } = await hold();
    await port.post({ kind: 'cancel', turn: 't1', body: '{}' });
    await clock.advance(LEASE_MS / 3);
    expect(session.signal.reason).toMatchObject({ why: 'cancelled' });
    await session.close();
    expect((await port.read({ from: 3 }))?.rows.map(({ type }) => type)).toEqual(['cancel-requested']);
  });

  it('may not act when the lease runs out after the turn was cancelled', async () => {
    const { clock, session } = await hold({ wrap: silent });
    session.cancel();
    await clock.advance(LEASE_MS);
    expect(() => session.assertHeld()).toThrow('The lease of this invocation has run out.');
  });

  it('does not wait for a renewal that is never answered when it closes', async () => {
    const renew = vi.fn<SessionPort['renew']>(() => new Promise(() => {}));
    const { clock, session } = await hold({ wrap: (port) => ({ ...port, renew }) });
    await clock.advance(LEASE_MS / 3);
    expect(renew).toHaveBeenCalledOnce();
    expect(await standing(clock, session.close())).toBe('resolved');
  });
});

describe('the key of a call', () => {
  it('is the same for the same call, and another for another call, session or incarnation', async () => {
    const key = async (call: string, options?: Parameters<typeof hold>[0]) =>
      (await hold(options)).session.digest(call);
    const keys = await Promise.all([
      key('t1.3.0'),
      key('t1.3.1'),
      key('t1.3.0', { leased: { name: '["owner","tester","s2"]' } }),
      key('t1.3.0', { incarnation: 'j' }),
    ]);
    expect(new Set(keys).size).toBe(4);
    expect(await key('t1.3.0', { leased: { epoch: 9, cause: 'expired' } })).toBe(keys[0]);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
  });
});
