import type { LedgerScope } from './ledger-scope.ts';
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
