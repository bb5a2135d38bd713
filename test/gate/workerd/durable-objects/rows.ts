import { runInDurableObject } from 'cloudflare:test';
import { vi } from 'vitest';
import type { SessionObject } from '../../../doors/durable-objects.ts';

/** The rows that an object's database has read and written. */
export interface RowCounts {
  readonly read: number;
  readonly written: number;
}

/** Returns an object's database operations during `work`, as the platform counts and bills them. */
export async function countRows(
  stub: DurableObjectStub<SessionObject>,
  work: () => Promise<unknown>,
): Promise<RowCounts> {
  const exec = await runInDurableObject(stub, (_, { storage }) => vi.spyOn(storage.sql, 'exec'));
  await work();
  return runInDurableObject(stub, () => {
    const cursors = exec.mock.results.map((result) => result.value as SqlStorageCursor<never>); // the results of `exec`
    exec.mockRestore();
    return {
      read: cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0),
      written: cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0),
    };
  });
}
