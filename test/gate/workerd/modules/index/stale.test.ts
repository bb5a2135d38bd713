/** A session that reports to an index, and whose files are in a store. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { expect, it } from 'vitest';
import { ToolCallContext } from '../../../../../src/index.ts';
import { toTurnStart } from '../../../../doors/session.ts';
import { createTenant, listEntry } from './indexed.ts';

const FILES_REF = { module: 'files', key: '' };

it('an object erases its session from the index even if copies of removed files still wait for their store', async () => {
  const shop = createTenant();
  const stub = shop.stub('s1');
  const said = { agent: 'indexed', message: 'A file', context: ToolCallContext.of({}), from: { id: 'ann' } };
  const start = toTurnStart(said, () => crypto.randomUUID());
  const { incarnation } = JSON.parse(start.opening.body);
  const outside = { ...FILES_REF, incarnation, version: 0 };
  const index = { module: 'index', key: '' };
  const id = 'a'.repeat(64);
  await stub.accept({
    ...start,
    delayMs: 3_600_000,
    blobs: [{ id, about: '{}', size: 3, outside }],
    keepsOutside: [FILES_REF, index],
    agenda: [{ ...index, ref: start.turn }],
  });
  await shop.lists([listEntry('s1', 'idle', { turns: 0 })]);
  expect(await stub.removeBlob(id)).toMatchObject({ status: 'deleted' });
  await shop.wait('s1', 60_000);
  const readAgenda = () =>
    runInDurableObject(stub, (_, { storage }) =>
      storage.sql
        .exec<{ ref: string; due: number }>("SELECT ref, due FROM agenda WHERE kind = 'due' ORDER BY ref")
        .toArray()
        .map(({ ref, due }) => [JSON.parse(ref).module, due > 8e15]),
    );
  // The tests' Worker has no store.
  await expect.poll(readAgenda).toEqual([
    ['files', false],
    ['index', true],
  ]);
  await stub.erase();
  await shop.wait('s1', 120_000);
  await shop.lists([]);
  await expect.poll(readAgenda).toEqual([['files', false]]);
  await runDurableObjectAlarm(stub);
});
