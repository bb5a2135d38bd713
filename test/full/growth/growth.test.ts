import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import type { SessionObject } from '../../../durable-objects/index.ts';
import { type LeaseGrant, toSnapshot } from '../../doors/journal.ts';
import { BUILT_IN_KINDS } from '../../doors/kinds.ts';
import { foldAll, toReader } from '../../doors/session.ts';
import { makeObjectHarness, type ObjectHarness } from '../../gate/workerd/durable-objects/object-harness.ts';
import { beginTurn, createIteration, fillBlackboard, fillSession } from './fill-session.ts';

interface StatementCounts {
  readonly statements: number;
  readonly read: number;
  readonly written: number;
}

/** Counts the rows that the object reads and writes during a call. */
function countStatements(
  { stub }: ObjectHarness,
  call: (object: SessionObject) => void,
): Promise<StatementCounts> {
  return runInDurableObject(stub(), (object, { storage }) => {
    const exec = vi.spyOn(storage.sql, 'exec');
    call(object);
    const cursors = exec.mock.results.map((result) => result.value as SqlStorageCursor<never>); // `exec` returns cursors
    exec.mockRestore();
    return {
      statements: cursors.length,
      read: cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0),
      written: cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0),
    };
  });
}

async function fillHarness(messages: number): Promise<ObjectHarness> {
  const harness = makeObjectHarness();
  await fillSession(harness.raw, 'agent', messages);
  return harness;
}

describe('a long session', () => {
  it('has the same cost per append with 10, 100, 1,000 and 10,000 messages', async () => {
    const work: StatementCounts[] = [];
    for (const messages of [10, 100, 1_000, 10_000]) {
      const harness = await fillHarness(messages);
      const { leased } = await beginTurn(harness.raw, 'agent', 'next');
      const events = createIteration('next', leased.page.head);
      const change = { events, progress: true };
      work.push(
        await countStatements(harness, (object) => object.append(leased.epoch, leased.page.head + 1, change)),
      );
    }
    expect(work[0]).toMatchObject({ written: 1 });
    expect(work[0]?.statements).toBeLessThanOrEqual(2);
    expect(new Set(work.map((one) => JSON.stringify(one))).size).toBe(1);
  });

  it('is opened with one row per MiB of messages after the messages before its snapshot are joined', async () => {
    const whole: StatementCounts[] = [];
    const compacted: StatementCounts[] = [];
    for (const messages of [100, 1_000, 10_000]) {
      for (const [works, keptEvents] of [
        [whole, Infinity],
        [compacted, 9],
      ] as const) {
        const harness = await fillHarness(messages);
        const { epoch, page } = (await beginTurn(harness.raw, 'agent', 'snapshot')).leased;
        const messagesFrom = Math.max(1, page.head - keptEvents);
        const snapshot = { seq: page.head, reducer: toReader().reducer, body: '{}', messagesFrom };
        await harness.raw.append(epoch, page.head + 1, { events: [], snapshot, release: 'ended' });
        const { request } = await beginTurn(harness.raw, 'agent', 'measured');
        let again: LeaseGrant | undefined;
        const begin = (object: SessionObject): void => {
          const reader = { ...toReader(), maxBytes: 16 * 1024 * 1024 };
          again = object.begin({ ...request, reader }) as LeaseGrant;
        };
        await countStatements(harness, begin);
        const work = await countStatements(harness, begin);
        works.push(work);
        const bodies = again?.covered.flatMap((text) => JSON.parse(text) as unknown[]) ?? [];
        expect(bodies).toHaveLength(keptEvents === Infinity ? messages + 1 : 7);
      }
    }
    expect(new Set(whole.map(({ statements }) => statements)).size).toBe(1);
    // A repeated request for the lease renews it, which writes one row.
    expect(new Set(whole.map(({ written }) => written))).toEqual(new Set([1]));
    const [small = 0, ...longer] = whole.map(({ read }) => read);
    for (const read of longer) expect(read - small).toBeLessThan(8);
    expect(new Set(compacted.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(compacted[0]?.read).toBeLessThan(100);
  }, 60_000);

  it('folds all blackboard entries, of which a snapshot stores up to 4 MiB', async () => {
    const { raw } = makeObjectHarness();
    await fillBlackboard(raw, 'agent', 10_000);
    const folded = await foldAll(raw, BUILT_IN_KINDS.memories);
    expect(folded?.state.blackboard).toHaveLength(10_000);
    expect(folded?.state.blackboard.at(-1)).toMatchObject({ name: 'e9999' });
    expect(toSnapshot(folded?.state as never).length).toBeLessThan(4 * 1024 * 1024);
  });
});
