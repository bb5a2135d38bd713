import { arm } from './agenda.ts';
import type { LedgerScope } from './ledger-scope.ts';

/** The session is erased when nothing has happened in it for so long, from now on. One entry: the last message says. */
export function retain(scope: LedgerScope, ms: number): void {
  const { storage, now } = scope;
  retainForEver(scope);
  storage.schedule({ kind: 'retention', ref: String(ms), due: now() + ms });
  arm(scope);
}

/** Whatever an earlier message said. */
export function retainForEver({ storage }: Pick<LedgerScope, 'storage'>): void {
  for (const { kind, ref } of storage.agenda()) {
    if (kind === 'retention') storage.unschedule(kind, ref);
  }
}

/** Something has happened: the time for which a session is kept begins anew, if it is bounded. */
export function retainAnew(scope: LedgerScope): void {
  const entry = scope.storage.agenda().find(({ kind }) => kind === 'retention');
  if (entry) retain(scope, Number(entry.ref));
}

/** Nothing has happened for as long as the session is to be kept, and nothing is about to. */
export function isOutdated({ storage, now }: LedgerScope): boolean {
  const entry = storage.agenda().find(({ kind }) => kind === 'retention');
  if (entry === undefined || entry.due > now()) return false;
  return storage.lease().turn === null && storage.waiting().length === 0;
}
