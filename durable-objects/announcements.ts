import type { Announced, Announcement } from '../src/journal/turn-runner.ts';
import { dueRefs, scheduleAlarm } from './alarms.ts';
import type { LedgerScope } from './session-storage.ts';

/** What an alarm has told; the session's name is not known here. */
export type DueAnnouncement = Omit<Announcement, 'name'>;

/** What one webhook is to be told of, in order. All of it is in the `ref` of one alarm, so that it is told one after another. */
interface Owed {
  readonly webhook: string;
  /** How often it was tried to tell of the first. */
  readonly attempts: number;
  /** The last events of the turns when they stopped. */
  readonly seqs: readonly number[];
}

/** A webhook that does not answer is owed no more than this: what is oldest is forgotten, but for what may be on its way. */
const MOST_OWED = 100;

const IS_OWED_TOO_MUCH = `is owed more than ${MOST_OWED} announcements of one session: the oldest are forgotten`;

/**
 * When nobody has answered, it is due again after so many ms, and each time after twice as many, up to an hour. No try may take as
 * long.
 */
const FIRST_PAUSE = 60_000;
const LONGEST_PAUSE = 60 * 60_000;

/** These webhooks are to be told where the session stands now, when they were told all that they are owed already. */
export function oweAnnouncements(scope: LedgerScope, webhooks: readonly string[] = []): void {
  const { storage, now } = scope;
  for (const webhook of webhooks) {
    const [row, owed] = find(scope, webhook) ?? [{ due: now() }, { webhook, attempts: 0, seqs: [] }];
    const [first, ...rest] = [...owed.seqs, storage.head()];
    if (rest.length >= MOST_OWED) console.error(`holdfast: outgoing webhook ${webhook} ${IS_OWED_TOO_MUCH}`);
    const seqs = first === undefined ? [] : [first, ...rest.slice(1 - MOST_OWED)];
    store(scope, { ...owed, seqs }, row.due);
  }
}

/** The announcements whose time has come, each the first of its webhook. They are due again in case nobody answers. */
export const takeDueAnnouncements = (scope: LedgerScope): DueAnnouncement[] =>
  dueRefs(scope, 'announcement').flatMap((ref) => {
    const { webhook, attempts, seqs } = fromRef(ref);
    const [seq = 0] = seqs;
    const pause = Math.min(FIRST_PAUSE * 2 ** attempts, LONGEST_PAUSE);
    store(scope, { webhook, attempts: attempts + 1, seqs }, scope.now() + pause);
    const turn = turnAt(scope, seq);
    return turn === undefined ? [] : [{ webhook, seq, turn, attempt: attempts + 1 }];
  });

/** The turn of an event. */
function turnAt({ storage }: LedgerScope, seq: number): string | undefined {
  const [row] = storage.events({ from: seq, limit: 1 });
  return row?.turn;
}

/** Stores what became of an announcement; of one that was made again meanwhile, nothing. */
export function settleAnnouncement(
  scope: LedgerScope,
  { webhook, seq, turn, attempt }: Announcement,
  became: Announced,
): void {
  const [, owed] = find(scope, webhook) ?? [];
  if (owed === undefined || owed.seqs[0] !== seq || owed.attempts !== attempt) return;
  // That of a session of this name which was erased meanwhile.
  if (turnAt(scope, seq) !== turn) return;
  if (typeof became === 'object') store(scope, owed, scope.now() + became.again);
  else {
    const seqs = became === 'done' ? owed.seqs.slice(1) : [];
    store(scope, { webhook, attempts: 0, seqs }, scope.now());
  }
  scheduleAlarm(scope);
}

function find(
  { storage }: LedgerScope,
  webhook: string,
): readonly [row: { readonly due: number }, owed: Owed] | undefined {
  for (const row of storage.alarms.all()) {
    if (row.kind !== 'announcement') continue;
    const owed = fromRef(row.ref);
    if (owed.webhook === webhook) return [row, owed];
  }
  return undefined;
}

/** Replaces what the webhook was owed before. */
function store(scope: LedgerScope, owed: Owed, due: number): void {
  const { alarms } = scope.storage;
  for (const { kind, ref } of alarms.all()) {
    if (kind === 'announcement' && fromRef(ref).webhook === owed.webhook) alarms.remove(kind, ref);
  }
  if (owed.seqs.length > 0) alarms.add({ kind: 'announcement', ref: toRef(owed), due });
}

const toRef = ({ webhook, attempts, seqs }: Owed): string => JSON.stringify([webhook, attempts, ...seqs]);

function fromRef(ref: string): Owed {
  const [webhook, attempts, ...seqs] = JSON.parse(ref) as [string, number, ...number[]]; // written by toRef
  return { webhook, attempts, seqs };
}
