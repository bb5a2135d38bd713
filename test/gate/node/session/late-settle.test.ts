import { expect, it } from 'vitest';
import { SessionLedger } from '../../../doors/ledger.ts';
import { MemoryStorage } from '../../../doors/testing.ts';
import { computeBlobId, createOutsideBlob } from '../../../fixtures/session-contract/blobs.ts';
import { createEventRow, READER, startInStore } from '../../../fixtures/session-contract/harness.ts';

const LEASE_MS = 3_000;
const LONGER_THAN_LEASE_MS = LEASE_MS * 1.25;

it('a late report of deleted files does not affect an erased session that still has to delete all its files', () => {
  let now = 1_000_000;
  const ledger = new SessionLedger(new MemoryStorage('s', () => {}), {
    leaseMs: LEASE_MS,
    now: () => now,
    firstEpoch: () => 0,
  });
  const offerRow = () => {
    now += LONGER_THAN_LEASE_MS;
    const [row, ...others] = ledger.alarm().rows;
    expect(others).toEqual([]);
    if (row === undefined) throw new Error('The alarm returned no row.');
    return row;
  };
  const start = { ...startInStore('t1', 'one'), blobs: [createOutsideBlob('a', 3, 'one')] };
  expect(ledger.begin({ start, nonce: 'a', reader: READER })).toMatchObject({ status: 'leased' });
  ledger.append(1, 3, { events: [createEventRow('t1', 'end')], release: 'ended' });
  ledger.removeBlob(computeBlobId('a'));
  const some = offerRow();
  expect(some.stale).toMatchObject({ copies: [{ id: computeBlobId('a') }] });
  ledger.erase();
  const all = offerRow();
  expect(all.stale).toMatchObject({ incarnation: 'one' });
  expect(all.stale).not.toHaveProperty('copies');
  ledger.settleRow(some, 'done');
  ledger.settleRow(all, { again: 60_000 });
  now += 60_000;
  expect(offerRow()).toMatchObject({ stale: { incarnation: 'one' } });
});
