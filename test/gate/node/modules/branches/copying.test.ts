/**
 * Copies of events into a fork, with the copying invocation killed before or after each message to an object.
 */
import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../../src/journal/entry.ts';
import {
  createManualClock,
  createMemorySessions,
  type ManualClock,
  type SessionPort,
} from '../../../../../src/testing/entry.ts';
import { BRANCHES, composeModules, copyOn, createUse, listBranches } from '../../../../doors/branches.ts';
import { type LeaseGrant, toRow } from '../../../../doors/journal.ts';
import {
  DEFAULT_PLATFORM,
  foldAll,
  Meter,
  readJournal,
  toReader,
  toSessionName,
} from '../../../../doors/session.ts';

const LEASE_MS = 12_000;
const owner = { id: 'owner' };
const getSessionName = (session: string): string => toSessionName({ owner, agent: 'tester', session });

const createTurnStarted = (turn: string, message: string): SessionEvent => ({
  type: 'turn-started',
  turn,
  loopId: turn,
  message,
  context: {},
  principal: owner,
});

const createModelReplied = (turn: string, text: string, ...calls: string[]): SessionEvent => ({
  type: 'model-replied',
  turn,
  model: 'm',
  text,
  toolCalls: calls.map((id) => ({ id, providerId: id, name: id.split('-')[0] ?? '', input: '{}' })),
  finish: 'stop',
});

const WAIT_REQUEST = {
  for: 'decision',
  message: 'May it?',
  allows: ['approve', 'reject'],
  schema: {},
  onExpiry: 'reject',
  binding: 'b',
} as const;

/**
 * Turns and calls in every state: an ended turn, and calls that have ended, run, wait, wait during their run,
 * or have not started.
 */
const LATER_EVENTS: readonly SessionEvent[] = [
  // Long enough that it is stored by a separate append.
  createModelReplied('t1', 'One.'.repeat(600_000)),
  { type: 'turn-ended', turn: 't1', outcome: 'completed' },
  createTurnStarted('t2', 'Two?'),
  createModelReplied('t2', '', 'read-1', 'once-2', 'asks-3', 'late-4', 'again-5', 'stops-6'),
  { type: 'tool-call-ended', turn: 't2', call: 'read-1', result: { type: 'text', content: 'Read.' } },
  { type: 'tool-call-started', turn: 't2', call: 'once-2', effect: 'once' },
  { type: 'tool-call-started', turn: 't2', call: 'again-5', effect: 'idempotent' },
  { type: 'tool-call-suspended', turn: 't2', call: 'asks-3', wait: WAIT_REQUEST },
  { type: 'tool-call-started', turn: 't2', call: 'stops-6', effect: 'idempotent' },
  { type: 'tool-call-suspended', turn: 't2', call: 'stops-6', wait: WAIT_REQUEST },
];

const EVENT_COUNT = 2 + LATER_EVENTS.length;

interface World {
  readonly clock: ManualClock;
  session(name: string): SessionPort;
  readonly dispatched: string[];
}

/** The source `s1`, whose last event is `EVENT_COUNT`. */
async function createWorld(): Promise<World> {
  const clock = createManualClock(1_000_000);
  const dispatched: string[] = [];
  const sessions = createMemorySessions({
    clock,
    leaseMs: LEASE_MS,
    dispatch: ({ name, turn }) => dispatched.push(`${name} ${turn}`),
  });
  const source = sessions.session(getSessionName('s1'));
  const opening = toRow({ type: 'session-opened', incarnation: 'i1', agent: 'tester' });
  const start = { turn: 't1', opening, started: toRow(createTurnStarted('t1', 'One?')) };
  const leased = await source.begin({ nonce: 'n', start, reader: toReader() });
  if (leased.status !== 'leased') throw new Error('The session was not leased.');
  await source.append(leased.epoch, 3, { events: LATER_EVENTS.map(toRow), release: 'ended' });
  return { clock, session: (name) => sessions.session(name), dispatched };
}

/** Opens the fork `f` and leases it, as a request does. */
async function openFork(
  { session }: World,
  { at = EVENT_COUNT, told }: { at?: number; told?: string } = {},
): Promise<LeaseGrant> {
  const opening = toRow({
    type: 'session-forked',
    incarnation: 'i2',
    agent: 'tester',
    from: 's1',
    fromIncarnation: 'i1',
    upTo: at,
    principal: owner,
    ...(told !== undefined && { told }),
  });
  const second =
    at === 1
      ? toRow({ type: 'module-event', turn: 'i2', module: 'branches', facts: [] })
      : toRow(createTurnStarted('t1', 'One?'));
  const start = { turn: 'i2', opening: { ...opening, turn: 'i2' }, started: second };
  const leased = await session(getSessionName('f')).begin({ nonce: 'n', start, reader: toReader() });
  if (leased.status !== 'leased') throw new Error('The session was not leased.');
  return leased;
}

const modules = composeModules([createUse(BRANCHES)]);

/** Copies the events. `each` intercepts the messages to objects. */
function copyWith(
  { clock, session }: World,
  leased: LeaseGrant,
  each: (send: () => Promise<unknown>) => Promise<unknown>,
) {
  const recordPort = (name: string): SessionPort =>
    new Proxy(session(name), {
      get:
        (port, key) =>
        (...given: unknown[]) =>
          each(() => Reflect.get(port, key)(...given)),
    });
  const host = {
    clock,
    modules,
    meter: new Meter(DEFAULT_PLATFORM, () => clock.now()),
    session: (_: unknown, name: string) => recordPort(name),
  };
  return copyOn({ host, env: {} } as unknown as Parameters<typeof copyOn>[0], leased);
}

/** The events of the fork after the copy, without their times. */
const readCopiedEvents = async ({ session }: World) =>
  (await readJournal(session(getSessionName('f')))).map(({ at: _, ...event }) => event);

const CLOSING_EVENTS = [
  {
    type: 'tool-call-ended',
    call: 'once-2',
    result: {
      type: 'error',
      reason: 'unknown-outcome',
      message:
        "The outcome of this call of 'once' is unknown: it was started, and no answer came back. It may have happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.",
    },
  },
  {
    type: 'tool-call-ended',
    call: 'asks-3',
    result: {
      type: 'error',
      reason: 'declined',
      message: "This call of 'asks' was declined and did not run. Reason: branched",
    },
  },
  {
    type: 'tool-call-ended',
    call: 'late-4',
    result: { type: 'error', reason: 'cancelled', message: "The call of 'late' was not run." },
  },
  { type: 'tool-call-ended', call: 'again-5', result: { type: 'error', reason: 'unknown-outcome' } },
  { type: 'tool-call-ended', call: 'stops-6', result: { type: 'error', reason: 'unknown-outcome' } },
];

describe('a copy into a fork', () => {
  it('closes open calls according to their progress, in the append of the last events', async () => {
    const all = await createWorld();
    const sent: string[] = [];
    await copyWith(all, await openFork(all, { told: 'Mind this.' }), async (send) => {
      const head = (await all.session(getSessionName('f')).read({ from: 1, limit: 1 }))?.head;
      sent.push(`${head}`);
      return send();
    });
    const events = await readCopiedEvents(all);
    expect(events.slice(2, EVENT_COUNT)).toEqual(
      LATER_EVENTS.map((event, index) => ({ seq: index + 3, ...event })),
    );
    expect(events.slice(EVENT_COUNT)).toMatchObject([
      ...CLOSING_EVENTS,
      { type: 'turn-steered', turn: 't2', as: 'fork-i2', message: 'Mind this.', principal: owner },
      { type: 'turn-ended', turn: 't2', outcome: 'cancelled' },
    ]);
    // The second append contains the last events and those that close the copied turns and calls.
    expect(new Set(sent)).toEqual(new Set(['2', '3']));
    const page = await all.session(getSessionName('f')).read({ from: 1, limit: 1 });
    expect(page?.openTurn).toBe(null);
    const folded = await foldAll(all.session(getSessionName('s1')), modules.memories);
    expect(folded && listBranches(folded.state)).toEqual([{ session: 'f', at: EVENT_COUNT, of: 'i1' }]);
  });

  it('has the same result in the next invocation after a kill at any message', async () => {
    const whole = await createWorld();
    let messages = 0;
    await copyWith(whole, await openFork(whole), (send) => {
      messages += 1;
      return send();
    });
    const expected = await readCopiedEvents(whole);
    expect(messages).toBeGreaterThan(3);
    for (let at = 0; at < messages; at += 1) {
      for (const isSent of [false, true]) {
        const all = await createWorld();
        let count = -1;
        const killed = copyWith(all, await openFork(all), async (send) => {
          count += 1;
          if (count < at) return send();
          if (isSent && count === at) await send();
          throw new Error('killed');
        });
        await killed.catch(() => {});
        const fork = all.session(getSessionName('f'));
        await all.clock.advance(10 * LEASE_MS);
        const isOver = (await fork.read({ from: 1, limit: 1 }))?.openTurn === null;
        // If the last append was not stored, the alarm has handed over the fork.
        expect(all.dispatched.includes(`${getSessionName('f')} i2`)).toBe(!isOver);
        if (!isOver) {
          const leased = await fork.resume({ turn: 'i2', nonce: 'm', reader: toReader() });
          if (leased.status !== 'leased') throw new Error(`The fork is ${leased.status}.`);
          await copyWith(all, leased, (send) => send());
        }
        expect(await readCopiedEvents(all)).toEqual(expected);
        const folded = await foldAll(all.session(getSessionName('s1')), modules.memories);
        expect(folded && listBranches(folded.state)).toHaveLength(1);
      }
    }
  });

  it('keeps its lease while it reads many files', async () => {
    const all = await createWorld();
    const source = all.session(getSessionName('s1'));
    const blobs = Array.from('abcdef', (id) => ({ id, about: '{}', size: 4, bytes: new Uint8Array(4) }));
    const parts = blobs.map(({ id, size }) => ({ type: 'file', id, size, mediaType: 'image/png' }) as const);
    const start = {
      turn: 't3',
      opening: toRow({ type: 'session-opened', incarnation: 'i1', agent: 'tester' }),
      started: toRow({ ...createTurnStarted('t3', 'Three?'), parts } as SessionEvent),
      blobs,
    };
    const more = await source.begin({ nonce: 'k', start, reader: toReader() });
    if (more.status !== 'leased') throw new Error('The session was not leased.');
    const leased = await openFork(all, { at: more.page.head });
    await copyWith(all, leased, async (send) => {
      await all.clock.advance(LEASE_MS / 6);
      return send();
    });
    const fork = all.session(getSessionName('f'));
    expect((await fork.read({ from: 1, limit: 1 }))?.openTurn).toBe(null);
    expect(await fork.blob({ id: 'f' })).toMatchObject({ size: 4 });
    expect(all.dispatched.filter((one) => one.startsWith(getSessionName('f')))).toEqual([]);
  });

  it('can end at the first event of the source', async () => {
    const all = await createWorld();
    await openFork(all, { at: 1 });
    await all.clock.advance(10 * LEASE_MS);
    const fork = all.session(getSessionName('f'));
    const leased = await fork.resume({ turn: 'i2', nonce: 'm', reader: toReader() });
    if (leased.status !== 'leased') throw new Error(`The fork is ${leased.status}.`);
    await copyWith(all, leased, (send) => send());
    expect((await readCopiedEvents(all)).map(({ type }) => type)).toEqual(['session-forked', 'module-event']);
    expect((await fork.read({ from: 1, limit: 1 }))?.openTurn).toBe(null);
  });

  it('erases the fork if its source was erased, even if a new session has the same name', async () => {
    for (const isNew of [false, true]) {
      const all = await createWorld();
      const leased = await openFork(all);
      const source = all.session(getSessionName('s1'));
      await source.erase();
      if (isNew) {
        const opening = toRow({ type: 'session-opened', incarnation: 'i3', agent: 'tester' });
        await source.accept({ turn: 't1', opening, started: toRow(createTurnStarted('t1', 'One?')) });
      }
      await copyWith(all, leased, (send) => send());
      expect(await all.session(getSessionName('f')).read({ from: 1 })).toBe(null);
    }
  });

  it('fails if a newer version has written to the source', async () => {
    const all = await createWorld();
    const source = all.session(getSessionName('s1'));
    const start = {
      turn: 't3',
      opening: toRow({ type: 'session-opened', incarnation: 'i1', agent: 'tester' }),
      started: toRow(createTurnStarted('t3', 'Three?')),
    };
    const more = await source.begin({ nonce: 'k', start, reader: toReader() });
    if (more.status !== 'leased') throw new Error('The session was not leased.');
    const strange = { type: 'of-tomorrow', turn: 't3', body: '{"v":1,"type":"of-tomorrow","turn":"t3"}' };
    await source.append(more.epoch, more.page.head + 1, { events: [strange], release: 'ended' });
    const leased = await openFork(all, { at: more.page.head + 1 });
    await expect(copyWith(all, leased, (send) => send())).rejects.toThrow('newer version');
  });
});
