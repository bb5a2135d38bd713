import { describe, expect, it, vi } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { readMaxBytes, SessionLedger } from '../../../doors/ledger.ts';
import { foldStoppedTurn } from '../../../doors/session.ts';
import { MemoryStorage } from '../../../doors/testing.ts';
import {
  createBeginRequest,
  createEventRow,
  createTurnStart,
} from '../../../fixtures/session-contract/harness.ts';
import { advanceUntilSettled } from './former-holder.ts';
import { createClockedApp } from './memory-app.ts';

/** A session is full at 16 MiB below the maximum size of its database. */
const MAX_BYTES = 100_000;
const mostBytes = 16 * 1024 * 1024 + MAX_BYTES;

const fetches = defineTool({
  name: 'fetch',
  description: 'Fetches.',
  effect: 'read',
  run: () => 'x'.repeat(400_000),
});
const FETCH_REPLY = { calls: [{ name: 'fetch' }] };

const describeFullSession = (used: number): string =>
  `The session is full: it uses ${used} bytes, and the limit is ${MAX_BYTES}. Start a new session, or erase this one.`;

describe('a session whose database is nearly full', () => {
  it('ends the turn that would exceed the limit, and the error names the remedy', async () => {
    const app = createClockedApp({ tools: [fetches], replies: [FETCH_REPLY, 'Never.'], mostBytes });
    const leased = await app.lease('Go.');
    const turn = leased.page.openTurn?.id ?? '';
    expect(await advanceUntilSettled(app.clock, app.run(leased))).toMatchObject({ status: 'lost' });
    const events = await app.events(turn);
    expect(events.map(({ type }) => type)).toEqual(['turn-started', 'turn-ended']);
    const { error } = foldStoppedTurn('s', 'a', events);
    expect(error).toEqual({
      type: 'session-full',
      message: describeFullSession(Number(/\d+/.exec(error?.message ?? ''))),
    });
    expect((await app.port.read({ from: 1 }))?.openTurn).toBe(null);
  });

  it('refuses new messages, but not retries of known ones, and can still be read and erased', async () => {
    const app = createClockedApp({ replies: ['One.'], mostBytes });
    await advanceUntilSettled(app.clock, app.say('Go.'));
    const long = {
      ...createTurnStart('t2'),
      started: createEventRow('t2', 'x'.repeat(MAX_BYTES), 'turn-started'),
    };
    const full = { status: 'session-full', most: MAX_BYTES, used: expect.any(Number) };
    expect(await app.port.accept(long)).toEqual(full);
    expect(await app.port.accept({ ...long, whenBusy: 'queue' })).toEqual(full);
    expect(await app.port.begin({ ...createBeginRequest('t2', 'n'), start: long })).toEqual(full);
    expect(await app.port.accept(createTurnStart('t3'))).toEqual({ status: 'accepted', turn: 't3' });
    expect(await app.port.accept(createTurnStart('t3'))).toEqual({ status: 'accepted', turn: 't3' });
    expect(await app.port.erase()).toBe(true);
  });

  it('refuses answers but accepts a cancel, which ends the turn', async () => {
    const gated = requireApproval(fetches, 'Fetch?');
    const app = createClockedApp({ tools: [gated], replies: [FETCH_REPLY], mostBytes });
    await advanceUntilSettled(app.clock, app.say('Go.'));
    const turn = (await app.port.read({ from: 1 }))?.openTurn?.id ?? '';
    const body = 'x'.repeat(MAX_BYTES);
    expect(await app.port.post({ kind: 'answer', turn, body })).toBe('session-full');
    expect(await app.port.post({ kind: 'late', turn, body })).toBe('session-full');
    expect(await app.port.post({ kind: 'cancel', turn, body: '{}' })).toBe('posted');
    expect(await advanceUntilSettled(app.clock, app.run(await app.resume(turn)))).toMatchObject({
      turn: { outcome: 'cancelled' },
    });
  });

  it('stores the end of a turn but omits a snapshot that does not fit', async () => {
    const { port } = createClockedApp({ replies: [], mostBytes });
    const leased = await port.begin(createBeginRequest('t1', 'a'));
    if (leased.status !== 'leased') throw new Error('The session was not leased.');
    const snapshot = { seq: 3, reducer: 1, body: 'x'.repeat(MAX_BYTES) };
    const end = {
      events: [createEventRow('t1', 'y'.repeat(MAX_BYTES))],
      release: 'ended',
      snapshot,
    } as const;
    expect(await port.append(leased.epoch, 3, end)).toMatchObject({ status: 'appended', head: 3 });
    expect(await port.begin(createBeginRequest('t2', 'b'))).toMatchObject({ status: 'session-full' });
    const page = await port.read({ from: 1, folded: { reducer: 1, messageTypes: [] } });
    expect(page?.foldStart).toEqual({ snapshot: null, covered: [] });
  });

  it('accepts a cancel even if the session exceeds its limit', async () => {
    const { port } = createClockedApp({ replies: [], mostBytes });
    const leased = await port.begin(createBeginRequest('t1', 'a'));
    if (leased.status !== 'leased') throw new Error('The session was not leased.');
    await port.accept({ ...createTurnStart('t2'), whenBusy: 'queue' });
    await port.append(leased.epoch, 3, {
      events: [createEventRow('t1', 'y'.repeat(MAX_BYTES))],
      release: 'ended',
    });
    expect(await port.post({ kind: 'answer', turn: 't2', body: '{}' })).toBe('session-full');
    expect(await port.post({ kind: 'cancel', turn: 't2', body: '{}' })).toBe('posted');
  });

  it('refuses a message with blobs that do not fit, and accepts it without them', async () => {
    const { port } = createClockedApp({ replies: [], mostBytes });
    const bytes = new Uint8Array(MAX_BYTES);
    const blobs = [{ id: 'f', about: '{}', size: MAX_BYTES, bytes }];
    await port.begin(createBeginRequest('t1', 'a'));
    const start = { ...createTurnStart('t2'), whenBusy: 'queue' } as const;
    expect(await port.accept({ ...start, blobs })).toMatchObject({ status: 'session-full' });
    expect(await port.accept(start)).toMatchObject({ status: 'queued' });
  });
});

describe('a database that becomes full below the limit', () => {
  class FullStorage extends MemoryStorage {
    isFull = false;
    tries = 0;

    override addEvents(...events: Parameters<MemoryStorage['addEvents']>): void {
      this.tries += 1;
      if (this.isFull) throw new Error('database or disk is full: SQLITE_FULL');
      super.addEvents(...events);
    }
  }

  it('is reported as a full session and is not retried', () => {
    const storage = new FullStorage('s', () => {});
    const ledger = new SessionLedger(storage, {
      leaseMs: 20_000,
      now: () => 1,
      firstEpoch: () => 0,
    });
    const leased = ledger.begin(createBeginRequest('t1', 'a'));
    storage.isFull = true;
    storage.tries = 0;
    const full = expect.objectContaining({ status: 'session-full' });
    expect(leased).toMatchObject({ status: 'leased' });
    expect(ledger.append(1, 3, { events: [createEventRow('t1', 'x')] })).toEqual(full);
    expect(ledger.accept({ ...createTurnStart('t2'), delayMs: 5 })).toMatchObject({ status: 'scheduled' });
    expect(ledger.append(1, 3, { events: [createEventRow('t1', 'x')], release: 'ended' })).toEqual(full);
    expect(storage.tries).toBe(2);
  });

  it('is distinguished from other failures of the database', () => {
    const storage = new FullStorage('s', () => {});
    const options = { leaseMs: 20_000, now: () => 1, firstEpoch: () => 0 };
    const ledger = new SessionLedger(storage, options);
    ledger.begin(createBeginRequest('t1', 'a'));
    storage.addEvents = () => {
      throw new Error('disk I/O error: SQLITE_IOERR');
    };
    expect(() => ledger.append(1, 3, { events: [createEventRow('t1', 'x')] })).toThrow(
      'disk I/O error: SQLITE_IOERR',
    );
  });

  it('ends the invocation of its turn and logs that the turn cannot end', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    let appends = 0;
    const app = createClockedApp({
      replies: ['One.'],
      wrap: (port) => ({
        ...port,
        append: async () => {
          appends += 1;
          return { status: 'session-full', most: 7, used: 8 };
        },
      }),
    });
    const leased = await app.lease('Go.');
    expect(await advanceUntilSettled(app.clock, app.run(leased))).toMatchObject({ status: 'lost' });
    expect(appends).toBe(2);
    expect(log.mock.calls).toEqual([
      [`holdfast: turn ${leased.page.openTurn?.id} cannot end: its session is completely full`],
    ]);
    log.mockRestore();
  });
});

it.each([
  [{}, 10_000_000_000],
  [{ PLAN: 'paid' }, 10_000_000_000],
  [{ PLAN: 'free' }, 1_000_000_000],
  [{ PLAN: 'free', SESSION_BYTES: '5000000000' }, 5_000_000_000],
  [{ PLAN: 'free', SESSION_BYTES: '-5' }, 1_000_000_000],
  [{ SESSION_BYTES: '10GB' }, 10_000_000_000],
  [{ SESSION_BYTES: '16999999' }, 10_000_000_000],
])('the vars %o set the maximum database size of %d bytes', (vars, most) => {
  expect(readMaxBytes(vars)).toBe(most);
});
