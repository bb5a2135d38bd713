import { describe, expect, it, vi } from 'vitest';
import type { SessionPort } from '../../../../src/testing/entry.ts';
import type { Line } from '../../../doors/journal.ts';
import { DEFAULT_PLATFORM, HeldSession, Meter, toReader } from '../../../doors/session.ts';
import { withoutPings } from './former-holder.ts';
import { createEvent, createHeldSession, getPromiseState, LEASE_MS } from './held.ts';

const listRenewals = (log: readonly string[]): string[] => log.filter((line) => line.startsWith('renew'));
const rejectUnreachable = (): Promise<never> => Promise.reject(new Error('unreachable'));
const silencePort = (port: SessionPort): SessionPort => ({
  ...port,
  ...withoutPings(port),
  renew: rejectUnreachable,
});

describe('the holder of a lease', () => {
  it('pings over its connection, without a request, if a third of the term has passed without a response', async () => {
    const { clock, log } = await createHeldSession();
    await clock.advance(LEASE_MS / 3 - 1);
    expect(log).toEqual([]);
    await clock.advance(1);
    expect(log).toEqual(['ping at 4000']);
    await clock.advance(LEASE_MS);
    expect(log).toEqual([4, 8, 12, 16].map((seconds) => `ping at ${seconds}000`));
  });

  it('renews the lease after 1.8 terms of pings, and then relies on pings again', async () => {
    const { clock, log, session } = await createHeldSession();
    const first = 3 * ((LEASE_MS * 3) / 4) - (LEASE_MS * 5) / 12;
    await clock.advance(first - 1);
    expect(listRenewals(log)).toEqual([]);
    await clock.advance(1);
    expect(listRenewals(log)).toEqual([`renew at ${first}`]);
    await clock.advance(first);
    expect(listRenewals(log)).toEqual([`renew at ${first}`, `renew at ${2 * first}`]);
    session.checkpoint();
  });

  it('cannot act after three quarters of three terms since the last store, even if every ping is answered', async () => {
    const { clock, session } = await createHeldSession({
      wrap: (port) => ({ ...port, renew: rejectUnreachable }),
    });
    await clock.advance(3 * ((LEASE_MS * 3) / 4) - 1);
    session.checkpoint();
    await clock.advance(1);
    expect(() => session.checkpoint()).toThrow('The lease of this invocation has run out.');
  });

  it('renews the lease by a request if a ping is unanswered for a twelfth of the term, and then sends no pings', async () => {
    const { clock, log } = await createHeldSession({ wrap: (port) => ({ ...port, ...withoutPings(port) }) });
    await clock.advance(LEASE_MS / 3 + LEASE_MS / 12 - 1);
    expect(listRenewals(log)).toEqual([]);
    await clock.advance(1);
    expect(listRenewals(log)).toEqual(['renew at 5000']);
    await clock.advance(LEASE_MS);
    expect(log).toEqual([5, 9, 13, 17].map((seconds) => `renew at ${seconds}000`));
  });

  it('pings again over the next connection after the one with the unanswered ping has broken', async () => {
    let lines = 0;
    const { clock, log, restart } = await createHeldSession({
      wrap: (port) => ({
        ...port,
        watch(watcher) {
          lines += 1;
          return lines === 1 ? withoutPings(port).watch(watcher) : port.watch(watcher);
        },
      }),
    });
    await clock.advance(LEASE_MS / 2);
    restart();
    expect(log).toEqual(['renew at 5000']);
    await clock.advance(LEASE_MS);
    const pings = log.filter((line) => line.startsWith('ping'));
    expect(pings.length).toBeGreaterThan(1);
    expect(log.slice(-pings.length)).toEqual(pings);
  });

  it('counts the term from the time when a ping was sent, not from its response', async () => {
    let pings = 0;
    const { clock, session } = await createHeldSession({
      wrap: (port, { after }) => ({
        ...port,
        renew: rejectUnreachable,
        watch: ({ onHeld = () => {}, ...watcher }) =>
          port.watch({
            ...watcher,
            onHeld() {
              pings += 1;
              if (pings === 1) after(2_500, onHeld);
            },
          }),
      }),
    });
    await clock.advance(LEASE_MS / 3 + (LEASE_MS * 3) / 4 - 1);
    session.checkpoint();
    await clock.advance(1);
    expect(() => session.checkpoint()).toThrow('run out');
    expect(pings).toBe(2);
  });

  it('does not renew the lease while appends are answered', async () => {
    const { clock, log, outbox } = await createHeldSession();
    for (let i = 0; i < 10; i += 1) {
      await clock.advance(LEASE_MS / 4);
      outbox.emit(createEvent('a'));
      await outbox.durable();
    }
    expect(listRenewals(log)).toEqual([]);
  });

  it('stops acting three quarters of a term after the last response, and aborts its work', async () => {
    const { clock, session } = await createHeldSession({ wrap: silencePort });
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

  it('counts the term from the time when an acknowledged request was sent, not from its response', async () => {
    const { clock, session } = await createHeldSession({
      wrap: (port) => ({
        ...silencePort(port),
        append: async (epoch, from, change) => {
          const answer = await port.append(epoch, from, change);
          await new Promise<void>((resolve) => clock.after(5_000, resolve));
          return answer;
        },
      }),
    });
    await clock.advance(1_000);
    session.outbox.emit(createEvent('a'));
    await clock.advance(0);
    await clock.advance(5_000);
    await clock.advance((LEASE_MS * 3) / 4 - 5_001);
    session.checkpoint();
    await clock.advance(1);
    expect(() => session.checkpoint()).toThrow('run out');
  });

  /**
   * Cuts off a holder. Returns the ms until another holder gets the lease, and the times when both could act.
   */
  async function takeLeaseFrom(
    cut: 'silently' | 'and its connection closes' | 'and another object answers its pings',
    restartAt: number,
  ): Promise<{ readonly given: number; readonly both: readonly number[] }> {
    let isCutOff = false;
    const lines: Line[] = [];
    const reachObject = <T>(call: () => Promise<T>): Promise<T> => (isCutOff ? rejectUnreachable() : call());
    const { clock, session, port, restart, outbox } = await createHeldSession({
      wrap: (inner) => ({
        ...inner,
        append: (...sent) => reachObject(() => inner.append(...sent)),
        renew: (epoch) => reachObject(() => inner.renew(epoch)),
        watch: (watcher) =>
          reachObject(async () => {
            const isReplaced = cut === 'and another object answers its pings';
            const onClosed = (): void => {
              if (!isReplaced || !isCutOff) watcher.onClosed();
            };
            const line = await inner.watch({ ...watcher, onClosed });
            lines.push(line);
            const ping = (): void => {
              if (!isCutOff) line.ping();
              else if (isReplaced) queueMicrotask(() => watcher.onHeld?.());
            };
            return { ...line, ping };
          }),
      }),
    });
    await clock.advance(LEASE_MS / 3 + 100);
    outbox.emit(createEvent('a'));
    await outbox.durable();
    await clock.advance(LEASE_MS / 3 + 100); // the holder has sent a ping
    isCutOff = true;
    if (cut === 'and its connection closes') for (const line of lines) line.close();
    const resume = (nonce: string) => port.resume({ turn: 't1', nonce, reader: toReader() });
    const both: number[] = [];
    for (let passed = 0; passed <= 4 * LEASE_MS; passed += 1_000) {
      if (passed <= restartAt && restartAt < passed + 1_000) {
        await clock.advance(restartAt - passed);
        restart();
        await clock.advance(passed - restartAt + 1_000);
      } else await clock.advance(1_000);
      const { status } = await resume(`at ${passed}`);
      if (status === 'leased' && !session.signal.aborted) both.push(passed);
      if (status === 'leased') return { given: passed + 1_000, both };
    }
    throw new Error('No other holder got the lease.');
  }

  const SINCE_APPEND = LEASE_MS / 3 + 100;

  it.each(['silently', 'and its connection closes'] as const)(
    'stops before another holder gets the lease, a term after it is cut off %s',
    async (cut) => {
      const { given, both } = await takeLeaseFrom(cut, Infinity);
      expect(both).toEqual([]);
      expect(given).toBe(LEASE_MS);
    },
  );

  it.each([0, 1, 2_999, 4_000, 8_899])(
    'stops before another holder gets the lease if the object restarts %i ms after the cut and has received no ping',
    async (restartAt) => {
      const { given, both } = await takeLeaseFrom('silently', restartAt);
      expect(both).toEqual([]);
      expect(given).toBe(Math.ceil((3 * LEASE_MS - SINCE_APPEND) / 1_000) * 1_000);
    },
  );

  it.each([0, 4_000, 11_899])(
    'stops before another holder gets the lease even if an object that was replaced %i ms after the cut answers its pings',
    async (restartAt) => {
      const { both } = await takeLeaseFrom('and another object answers its pings', restartAt);
      expect(both).toEqual([]);
    },
  );

  it.each([0, 4_000, 11_999])(
    'stops before another holder gets the lease if its connection closes and the object restarts %i ms later',
    async (restartAt) => {
      const { given, both } = await takeLeaseFrom('and its connection closes', restartAt);
      expect(both).toEqual([]);
      expect(given).toBe(LEASE_MS);
    },
  );

  it('checks the clock itself before it acts, without a timer', async () => {
    let now = 1_000_000;
    const held = await createHeldSession();
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

  it('retries soon if the object could not be reached', async () => {
    let tries = 0;
    const { clock, session } = await createHeldSession({
      wrap: (port) => ({
        ...port,
        ...withoutPings(port),
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

  it('stops immediately if another invocation holds the session', async () => {
    const { clock, session, port } = await createHeldSession({
      wrap: (inner) => ({ ...inner, watch: rejectUnreachable }),
    });
    await port.append(1, 3, { events: [], release: 'yielded' });
    await clock.advance(LEASE_MS / 3);
    expect(session.signal.reason).toMatchObject({
      why: 'lost',
      message: 'Another invocation holds the session (stale).',
    });
  });

  it('accepts an inbox message that arrives with a renewal', async () => {
    const { clock, session, port } = await createHeldSession();
    await port.post({ kind: 'cancel', turn: 't1', body: '{}' });
    await clock.advance(LEASE_MS / 3);
    expect(session.signal.reason).toMatchObject({ why: 'cancelled' });
    await session.close();
    expect((await port.read({ from: 3 }))?.rows.map(({ type }) => type)).toEqual(['cancel-requested']);
  });

  it('cannot act after the lease has expired, even if the turn was cancelled before', async () => {
    const { clock, session } = await createHeldSession({ wrap: silencePort });
    session.cancel();
    await clock.advance(LEASE_MS);
    expect(() => session.assertHeld()).toThrow('The lease of this invocation has run out.');
  });

  it('does not wait for a pending renewal when it closes', async () => {
    const renew = vi.fn<SessionPort['renew']>(() => new Promise(() => {}));
    const { clock, session } = await createHeldSession({
      wrap: (port) => ({ ...port, watch: rejectUnreachable, renew }),
    });
    await clock.advance(LEASE_MS / 3);
    expect(renew).toHaveBeenCalledOnce();
    expect(await getPromiseState(clock, session.close())).toBe('resolved');
  });
});

describe('a digest', () => {
  it('is computed once per invocation', async () => {
    const { session } = await createHeldSession();
    const first = session.digest('t1');
    expect(session.digest('t1')).toBe(first);
    expect(session.digest('t2')).not.toBe(first);
  });

  it('is the same for the same id, and differs for another id, session or incarnation', async () => {
    const digestCall = async (call: string, options?: Parameters<typeof createHeldSession>[0]) =>
      (await createHeldSession(options)).session.digest(call);
    const keys = await Promise.all([
      digestCall('t1.3.0'),
      digestCall('t1.3.1'),
      digestCall('t1.3.0', { leased: { name: '["owner","tester","s2"]' } }),
      digestCall('t1.3.0', { incarnation: 'j' }),
    ]);
    expect(new Set(keys).size).toBe(4);
    expect(await digestCall('t1.3.0', { leased: { epoch: 9, cause: 'expired' } })).toBe(keys[0]);
    expect(keys[0]).toMatch(/^[0-9a-f]{64}$/);
  });
});
