import type { StoredEvent } from '../../../../src/journal/entry.ts';
import {
  createManualClock,
  createMemorySessions,
  type ManualClock,
  type SessionPort,
} from '../../../../src/testing/entry.ts';
import { type LeaseGrant, toRow } from '../../../doors/journal.ts';
import type { FileKeeper } from '../../../doors/loop.ts';
import { DEFAULT_PLATFORM, foldLeased, HeldSession, Meter, toReader } from '../../../doors/session.ts';
import { countTimers } from '../../../full/crash-matrix/lab/counted-clock.ts';

export const LEASE_MS = 12_000;

/** A held session of turn `t1`, with a log of the messages to its object. */
export async function createHeldSession(
  options: {
    readonly leased?: Partial<LeaseGrant>;
    readonly incarnation?: string;
    readonly wrap?: (port: SessionPort, clock: ManualClock) => SessionPort;
    readonly files?: FileKeeper | undefined;
  } = {},
) {
  const { leased: more, incarnation = 'i', wrap = (port) => port } = options;
  const clock = createManualClock(1_000_000);
  const sessions = createMemorySessions({ clock, leaseMs: LEASE_MS, dispatch: () => {} });
  const inner = sessions.session('["owner","tester","s1"]');
  const log: string[] = [];
  const noting: SessionPort = {
    ...inner,
    append: (epoch, from, change) => {
      log.push(`append ${from} ${change.events.map(({ type }) => type).join(' ')}`);
      return inner.append(epoch, from, change);
    },
    renew: (epoch) => {
      log.push(`renew at ${clock.now() - 1_000_000}`);
      return inner.renew(epoch);
    },
    async watch(watcher) {
      const line = await inner.watch(watcher);
      const ping = (): void => {
        log.push(`ping at ${clock.now() - 1_000_000}`);
        line.ping();
      };
      return { ...line, ping };
    },
  };
  const port = wrap(noting, clock);
  const begun = await inner.begin({
    nonce: 'n',
    start: {
      turn: 't1',
      opening: toRow({ type: 'session-opened', incarnation, agent: 'tester' }),
      started: toRow({
        type: 'turn-started',
        turn: 't1',
        loopId: 't1',
        message: 'Go.',
        context: {},
        principal: { id: 'owner' },
      }),
    },
    reader: toReader(),
  });
  if (begun.status !== 'leased') throw new Error('The session was not leased.');
  const leased = { ...begun, ...more };
  const { state } = await foldLeased(inner, leased, { memories: [] });
  const stored: StoredEvent[] = [];
  const { clock: counting, timersLeft } = countTimers(clock);
  const session = new HeldSession({
    files: options.files,
    port,
    clock: counting,
    leased,
    sentAt: clock.now(),
    state,
    memories: [],
    show: (item) => item.type === 'event' && stored.push(item.stored),
    meter: new Meter(DEFAULT_PLATFORM, () => clock.now()),
  });
  return {
    session,
    outbox: session.outbox,
    clock,
    timersLeft,
    port: inner,
    log,
    stored,
    leased,
    restart: () => sessions.restart(leased.name),
  };
}

/** An event of the turn that does not change its state. */
export const createEvent = (reason: string) => ({ type: 'turn-yielded', turn: 't1', reason }) as const;

/** Runs all timers that are due, and returns `resolved`, `open`, or `rejected: ` with the reason. */
export async function getPromiseState(clock: ManualClock, promise: Promise<unknown>): Promise<string> {
  const done = promise.then(
    () => 'resolved',
    (thrown: unknown) => `rejected: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
  );
  await clock.advance(0);
  return Promise.race([done, Promise.resolve('open')]);
}
