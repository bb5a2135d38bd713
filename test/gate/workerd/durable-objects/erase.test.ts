import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { SessionLedger } from '../../../doors/ledger.ts';
import { MemoryStorage } from '../../../doors/testing.ts';
import {
  acquireLease,
  createBeginRequest,
  createEventRow,
  createRequestKey,
  createResumeRequest,
  createTurnStart,
  STORE,
  startInStore,
} from '../../../fixtures/session-contract/harness.ts';
import { makeObjectHarness, type ObjectHarness } from './object-harness.ts';

/**
 * A session with rows in every table, including event chunks, a snapshot, the inbox, a blob and a credential.
 */
async function fillSession(
  by = createTurnStart('t1', createRequestKey('k')),
): Promise<ObjectHarness & { readonly epoch: number }> {
  const harness = makeObjectHarness();
  const { session } = harness;
  const start = { ...by, retainMs: 60_000 };
  const { epoch } = await acquireLease(session, { ...createBeginRequest('t1', 'a'), start });
  const long = JSON.stringify('x'.repeat(2 * 1024 * 1024));
  const started = { type: 'turn-started', turn: 't2', body: long };
  await session.accept({ ...createTurnStart('t2'), started, whenBusy: 'queue' });
  await session.accept({ ...createTurnStart('t3'), delayMs: 60_000 });
  await session.append(epoch, 3, {
    events: [{ type: 'step', turn: 't1', body: long }],
    expiries: [{ wait: 't1.3.0#0', after: 60_000 }],
    blobs: [{ id: 'a', about: '{}', size: 3, bytes: new Uint8Array(3) }],
    snapshot: { seq: 3, reducer: 1, body: long },
  });
  await session.keepCredential(epoch, 'k', 'secret');
  return { ...harness, epoch };
}

/** Returns everything that is stored in the object. */
const readRemains = ({ stub }: ObjectHarness) =>
  runInDurableObject(stub(), async (_, { storage }) => ({
    tables: storage.sql.exec('SELECT name FROM sqlite_master').toArray(),
    alarm: await storage.getAlarm(),
    keys: [...(await storage.list()).keys()],
  }));

const EMPTY_STORAGE = { tables: [], alarm: null, keys: [] };

describe('a session object that is erased', () => {
  it('leaves no table, no key and no alarm', async () => {
    const harness = await fillSession();
    expect(await harness.session.erase()).toBe(true);
    expect(await readRemains(harness)).toEqual(EMPTY_STORAGE);
    await evictDurableObject(harness.stub());
    expect(await readRemains(harness)).toEqual(EMPTY_STORAGE);
  });

  it('leaves no data if it is reset right after it has responded', async () => {
    const harness = await fillSession();
    await harness.session.erase();
    await abortAllDurableObjects();
    expect(await readRemains(harness)).toEqual(EMPTY_STORAGE);
    expect(await harness.session.read({ from: 1 })).toBeNull();
  });

  it('is erased by a repeated request if it is reset during the first one', async () => {
    const harness = await fillSession();
    const erasing = harness.session.erase();
    await abortAllDurableObjects();
    // The first attempt may have erased the session.
    expect([true, false]).toContain(await erasing);
    expect(await readRemains(harness)).toEqual(EMPTY_STORAGE);
  });

  it('exists completely or not at all if a message arrives together with the request to erase it', async () => {
    const { session, epoch } = await fillSession();
    const [, begun, appended] = await Promise.all([
      session.erase(),
      session.begin(createBeginRequest('t4', 'd')),
      session.append(epoch, 4, { events: [createEventRow('t1', 'late')] }),
    ]);
    expect(appended).toEqual({ status: 'stale' });
    expect(begun).toMatchObject({ status: 'leased', page: { head: 2, waiting: [] } });
    expect(await session.read({ from: 1 })).toMatchObject({ head: 2, openTurn: { id: 't4' }, waiting: [] });
  });

  it('stays empty if an old alarm fires', async () => {
    const harness = await fillSession();
    await harness.session.erase();
    await runInDurableObject(harness.stub(), (object) => object.alarm());
    expect(await readRemains(harness)).toEqual(EMPTY_STORAGE);
  });

  it('is replaced by a new session in the same object, even after an eviction', async () => {
    const harness = await fillSession();
    const { session, stub, epoch } = harness;
    await session.erase();
    const fresh = await acquireLease(session, createBeginRequest('t9', 'z'));
    await evictDurableObject(stub());
    expect(await session.append(epoch, 3, { events: [createEventRow('t1', 'late')] })).toEqual({
      status: 'stale',
    });
    expect(await session.append(fresh.epoch, 3, { events: [createEventRow('t9', 'x')] })).toMatchObject({
      head: 3,
    });
    expect(await session.resume(createResumeRequest('t1', 'b'))).toEqual({ status: 'not-open' });
  });
});

describe('an erased session object with an external store', () => {
  const fillStore = () => fillSession(startInStore('t1', 'one'));
  /** Counts the rows of each non-empty table. */
  const countRows = ({ stub }: ObjectHarness) =>
    runInDurableObject(stub(), async (_, { storage }) => {
      const names = storage.sql
        .exec<{ name: string }>(
          `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'`,
        )
        .toArray();
      const rows = names.map(
        ({ name }) => [name, storage.sql.exec(`SELECT * FROM ${name}`).toArray()] as const,
      );
      const filledOnes = rows.filter(
        ([name, all]) => all.length > 0 && name !== 'schema' && name !== 'sqlite_sequence',
      );
      return { ...Object.fromEntries(filledOnes), alarm: await storage.getAlarm() };
    });

  it('keeps one row with its alarm, through an eviction, until the store has responded', async () => {
    const harness = await fillStore();
    const { session, stub, now, leaseMs, wait, store } = harness;
    await session.erase();
    const due = now() + leaseMs * 1.25;
    const lane = { ...STORE, outside: 'one', attempts: 0, misses: 0, refs: ['one'] };
    const kept = { agenda: [{ kind: 'due', ref: JSON.stringify(lane), due }], alarm: due };
    expect(await countRows(harness)).toEqual(kept);
    expect(await session.erase()).toBe(false);
    await evictDurableObject(stub());
    expect(await countRows(harness)).toEqual(kept);
    await wait(leaseMs * 2);
    expect(store.asked()).toEqual(['one #1']);
    expect(await readRemains(harness)).toEqual(EMPTY_STORAGE);
  });

  it('keeps the row with its alarm if it is reset right after it has responded', async () => {
    const harness = await fillStore();
    await harness.session.erase();
    await abortAllDurableObjects();
    expect(await countRows(harness)).toMatchObject({
      agenda: [{ kind: 'due', ref: expect.stringContaining('"outside":"one"') }],
    });
    expect(await harness.session.read({ from: 1 })).toBeNull();
  });

  it('reveals no credential, key, message or blob to the next session with its name', async () => {
    const { session } = await fillStore();
    await session.erase();
    const fresh = await acquireLease(session, createBeginRequest('t9', 'z', createRequestKey('k', 'other')));
    expect(fresh).toMatchObject({ inbox: [], page: { head: 2, waiting: [] } });
    expect(fresh).not.toHaveProperty('blobs');
    expect(await session.credential(fresh.epoch, 'k')).toEqual({ status: 'none' });
    expect(await session.blob({ id: 'a' })).toBeNull();
  });
});

describe('the epochs of a session', () => {
  /** Returns the result of an append by the erased session's holder to the next session of the same name. */
  function appendLate(firstEpochs: number[]): unknown {
    const storage = new MemoryStorage('s', () => {});
    const getFirstEpoch = (): number => firstEpochs.shift() ?? 0;
    const ledger = new SessionLedger(storage, {
      leaseMs: 1_000,
      now: () => 0,
      firstEpoch: getFirstEpoch,
    });
    const old = ledger.begin(createBeginRequest('t1', 'a'));
    ledger.erase();
    ledger.begin(createBeginRequest('t2', 'b'));
    if (old.status !== 'leased') throw new Error('The session granted no lease.');
    return ledger.append(old.epoch, 3, { events: [createEventRow('t1', 'late')] });
  }

  it('start at a random number, so that epochs of an erased session are not reused', () => {
    expect(appendLate([7, 7])).toMatchObject({ status: 'appended' });
    expect(appendLate([7, 1_000])).toEqual({ status: 'stale' });
  });

  it('differ from the epochs of the previous session in the real object', async () => {
    const { raw } = makeObjectHarness();
    const epochs = new Set<number>();
    for (let i = 0; i < 5; i += 1) {
      epochs.add((await acquireLease(raw, createBeginRequest('t1', `n${i}`))).epoch);
      await raw.erase();
    }
    expect(epochs.size).toBe(5);
  });
});
