import type { LedgerScope } from './lease-term.ts';
import type { AgendaEntry } from './session-storage.ts';

/** The platform knows no alarm after the year 2189; one that is too early only looks again. In ms. */
const FARTHEST_ALARM = 365 * 24 * 60 * 60_000;

/** What this code does when it is due; a record, so that the compiler asks for each. */
const KNOWN: Readonly<Record<AgendaEntry['kind'], true>> = {
  turn: true,
  expiry: true,
  start: true,
  retention: true,
};

/** Sets the alarm to whatever is due first. What only a newer version does is left to it: the alarm would go off for ever. */
export function arm({ storage, now }: LedgerScope): void {
  const due = storage.agenda().find(({ kind }) => Object.hasOwn(KNOWN, kind))?.due;
  storage.arm(due === undefined ? null : Math.min(due, now() + FARTHEST_ALARM));
}

/** The turn needs a holder at `due`; now unless given. */
export function wake(scope: LedgerScope, turn: string, due = scope.now()): void {
  scope.storage.schedule({ kind: 'turn', ref: turn, due });
  arm(scope);
}

/** What the entries of this kind are for whose time has come. */
export const dueRefs = ({ storage, now }: LedgerScope, kind: AgendaEntry['kind']): string[] =>
  storage
    .agenda()
    .filter((entry) => entry.kind === kind && entry.due <= now())
    .map(({ ref }) => ref);

/** The turns that need a holder now. Each stays due again after a term, so that a lost hand-over is repeated. */
export const takeDueTurns = (scope: LedgerScope): string[] =>
  dueRefs(scope, 'turn').filter((turn) => {
    const next = nextLook(scope, turn);
    if (next === null) scope.storage.unschedule('turn', turn);
    else scope.storage.schedule({ kind: 'turn', ref: turn, due: next.at });
    return next?.isNeeded ?? false;
  });

/** When to look at a turn again, and whether it needs a holder now; `null` for one that needs none any more. */
function nextLook(
  { storage, term, now }: LedgerScope,
  turn: string,
): { readonly at: number; readonly isNeeded: boolean } | null {
  const lease = storage.lease();
  if (lease.turn !== turn || lease.state === 'suspended') return null;
  if (!term.isLive) return { at: now() + term.ms, isNeeded: true };
  term.note();
  return { at: term.deadline, isNeeded: false };
}

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
