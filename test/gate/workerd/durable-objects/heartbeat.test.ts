/**
 * The platform's responses to a holder's pings: whether they wake the object, and what it stores and
 * remembers.
 */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { countStarts } from '../../../fixtures/hand-overs.ts';
import {
  acquireLease,
  createBeginRequest,
  createEventRow,
  createResumeRequest,
} from '../../../fixtures/session-contract/harness.ts';
import { makeObjectHarness, type ObjectHarness } from './object-harness.ts';
import { countRows } from './rows.ts';

const PATIENT_OPTIONS = { timeout: 20_000 };

async function openLine({ session, settled }: ObjectHarness, holder: number) {
  const told = { notices: 0, held: 0, closed: 0 };
  const createCounter = (what: keyof typeof told) => (): void => {
    told[what] += 1;
  };
  const line = await session.watch({
    ...{
      onNotice: createCounter('notices'),
      onHeld: createCounter('held'),
      onClosed: createCounter('closed'),
    },
    holder,
  });
  await vi.waitFor(() => expect(told.notices).toBe(1), PATIENT_OPTIONS);
  const sendBeat = async (): Promise<void> => {
    const { held } = told;
    line.ping();
    await vi.waitFor(() => expect(told.held).toBe(held + 1), PATIENT_OPTIONS);
    await settled();
  };
  return { told, beat: sendBeat, line };
}

/** A session whose holder has a line. */
async function createScene() {
  const harness = makeObjectHarness();
  await harness.session.begin(createBeginRequest('t1', 'a'));
  return { harness, ...harness, ...(await openLine(harness, 1)) };
}

describe('a session object whose lease holder has a line', () => {
  it('writes one row for the line, and accesses no rows for pings', async () => {
    const harness = makeObjectHarness();
    await harness.session.begin(createBeginRequest('t1', 'a'));
    const opened = await countRows(harness.stub(), () => openLine(harness, 1));
    expect(opened.written).toBe(1);
    const { beat } = await openLine(harness, 1);
    expect(await countRows(harness.stub(), beat)).toEqual({ read: 0, written: 0 });
  });

  it('is not woken by pings while it hibernates, and reads their times when it wakes', async () => {
    const { name, stub, session, leaseMs, wait, beat, told } = await createScene();
    await wait(leaseMs * 0.6);
    await evictDurableObject(stub());
    const before = countStarts(name);
    await beat();
    expect(countStarts(name)).toBe(before);
    await wait(leaseMs * 0.9);
    expect(await session.resume(createResumeRequest('t1', 'b'))).toMatchObject({ status: 'busy' });
    expect(countStarts(name)).toBe(before + 1);
    await wait(leaseMs * 0.1);
    expect(await acquireLease(session, createResumeRequest('t1', 'c'))).toMatchObject({
      cause: 'expired',
      expiredFor: 0,
    });
    await vi.waitFor(() => expect(told.closed).toBe(1), PATIENT_OPTIONS);
  });

  it('takes the last ping into account if the line closes while it hibernates', async () => {
    const { stub, session, leaseMs, wait, settled, beat, line } = await createScene();
    await wait(leaseMs / 2);
    await evictDurableObject(stub());
    await beat();
    await wait(leaseMs / 2);
    line.close();
    await settled();
    await wait(leaseMs * 0.4);
    expect(await session.resume(createResumeRequest('t1', 'b'))).toMatchObject({ status: 'busy' });
    await wait(leaseMs * 0.1);
    expect(await acquireLease(session, createResumeRequest('t1', 'c'))).toMatchObject({
      cause: 'expired',
      expiredFor: 0,
    });
  });

  it('grants no lease for three terms after the last stored event if it is reset and has no record of a ping', async () => {
    const { harness, stub, session, leaseMs, wait, told, beat } = await createScene();
    await wait(leaseMs / 2);
    await session.append(1, 3, { events: [createEventRow('t1', 'x')] });
    await wait(leaseMs * 0.9);
    await beat();
    const broken = runInDurableObject(stub(), (_, state) => state.abort('reset'));
    await expect(broken).rejects.toThrow();
    await vi.waitFor(() => expect(told.closed).toBe(1), PATIENT_OPTIONS);
    await wait(leaseMs * 2);
    expect(await session.resume(createResumeRequest('t1', 'b'))).toMatchObject({ status: 'busy' });
    // A live holder receives responses again as soon as it has a new line.
    const again = await openLine(harness, 1);
    await again.beat();
    await wait(leaseMs * 0.9);
    expect(await session.resume(createResumeRequest('t1', 'c'))).toMatchObject({ status: 'busy' });
    await wait(leaseMs * 0.1);
    expect(await acquireLease(session, createResumeRequest('t1', 'd'))).toMatchObject({ cause: 'expired' });
  });

  it('waits three terms after a reset if the holder does not reconnect, and then hands the turn over', async () => {
    const { stub, session, handOvers, leaseMs, wait, beat } = await createScene();
    await beat();
    const broken = runInDurableObject(stub(), (_, state) => state.abort('reset'));
    await expect(broken).rejects.toThrow();
    await wait(leaseMs * 3 - 20);
    expect(handOvers()).toEqual([]);
    expect(await session.resume(createResumeRequest('t1', 'b'))).toMatchObject({ status: 'busy' });
    await wait(40);
    expect(handOvers()).toEqual(['t1']);
  });
});
