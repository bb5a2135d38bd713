import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { SessionObject } from '../../../doors/durable-objects.ts';
import {
  createBeginRequest,
  createEventRow,
  createTurnStart,
} from '../../../fixtures/session-contract/harness.ts';
import { makeObjectHarness } from './object-harness.ts';

const MIB = 1024 * 1024;

it('a session object accepts only the end of its turn once its database is within 16 MiB of the limit in a var', async () => {
  const { stub } = makeObjectHarness();
  await runInDurableObject(stub(), (_, ctx) => {
    const object = new SessionObject(ctx, { ...env, SESSION_BYTES: String(17 * MIB) });
    const leased = object.begin(createBeginRequest('t1', 'a'));
    if (leased.status !== 'leased') throw new Error('The session granted no lease.');
    const { epoch } = leased;
    const createTextAppend = (seq: number) => ({
      events: [createEventRow('t1', `${seq} ${'x'.repeat(100_000)}`)],
    });
    let seq = 3;
    const appendText = () => object.append(epoch, seq, createTextAppend(seq));
    for (; appendText().status === 'appended'; seq += 1) expect(seq).toBeLessThan(20);
    expect(seq).toBeGreaterThan(6);
    const full = { status: 'session-full', most: MIB, used: ctx.storage.sql.databaseSize };
    expect(appendText()).toEqual(full);
    expect(object.keepCredential(epoch, 'k', 'x'.repeat(200_000))).toEqual(full);
    expect(object.keepCredential(epoch, 'k', null)).toEqual({ status: 'kept' });
    expect(object.accept({ ...createTurnStart('t2'), whenBusy: 'queue' })).toMatchObject({
      status: 'queued',
    });
    const long = {
      ...createTurnStart('t3'),
      started: createEventRow('t3', 'x'.repeat(100_000), 'turn-started'),
    };
    expect(object.accept({ ...long, whenBusy: 'queue' })).toMatchObject({
      ...full,
      used: expect.any(Number),
    });
    expect(object.append(epoch, seq, { ...createTextAppend(seq), release: 'ended' })).toMatchObject({
      status: 'appended',
    });
  });
});
