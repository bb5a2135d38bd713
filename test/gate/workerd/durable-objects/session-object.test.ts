import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import type { AppendData } from '../../../doors/journal.ts';
import { setTime } from '../../../fixtures/held-time.ts';
import {
  acquireLease,
  createBeginRequest,
  createEventRow,
  createRequestKey,
  createResumeRequest,
  createTurnStart,
  READER,
  readBodies,
  startInStore,
  waitForHandOvers,
} from '../../../fixtures/session-contract/harness.ts';
import { makeObjectHarness, makeRealObjectHarness, type ObjectHarness } from './object-harness.ts';

const LONG = 5 * 1024 * 1024;

/** For tests that wait for a real alarm. */
const PATIENT_OPTIONS = { timeout: 20_000 };

function listTables({ stub }: ObjectHarness): Promise<unknown[]> {
  return runInDurableObject(stub(), (_, { storage }) =>
    storage.sql.exec('SELECT name FROM sqlite_master').toArray(),
  );
}

/** The epoch of the lease in the object. */
const getEpoch = ({ sql }: DurableObjectStorage): number =>
  sql.exec<{ epoch: number }>('SELECT epoch FROM lease').one().epoch;

describe('a session object without writes', () => {
  it('has an empty database and no alarm after every read', async () => {
    const harness = makeObjectHarness();
    const { session, stub } = harness;
    await session.read({ from: 1 });
    await session.resume(createResumeRequest('t1', 'a'));
    await session.append(0, 1, { events: [createEventRow('t1', 'x')] });
    await session.renew(0);
    await session.post({ kind: 'cancel', turn: 't1', body: '{}' });
    await session.post({ kind: 'late', turn: 't1', body: '{}' });
    await session.post({
      kind: 'answer',
      turn: 't1',
      body: '{}',
      answers: { wait: 't1.3.0#0', bodyHash: 'h' },
    });
    const line = await session.watch({ onNotice: () => {}, onClosed: () => {} });
    line.close();
    expect(await listTables(harness)).toEqual([]);
    const alarm = await runInDurableObject(stub(), (object, { storage }) => {
      object.alarm();
      return storage.getAlarm();
    });
    expect(alarm).toBeNull();
    expect(await listTables(harness)).toEqual([]);
  });
});

describe('the database of a session object', () => {
  it('stores no value above 1 MiB, even for long bodies, snapshots, files and waiting messages', async () => {
    const { session, stub } = makeObjectHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    const body = JSON.stringify('é€😀'.repeat(Math.ceil(LONG / 9)));
    // Three of this size can wait together.
    const third = JSON.stringify('é€😀'.repeat(Math.floor(3_000_000 / 9)));
    const createWaitingStart = (turn: string) => ({
      ...createTurnStart(turn),
      started: { type: 'turn-started', turn, body: third },
    });
    await session.accept({ ...createWaitingStart('t2'), whenBusy: 'queue' });
    await session.accept({ ...createWaitingStart('t3'), whenBusy: 'steer' });
    await session.accept({ ...createWaitingStart('t4'), delayMs: 3_600_000 });
    const snapshot = { seq: 3, reducer: 1, body };
    const bytes = new Uint8Array(LONG);
    await session.append(1, 3, {
      events: [{ type: 'step', turn: 't1', body }],
      blobs: [{ id: 'a', about: '{}', size: LONG, bytes }],
      snapshot,
      release: 'yielded',
    });
    const longest = await runInDurableObject(stub(), (_, { storage: { sql } }) => {
      const tables = ['events', 'chunks', 'inbox', 'requests', 'lease', 'agenda', 'blobs'];
      const columns = tables.flatMap((table) =>
        sql.exec(`SELECT * FROM ${table} LIMIT 0`).columnNames.map((name) => ({ table, name })),
      );
      const lengths = columns.map(({ table, name }) =>
        sql
          .exec<{ longest: number }>(
            `SELECT coalesce(max(length(CAST(${name} AS BLOB))), 0) AS longest FROM ${table}`,
          )
          .one(),
      );
      return Math.max(...lengths.map((row) => row.longest));
    });
    expect(longest).toBe(1024 * 1024);
    const leased = await acquireLease(session, createResumeRequest('t1', 'b'));
    expect(leased.snapshot?.body === body).toBe(true);
    expect((await session.read({ from: 3 }))?.rows[0]?.body === body).toBe(true);
    const [steer] = leased.inbox;
    expect([steer?.kind, steer?.body === third]).toEqual(['steer', true]);
  });

  it('splits a snapshot into as many parts as it needs, and returns it only to the reducer that made it', async () => {
    const { session, restart } = makeObjectHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    const snapshot = { seq: 3, reducer: 2, body: JSON.stringify('x'.repeat(LONG)) };
    await session.append(1, 3, { events: [createEventRow('t1', 's3')], snapshot, release: 'yielded' });
    await restart();
    const readers = [1, 2, 3].map((reducer) => ({ ...READER, reducer }));
    const found: unknown[] = [];
    for (const reader of readers) {
      const leased = await acquireLease(session, {
        ...createResumeRequest('t1', `reads as ${reader.reducer}`),
        reader,
      });
      found.push(leased.snapshot && leased.snapshot.body === snapshot.body);
      await session.append(leased.epoch, leased.page.head + 1, { events: [], release: 'yielded' });
    }
    expect(found).toEqual([null, true, null]);
  });

  it('removes a long message that has left the queue', async () => {
    const { session, stub } = makeObjectHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    const started = createEventRow('t2', 'x'.repeat(100_000), 'turn-started');
    await session.accept({ ...createTurnStart('t2'), started, whenBusy: 'steer' });
    await session.append(1, 3, { events: [createEventRow('t1', 'steered')], inboxRead: [1] });
    const left = await runInDurableObject(stub(), (_, { storage: { sql } }) =>
      ['chunks', 'inbox'].map((table) => sql.exec(`SELECT * FROM ${table}`).toArray()),
    );
    expect(left).toEqual([[], []]);
  });

  it('reads no blob bytes when it grants a lease or lists blobs', async () => {
    const { session, stub } = makeObjectHarness();
    const bytes = new Uint8Array(3 * 1024 * 1024);
    const blob = { id: 'a', about: '{}', size: bytes.length, bytes };
    const { epoch } = await acquireLease(session, {
      ...createBeginRequest('t1', 'a'),
      start: { ...createTurnStart('t1'), blobs: [blob] },
    });
    await session.append(epoch, 3, { events: [], release: 'yielded' });
    const asked = await runInDurableObject(stub(), (object, { storage }) => {
      const exec = vi.spyOn(storage.sql, 'exec');
      object.resume(createResumeRequest('t1', 'b'));
      object.blob({ id: blob.id, from: blob.size });
      object.accept({ ...createTurnStart('t2'), whenBusy: 'queue', blobs: [blob] });
      const statements = exec.mock.calls.map(([sql]) => sql);
      exec.mockRestore();
      return statements;
    });
    expect(asked.filter((sql) => sql.includes(' blobs')).length).toBeGreaterThan(2);
    expect(asked.filter((sql) => sql.includes('chunks') && !sql.includes('snapshot'))).toEqual([]);
  });

  it('stores a blob once, in separate parts, and reads only the requested parts', async () => {
    const { session, stub } = makeObjectHarness();
    const MIB = 1024 * 1024;
    const bytes = new Uint8Array(3 * MIB + 1);
    const blob = { id: 'a', about: '{}', size: bytes.length, bytes };
    const start = { ...createTurnStart('t1'), blobs: [blob, blob] };
    const { epoch } = await acquireLease(session, { ...createBeginRequest('t1', 'a'), start });
    await session.append(epoch, 3, { events: [createEventRow('t1', 'x')], blobs: [blob] });
    const listParts = (owner: string) =>
      runInDurableObject(stub(), (_, { storage: { sql } }) =>
        sql.exec('SELECT length(body) AS bytes FROM chunks WHERE owner = ? ORDER BY part', owner).toArray(),
      );
    expect((await listParts('blob')).map((row) => row.bytes)).toEqual([MIB, MIB, MIB, 1]);
    const read = await runInDurableObject(stub(), (object, { storage }) => {
      const exec = vi.spyOn(storage.sql, 'exec');
      object.blob({ id: blob.id, from: MIB + 5, length: MIB - 5 });
      const rows = exec.mock.results.map(({ value }) => value.rowsRead);
      exec.mockRestore();
      return rows.at(-1);
    });
    expect(read).toBe(2); // one in the index, one in the table
  });

  it('writes one row for an append that has no result, and runs no query', async () => {
    const { session, stub } = makeObjectHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    for (let i = 0; i < 9; i += 1) await session.accept({ ...createTurnStart(`w${i}`), whenBusy: 'queue' });
    await session.renew(1);
    const written = await runInDurableObject(stub(), (object, { storage }) => {
      const epoch = getEpoch(storage);
      const exec = vi.spyOn(storage.sql, 'exec');
      const events = [createEventRow('t1', 'x'), createEventRow('t1', 'y'), createEventRow('t1', 'z')];
      object.append(epoch, 3, { events, progress: true });
      const cursors = exec.mock.results.map((result) => result.value);
      exec.mockRestore();
      return [cursors.length, cursors.reduce((sum, cursor) => sum + cursor.rowsWritten, 0)];
    });
    expect(written).toEqual([1, 1]);
  });

  it('has a row for each start of a turn, for each long body, and for at most 64 KiB of other events', async () => {
    const { session, stub } = makeObjectHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    const half = createEventRow('t1', 'x'.repeat(32 * 1024 - 2)); // plus two quotes
    const long = createEventRow('t1', 'é'.repeat(32 * 1024), 'long');
    await session.append(1, 3, {
      events: [half, half, createEventRow('t1', 'y'), long, half, createEventRow('t1', 'z')],
    });
    await session.append(1, 9, { events: [createEventRow('t1', 'é')], release: 'ended' });
    await session.begin(createBeginRequest('t2', 'b'));
    const rows = await runInDurableObject(stub(), (_, { storage: { sql } }) =>
      [
        ...sql
          .exec('SELECT seq, type, bytes, lengths, octet_length(body) AS kept FROM events ORDER BY seq')
          .raw(),
      ].map((columns) => columns.join(' | ')),
    );
    expect(rows).toEqual([
      '1 | session-opened | 16 |  | 16',
      '2 | turn-started | 13 |  | 13',
      '4 | step step | 65536 | 32768 32768 | 65536',
      '5 | step | 3 |  | 3',
      '6 | long | 65538 |  | ',
      '8 | step step | 32771 | 32768 3 | 32771',
      '9 | step | 4 |  | 4',
      '10 | turn-started | 13 |  | 13',
    ]);
    expect((await session.read({ from: 3 }))?.rows.map(({ seq, type, body }) => [seq, type, body])).toEqual([
      [3, 'step', half.body],
      [4, 'step', half.body],
      [5, 'step', '"y"'],
      [6, 'long', long.body],
      [7, 'step', half.body],
      [8, 'step', '"z"'],
      [9, 'step', '"é"'],
      [10, 'turn-started', '"start of t2"'],
    ]);
  });

  it('writes one row for a renewal', async () => {
    const { session, stub } = makeObjectHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    const written = await runInDurableObject(stub(), (object, { storage }) => {
      const epoch = getEpoch(storage);
      const exec = vi.spyOn(storage.sql, 'exec');
      object.renew(epoch);
      const rows = exec.mock.results.map(({ value }) => value.rowsWritten);
      exec.mockRestore();
      return rows.filter((count) => count > 0);
    });
    expect(written).toEqual([1]);
  });

  it('writes no row for alarms that find the holder alive, and each alarm sets the next one', async () => {
    const harness = makeObjectHarness();
    const { session, stub, leaseMs } = harness;
    await session.begin(createBeginRequest('t1', 'a'));
    const exec = await runInDurableObject(stub(), (_, { storage }) => vi.spyOn(storage.sql, 'exec'));
    const computeDueIn = async (): Promise<number> =>
      runInDurableObject(stub(), async (_, { storage }) => Number(await storage.getAlarm()) - harness.now());
    for (const ms of [0, leaseMs / 2, leaseMs / 2]) {
      await harness.wait(ms);
      await session.renew(1);
    }
    expect(await computeDueIn()).toBe(leaseMs / 2); // after the second-to-last renewal
    const rows = exec.mock.results.map(({ value }) => value.rowsWritten).filter((count) => count > 0);
    exec.mockRestore();
    expect(rows).toEqual([1, 1, 1]); // one for each renewal
  });
});

describe('a read of a turn, and the line of a reader', () => {
  /** Counts the object's writes and alarm changes during `times` reads. */
  const measureCost = ({ stub }: ObjectHarness, times: number) =>
    runInDurableObject(stub(), async (object, { storage }) => {
      const exec = vi.spyOn(storage.sql, 'exec');
      const setAlarm = vi.spyOn(storage, 'setAlarm');
      for (let i = 0; i < times; i += 1) object.read({ from: 1, turn: 't1' });
      object.fetch(new Request('https://session/', { headers: { upgrade: 'websocket' } }));
      const rows = exec.mock.results.map(({ value }) => value.rowsWritten);
      const alarms = setAlarm.mock.calls.length;
      exec.mockRestore();
      setAlarm.mockRestore();
      return { rows: rows.reduce((sum, count) => sum + count, 0), alarms };
    });

  it('store no rows while a holder is alive, or in the second in which its alarm is due', async () => {
    const harness = makeObjectHarness();
    await harness.session.begin(createBeginRequest('t1', 'a'));
    expect(await measureCost(harness, 5)).toEqual({ rows: 0, alarms: 0 });
    await harness.loseAlarm();
    await harness.wait(harness.leaseMs + 999);
    expect(await measureCost(harness, 5)).toEqual({ rows: 0, alarms: 0 });
  });

  it('set a lost alarm once, and again after a second', async () => {
    const harness = makeObjectHarness();
    await harness.session.begin(createBeginRequest('t1', 'a'));
    await harness.loseAlarm();
    await harness.wait(harness.leaseMs + 1_000);
    expect(await measureCost(harness, 5)).toEqual({ rows: 0, alarms: 1 });
    await harness.loseAlarm();
    await harness.wait(1_000);
    expect(await measureCost(harness, 5)).toEqual({ rows: 0, alarms: 1 });
    await harness.wait(0);
    expect(harness.handOvers()).toEqual(['t1']);
  });

  it('replace an overdue alarm that the platform still reports', async () => {
    const harness = makeObjectHarness();
    await harness.session.begin(createBeginRequest('t1', 'a'));
    const past = harness.now() + harness.leaseMs;
    await runInDurableObject(harness.stub(), (_, { storage }) => storage.setAlarm(past));
    await runInDurableObject(harness.stub(), async (object, { storage }) => {
      setTime(harness.name, () => past + 5_000);
      object.read({ from: 1, turn: 't1' });
      expect(await storage.getAlarm()).toBe(past + 5_000);
    });
  });
});

describe('the agenda of a session object', () => {
  it.each([
    ['has no such method', { run: async () => {} }, ', and is offered again: TypeError: '],
    [
      'refuses',
      { due: () => Promise.reject(new Error('no memory')) },
      ', and is offered again: Error: no memory',
    ],
    ['is missing', undefined, ': the Worker exports no `TurnRunner`'],
  ])('offers a row again if the runner %s, and logs the failure in one line', async (_, runner, why) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { session, stub, wait, agenda } = makeObjectHarness();
    const { epoch } = await acquireLease(session, createBeginRequest('t1', 'a'));
    const rows = [{ module: 'mail', key: 'alerts', ref: 't1' }];
    await session.append(epoch, 3, { events: [createEventRow('t1', 'x')], release: 'ended', agenda: rows });
    let own: unknown;
    await runInDurableObject(stub(), (_object, ctx) => {
      own = ctx.exports;
      Object.defineProperty(ctx, 'exports', { value: { TurnRunner: runner }, configurable: true });
    });
    await wait(0);
    await vi.waitFor(() => expect(log).toHaveBeenCalledOnce(), PATIENT_OPTIONS);
    expect(log.mock.calls).toEqual([
      [expect.stringMatching(/"message":"row t1 of module mail alerts in session \[.*\] is not done/)],
    ]);
    expect(log.mock.calls).toEqual([[expect.stringContaining(why)]]);
    await runInDurableObject(stub(), (_object, ctx) => {
      Object.defineProperty(ctx, 'exports', { value: own, configurable: true });
    });
    await wait(60_000);
    expect(agenda.offered()).toEqual(['mail alerts t1 #2']);
    log.mockRestore();
  });
});

describe('the external files of a session object', () => {
  const rejectUnavailable = () => Promise.reject(new Error('The external store is unavailable.'));

  it.each([
    ['has no such method', { run: async () => {} }, ', and is offered again: TypeError: '],
    [
      'refuses',
      { due: rejectUnavailable },
      ', and is offered again: Error: The external store is unavailable.',
    ],
    ['is missing', undefined, ': the Worker exports no `TurnRunner`'],
  ])('are requested again if the runner %s, which is logged in one line', async (_, runner, why) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { session, stub, store, wait, leaseMs, name } = makeObjectHarness();
    await session.accept(startInStore('t1', 'one'));
    await session.erase();
    let own: unknown;
    await runInDurableObject(stub(), (_object, ctx) => {
      own = ctx.exports;
      Object.defineProperty(ctx, 'exports', { value: { TurnRunner: runner }, configurable: true });
    });
    await wait(leaseMs * 1.3);
    await vi.waitFor(() => expect(log).toHaveBeenCalledOnce(), PATIENT_OPTIONS);
    const what = `row one of module store own in session ${name} is not done${why}`;
    expect(log.mock.calls.map(([line]) => JSON.parse(line).message)).toEqual([expect.stringContaining(what)]);
    expect(await session.read({ from: 1 })).toBeNull();
    await runInDurableObject(stub(), (_object, ctx) => {
      Object.defineProperty(ctx, 'exports', { value: own, configurable: true });
    });
    await wait(60_000);
    expect(store.asked()).toEqual(['one #2']);
    log.mockRestore();
  });
});

describe('the alarm of a session object', () => {
  it.each(['ended', 'suspended'] as const)('is not set after its turn is %s', async (release) => {
    const { session, stub } = makeObjectHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    expect(await runInDurableObject(stub(), (_, { storage }) => storage.getAlarm())).not.toBeNull();
    await session.append(1, 3, { events: [createEventRow('t1', 'x')], release });
    expect(await runInDurableObject(stub(), (_, { storage }) => storage.getAlarm())).toBeNull();
  });

  it('logs the refusal of a runner in one line, and retries', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const harness = makeObjectHarness();
    await harness.session.accept(createTurnStart('refused-1'));
    await waitForHandOvers(harness, 2);
    expect(log).toHaveBeenCalledWith(
      JSON.stringify({
        level: 'error',
        event: 'other',
        message: 'turn refused-1 was not taken over: Error: The test runner refuses this call.',
      }),
    );
    log.mockRestore();
  });

  it('does not throw if its storage fails, and fires again', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { session, stub, now, leaseMs, restart } = makeObjectHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    await restart();
    const next = await runInDurableObject(stub(), async (object, { storage }) => {
      storage.sql.exec('ALTER TABLE agenda RENAME TO agenda_gone');
      await storage.deleteAlarm();
      object.alarm();
      storage.sql.exec('ALTER TABLE agenda_gone RENAME TO agenda');
      return storage.getAlarm();
    });
    expect(next).toBe(now() + leaseMs);
    expect(log).toHaveBeenCalledWith(expect.stringContaining('no such table: agenda'));
    log.mockRestore();
  });
});

describe('the alarm of a session object, in real time', () => {
  it('hands over a turn whose holder stopped responding, and repeats that until another holder accepts it', async () => {
    const { session, handOvers } = makeRealObjectHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    await vi.waitFor(() => expect(handOvers().slice(0, 2)).toEqual(['t1', 't1']), PATIENT_OPTIONS);
    expect(await acquireLease(session, createResumeRequest('t1', 'b'))).toMatchObject({
      cause: 'expired',
      expirations: 1,
    });
  });

  it('has the name of the session when it starts an evicted object', async () => {
    const { name, session, stub, handOvers } = makeRealObjectHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    await evictDurableObject(stub());
    await vi.waitFor(() => expect(handOvers()[0]).toBe('t1'), PATIENT_OPTIONS);
    expect(await acquireLease(session, createResumeRequest('t1', 'b'))).toMatchObject({ name });
  });
});

describe('a session object that is reset', () => {
  const change: AppendData = {
    events: [createEventRow('t1', 'x'), createEventRow('t1', 'y')],
    release: 'ended',
  };
  const complete = [{ opening: true }, 'start of t1', 'x', 'y'];

  it('stores and sends no events if it is reset before the commit, and then accepts them', async () => {
    const { session, stub } = makeObjectHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    const told: (number | 'closed')[] = [];
    await session.watch({ onNotice: ({ head }) => told.push(head), onClosed: () => told.push('closed') });
    const broken = runInDurableObject(stub(), (object, state) => {
      object.append(getEpoch(state.storage), 3, change);
      state.abort('broken before the commit');
    });
    await expect(broken).rejects.toThrow();
    expect(await session.read({ from: 1 })).toMatchObject({
      head: 2,
      openTurn: { id: 't1', state: 'running' },
    });
    await vi.waitFor(() => expect(told).toEqual([2, 'closed']), 20_000);
    expect(await session.append(1, 3, change)).toMatchObject({ status: 'appended', head: 4 });
    expect(await readBodies(session)).toEqual(complete);
  });

  it('acknowledges events again if the acknowledgement was lost after the commit', async () => {
    const { session, stub } = makeObjectHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    const broken = runInDurableObject(stub(), async (object, state) => {
      object.append(getEpoch(state.storage), 3, change);
      await state.storage.sync();
      state.abort('broken after the commit');
    });
    await expect(broken).rejects.toThrow();
    const page = await session.read({ from: 3 });
    expect(page).toMatchObject({ head: 4, openTurn: null });
    const again = { status: 'appended', head: 4, at: page?.rows[0]?.at, inbox: [] };
    expect(await session.append(1, 3, change)).toEqual(again);
    expect(await readBodies(session)).toEqual(complete);
  });

  it.each([0, 1, 2, 3])(
    'has every event once if the reset hits appends in flight: %i of four are acknowledged',
    async (answered) => {
      const harnesses = [1, 2, 3, 4].map(() => makeObjectHarness());
      await Promise.all(harnesses.map(({ session }) => session.begin(createBeginRequest('t1', 'a'))));
      const appends = harnesses.map(({ session }) => session.append(1, 3, change));
      await Promise.all(appends.slice(0, answered));
      await abortAllDurableObjects();
      for (const [i, { session }] of harnesses.entries()) {
        expect(await appends[i]).toMatchObject({ status: 'appended', head: 4 });
        expect(await readBodies(session)).toEqual(complete);
      }
    },
  );

  it('returns one response to a begin and one to an accept that were in flight', async () => {
    const first = makeObjectHarness();
    const begun = first.session.begin(createBeginRequest('t1', 'a', createRequestKey('k')));
    const second = makeObjectHarness();
    const accepted = second.session.accept(createTurnStart('t1', createRequestKey('k')));
    await abortAllDurableObjects();
    expect(await begun).toMatchObject({ status: 'leased', epoch: 1, cause: 'started' });
    expect(await accepted).toEqual({ status: 'accepted', turn: 't1' });
    expect(await first.session.read({ from: 1 })).toMatchObject({ head: 2 });
    expect(await second.session.read({ from: 1 })).toMatchObject({ head: 2 });
  });

  it('keeps the lease', async () => {
    const { session } = makeObjectHarness();
    await session.begin(createBeginRequest('t1', 'a'));
    await abortAllDurableObjects();
    expect(await session.renew(1)).toEqual({ status: 'renewed', inbox: [] });
    expect(await session.resume(createResumeRequest('t1', 'b'))).toMatchObject({ status: 'busy' });
  });

  it('continues after a failed transaction, even after the one that created its tables', async () => {
    const { session, stub } = makeObjectHarness();
    await runInDurableObject(stub(), (object, { storage }) => {
      const setAlarm = vi.spyOn(storage, 'setAlarm').mockImplementationOnce(() => {
        throw new Error('disk full');
      });
      expect(() => object.begin(createBeginRequest('t1', 'a'))).toThrow('disk full');
      setAlarm.mockRestore();
      expect(object.read({ from: 1 })).toBeNull();
    });
    expect(await session.begin(createBeginRequest('t1', 'a'))).toMatchObject({ status: 'leased', epoch: 1 });
    expect(await readBodies(session)).toEqual([{ opening: true }, 'start of t1']);
  });

  it('creates its tables again if the commit that created them was lost', async () => {
    const harness = makeObjectHarness();
    const broken = runInDurableObject(harness.stub(), (object, state) => {
      object.begin(createBeginRequest('t1', 'a'));
      state.abort('broken before the commit');
    });
    await expect(broken).rejects.toThrow();
    expect(await listTables(harness)).toEqual([]);
    expect(await harness.session.begin(createBeginRequest('t1', 'a'))).toMatchObject({
      status: 'leased',
      epoch: 1,
    });
  });

  it('closes the lines of its watchers', async () => {
    const { session } = makeObjectHarness();
    const onClosed = vi.fn();
    await session.watch({ onNotice: () => {}, onClosed });
    await abortAllDurableObjects();
    await vi.waitFor(() => expect(onClosed).toHaveBeenCalledOnce(), 20_000);
  });
});

describe('a session object that is evicted', () => {
  it('continues to notify its watchers', async () => {
    const { session, stub } = makeObjectHarness();
    const heads: number[] = [];
    const onClosed = vi.fn();
    const line = await session.watch({ onNotice: ({ head }) => heads.push(head), onClosed });
    await session.begin(createBeginRequest('t1', 'a'));
    await evictDurableObject(stub());
    await session.append(1, 3, { events: [createEventRow('t1', 'x')] });
    await vi.waitFor(() => expect(heads).toEqual([0, 2, 3]), 20_000);
    expect(onClosed).not.toHaveBeenCalled();
    line.close();
  });
});

describe('fetch', () => {
  it('returns 426 for requests other than WebSocket upgrades', async () => {
    const { stub } = makeObjectHarness();
    const response = await stub().fetch('https://session/');
    expect(response.status).toBe(426);
    expect(await response.text()).toBe('Watching a session requires a WebSocket.\n');
  });
});
