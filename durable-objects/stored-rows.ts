import type { NewRow } from '../src/journal/session-port.ts';
import type { SessionStorage, StoredRow } from './session-storage.ts';

/** Rows as they are kept: at `from`, `from + 1`, ... */
export function toStoredRows(
  rows: readonly NewRow[],
  { epoch, from, at }: { readonly epoch: number; readonly from: number; readonly at: number },
): StoredRow[] {
  return rows.map(({ type, turn, body }, i) => {
    const bytes = new TextEncoder().encode(body).length;
    return { seq: from + i, epoch, at, type, turn, body, bytes };
  });
}

/** When exactly these events were stored under this epoch, however long ago; `null` if they were not. */
export function storedAt(
  storage: Pick<SessionStorage, 'head' | 'events'>,
  {
    epoch,
    from,
    events,
  }: { readonly epoch: number; readonly from: number; readonly events: readonly NewRow[] },
): number | null {
  if (from + events.length - 1 > storage.head()) return null;
  const found = [...storage.events({ from, limit: events.length })];
  const isSame = found.every((row, i) => row.epoch === epoch && row.type === events[i]?.type);
  return isSame ? (found[0]?.at ?? null) : null;
}
