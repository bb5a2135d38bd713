import { describe, expect, it, vi } from 'vitest';
import type { DueOutcome, DueRow } from '../../../../src/create-holdfast.ts';
import type { FileKey, FileStore } from '../../../../src/modules/files/entry.ts';
import { createManualClock, createMemorySessions, type SessionPort } from '../../../../src/testing/entry.ts';
import { SessionFiles } from '../../../doors/files.ts';
import { toLog } from '../../../doors/tools.ts';
import { createOutsideBlob } from '../../../fixtures/session-contract/blobs.ts';
import {
  acquireLease,
  createBeginRequest,
  createEventRow,
  createResumeRequest,
  createTurnStart,
  formatRow,
  formatStaleCopies,
  type OfferOutcome,
  type SessionHarness,
  startInStore,
} from '../../../fixtures/session-contract/harness.ts';
import { testSessionContract } from '../../../fixtures/session-contract.ts';

const LEASE_MS = 20_000;

/** Returns a clock that the test moves forward and back. Its only timer is the alarm of the session. */
function createHeldTime() {
  const clock = createManualClock(1_000_000);
  let back = 0;
  let alarm: { readonly due: number; readonly run: () => void; cancel: () => void } | undefined;
  function after(ms: number, run: () => void): () => void {
    alarm = { due: clock.now() - back + ms, run, cancel: clock.after(ms, run) };
    return () => alarm?.cancel();
  }
  return {
    clock: { now: () => clock.now() - back, after },
    wait: (ms: number) => clock.advance(ms),
    setBack(ms: number) {
      back += ms;
      alarm?.cancel();
      if (alarm) alarm.cancel = clock.after(alarm.due - clock.now() + back, alarm.run);
    },
    loseAlarm: async () => alarm?.cancel(),
  };
}

function makeHarness(): SessionHarness {
  const { clock, ...time } = createHeldTime();
  const handOvers: string[] = [];
  const offered: string[] = [];
  const outcomes: OfferOutcome[] = [];
  const asked: string[] = [];
  let isBroken = false;
  const sessions = createMemorySessions({
    clock,
    leaseMs: LEASE_MS,
    dispatch: ({ turn }) => handOvers.push(turn),
    due: async (row) => {
      if (row.stale) {
        asked.push(formatStaleCopies(row));
        if (isBroken) throw new Error('The store is down.');
        return 'done';
      }
      offered.push(formatRow(row));
      const [outcome = 'done'] = outcomes.splice(0, 1);
      if (outcome === 'none') throw new Error('This runner refuses the row.');
      return outcome;
    },
  });
  return {
    name: 's',
    session: sessions.session('s'),
    leaseMs: LEASE_MS,
    ...time,
    settled: async () => {},
    restart: async () => sessions.restart('s'),
    handOvers: () => handOvers,
    store: {
      asked: () => asked,
      breaks: (breaks) => {
        isBroken = breaks;
      },
    },
    agenda: { offered: () => offered, answer: (...more) => void outcomes.push(...more) },
  };
}

testSessionContract('the in-memory session', makeHarness);

/** Returns a session whose due rows wait until the test settles them. */
function createOffering() {
  const clock = createManualClock();
  const offered: string[] = [];
  const answers: ((outcome: DueOutcome) => void)[] = [];
  const handleDueRow = (row: DueRow): Promise<DueOutcome> => {
    offered.push(formatRow(row));
    return new Promise((resolve) => answers.push(resolve));
  };
  const options = { clock, leaseMs: LEASE_MS, dispatch: () => {}, due: handleDueRow };
  const session = createMemorySessions(options).session('s');
  return { clock, offered, answers, session };
}

const createRow = (ref: string) => ({ module: 'mail', key: 'alerts', ref });

/** Returns a session with a file store in memory. `before` runs before the store deletes files. */
function withStore(before = async () => {}) {
  const clock = createManualClock(1_000_000);
  const kept = new Set<string>();
  const toPath = ({ session, incarnation, id }: FileKey) => `${session}/${incarnation}/${id}`;
  const store: FileStore = {
    put: async (key) => void kept.add(toPath(key)),
    get: async (key) => (kept.has(toPath(key)) ? new Uint8Array(3) : null),
    delete: async (key) => void kept.delete(toPath(key)),
    deleteAll: async (key) => {
      for (const path of kept) if (path.startsWith(toPath({ ...key, id: '' }))) kept.delete(path);
    },
  };
  const due = async ({ name: session, stale }: DueRow) => {
    await before();
    await store.deleteAll({ session, incarnation: stale?.incarnation ?? '' });
    return 'done' as const;
  };
  const options = { clock, leaseMs: LEASE_MS, dispatch: () => {}, due };
  return { clock, kept, store, session: createMemorySessions(options).session('s') };
}

const FILE = { type: 'file', mediaType: 'image/png', bytes: new Uint8Array([1]) } as const;

/** Returns the files of a session for tools of its incarnation `one`. */
const createFiles = (port: SessionPort, store: FileStore): SessionFiles =>
  new SessionFiles({
    ...{ port, name: 's', incarnation: () => 'one' },
    ...{ count: () => {}, log: toLog(), store },
  });

describe('the in-memory session with exact times', () => {
  it('returns how long the lease holder may remain silent, and how long ago its lease expired', async () => {
    const { session, wait } = makeHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    await wait(15_000);
    const busy = { status: 'busy', turn: 't1', retryAfter: 5_000 };
    expect(await session.resume(createResumeRequest('t1', 'b'))).toEqual(busy);
    expect(await session.accept(createTurnStart('t2'))).toEqual(busy);
    await wait(4_999);
    expect(await session.resume(createResumeRequest('t1', 'b'))).toEqual({ ...busy, retryAfter: 1 });
    await wait(1);
    expect(await acquireLease(session, createResumeRequest('t1', 'b'))).toMatchObject({
      cause: 'expired',
      expiredFor: 0,
    });
    await wait(20_123);
    expect(await session.resume(createResumeRequest('t1', 'c'))).toEqual({ ...busy, retryAfter: 877 }); // The pause before the second take-over.
    await wait(1_000);
    expect(await acquireLease(session, createResumeRequest('t1', 'c'))).toMatchObject({
      cause: 'expired',
      expiredFor: 1_123,
    });
  });

  it('suggests an early retry if the open turn has no lease holder', async () => {
    const { session } = makeHarness();
    await session.accept(createTurnStart('t1'));
    expect(await session.accept(createTurnStart('t2'))).toEqual({
      status: 'busy',
      turn: 't1',
      retryAfter: 1_000,
    });
  });

  it('never sets a timer with a negative delay', async () => {
    let now = 0;
    const waits: number[] = [];
    const after = (ms: number): (() => void) => {
      waits.push(ms);
      return () => {};
    };
    const clock = { now: () => now++, after };
    const { session } = createMemorySessions({ clock, leaseMs: LEASE_MS, dispatch: () => {} });
    await session('s').accept(createTurnStart('t1'));
    expect(waits).toEqual([0]);
  });

  it('repeats a hand-over once per lease term', async () => {
    const { session, wait, handOvers } = makeHarness();
    await session.accept(createTurnStart('t1'));
    await wait(LEASE_MS * 3);
    expect(handOvers()).toEqual(['t1', 't1', 't1', 't1']);
  });

  it('settles a row only by the outcome of its own latest offer', async () => {
    const { clock, offered, answers, session } = createOffering();
    for (const turn of ['t1', 't2', 't3']) {
      const { epoch, page } = await acquireLease(session, createBeginRequest(turn, turn));
      const events = [createEventRow(turn, 'last')];
      await session.append(epoch, page.head + 1, { events, release: 'ended', agenda: [createRow(turn)] });
    }
    await clock.advance(180_000);
    expect(offered).toEqual(['mail alerts t1 #1', 'mail alerts t1 #2', 'mail alerts t1 #3']);
    answers[1]?.('done');
    await clock.advance(1);
    expect(offered).toHaveLength(3);
    answers[2]?.('done');
    await clock.advance(1);
    expect(offered.slice(3)).toEqual(['mail alerts t2 #1']);
    answers[0]?.('done');
    await clock.advance(60_000);
    expect(offered.slice(4)).toEqual(['mail alerts t2 #2']);
  });

  it('does not settle a row by the outcome of an erased session with the same name', async () => {
    const { clock, offered, answers, session } = createOffering();
    for (const turn of ['t1', 't2']) {
      await session.erase();
      const { epoch } = await acquireLease(session, createBeginRequest(turn, turn));
      const events = [createEventRow(turn, 'last')];
      await session.append(epoch, 3, { events, release: 'ended', agenda: [createRow(turn)] });
      await clock.advance(0);
    }
    answers[0]?.('done');
    await clock.advance(60_000);
    expect(offered).toEqual(['mail alerts t1 #1', 'mail alerts t2 #1', 'mail alerts t2 #2']);
  });

  it('keeps running if no function handles the rows of the agenda', async () => {
    const clock = createManualClock();
    const session = createMemorySessions({ clock, leaseMs: LEASE_MS, dispatch: () => {} }).session('s');
    const { epoch } = await acquireLease(session, createBeginRequest('t1', 'a'));
    const change = {
      events: [createEventRow('t1', 'last')],
      release: 'ended',
      agenda: [createRow('t1')],
    } as const;
    expect(await session.append(epoch, 3, change)).toMatchObject({ status: 'appended' });
    await clock.advance(24 * 3_600_000);
    expect(await session.read({ from: 1 })).toMatchObject({ head: 3 });
  });

  it('sets the time of each event', async () => {
    const { session, wait } = makeHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    await wait(7);
    expect(await session.append(1, 3, { events: [createEventRow('t1', 'x')] })).toMatchObject({
      at: 1_000_007,
    });
    expect((await session.read({ from: 1 }))?.rows.map((row) => row.at)).toEqual([
      1_000_000, 1_000_000, 1_000_007,
    ]);
  });
});

describe('`createMemorySessions`', () => {
  it('separates sessions by name, and returns the same session for the same name', async () => {
    const sessions = createMemorySessions({
      clock: createManualClock(),
      leaseMs: LEASE_MS,
      dispatch: () => {},
    });
    await sessions.session('one').begin(createBeginRequest('t1', 'a'));
    expect(await sessions.session('one').read({ from: 1 })).toMatchObject({ head: 2 });
    expect(await sessions.session('two').read({ from: 1 })).toBeNull();
  });

  it('shares no objects with the caller', async () => {
    const { session } = makeHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    const row = { type: 'step', turn: 't1', body: '1' };
    await session.append(1, 3, { events: [row] });
    row.body = '2';
    const page = await session.read({ from: 3 });
    Object.assign(page?.rows[0] ?? {}, { body: '3' });
    expect((await session.read({ from: 3 }))?.rows[0]?.body).toBe('1');
  });

  it('notifies watchers after the append has returned, and closes their connections at a restart', async () => {
    const { session, restart } = makeHarness();
    const told: (number | 'closed')[] = [];
    await session.watch({
      onNotice: ({ head }) => told.push(head),
      onClosed: () => told.push('closed'),
    });
    const begun = session.begin(createBeginRequest('t1', 'a'));
    expect(told).toEqual([0]);
    await begun;
    expect(told).toEqual([0, 2]);
    await restart();
    await vi.waitFor(() => expect(told).toEqual([0, 2, 'closed']), 20_000);
    await session.append(1, 3, { events: [createEventRow('t1', 'x')] });
    expect(told).toEqual([0, 2, 'closed']);
  });

  it('leaves no file in the store if the session is erased while a tool creates a file', async () => {
    const { clock, kept, session, store } = withStore();
    const { epoch } = await acquireLease(session, {
      ...createBeginRequest('t1', 'a'),
      start: startInStore('t1', 'one'),
    });
    const put: FileStore['put'] = async (...asked) => {
      await session.erase();
      await store.put(...asked);
    };
    await createFiles(session, { ...store, put }).keepFile(FILE);
    expect(kept.size).toBe(1);
    expect(await session.append(epoch, 3, { events: [createEventRow('t1', 'x')] })).toEqual({
      status: 'stale',
    });
    await clock.advance(LEASE_MS * 1.25);
    expect([...kept]).toEqual([]);
  });

  it('stores no file after the session was erased', async () => {
    const { kept, session, store } = withStore();
    await session.accept(startInStore('t1', 'one'));
    const keep = () => createFiles(session, store).keepFile(FILE);
    await session.erase();
    await expect(keep()).rejects.toThrow('The session was erased while a tool made a file.');
    await session.accept(startInStore('t2', 'two'));
    await expect(keep()).rejects.toThrow('The session was erased while a tool made a file.');
    expect(kept.size).toBe(0);
  });

  it('keeps a file that is stored while the store deletes those of the previous session', async () => {
    const acceptBlob = async () => {
      const key = { session: 's', incarnation: 'two', id: 'a' };
      await store.put(key, new Uint8Array(3), 'image/png');
      const blobs = [createOutsideBlob('a', 3, 'two')];
      expect(await session.accept({ ...startInStore('t2', 'two'), blobs })).toMatchObject({
        status: 'accepted',
      });
    };
    const { clock, kept, session, store } = withStore(acceptBlob);
    const blobs = [createOutsideBlob('a', 3, 'one')];
    await store.put({ session: 's', incarnation: 'one', id: 'a' }, new Uint8Array(3), 'image/png');
    const start = { ...startInStore('t1', 'one'), blobs, retainMs: LEASE_MS };
    const { epoch } = await acquireLease(session, { ...createBeginRequest('t1', 'a'), start });
    await session.append(epoch, 3, { events: [createEventRow('t1', 'x')], release: 'ended' });
    await clock.advance(LEASE_MS * 2.5);
    expect((await session.read({ from: 1 }))?.openTurn?.id).toBe('t2');
    expect([...kept]).toEqual(['s/two/a']);
  });

  it('erases a session without a timer if there is no external store', async () => {
    const clock = createManualClock();
    const session = createMemorySessions({ clock, leaseMs: LEASE_MS, dispatch: () => {} }).session('s');
    await session.accept(startInStore('t1', 'one'));
    const after = vi.spyOn(clock, 'after');
    await session.erase();
    expect(after).not.toHaveBeenCalled();
  });

  it('shares no bytes of a blob with the caller', async () => {
    const { session } = makeHarness();
    const around = new Uint8Array([0, 1, 2, 3, 0]);
    const blobs = [{ id: 'a', about: '{}', size: 3, bytes: around.subarray(1, 4) }];
    await session.accept({ ...createTurnStart('t1'), blobs });
    around.fill(9);
    const page = await session.blob({ id: 'a' });
    expect(page?.bytes).toEqual(new Uint8Array([1, 2, 3]));
    page?.bytes?.fill(8);
    expect((await session.blob({ id: 'a' }))?.bytes).toEqual(new Uint8Array([1, 2, 3]));
  });

  it('dispatches again after a dispatch throws', async () => {
    const clock = createManualClock();
    const dispatch = vi.fn(() => Promise.reject(new Error('lost')));
    const session = createMemorySessions({ clock, leaseMs: LEASE_MS, dispatch }).session('s');
    await session.accept(createTurnStart('t1'));
    await clock.advance(LEASE_MS);
    expect(dispatch.mock.calls).toEqual([[{ name: 's', turn: 't1' }], [{ name: 's', turn: 't1' }]]);
  });
});
