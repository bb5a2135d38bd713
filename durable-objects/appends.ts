import type { KeptBlob } from '../src/journal/blob.ts';
import type {
  AppendData,
  FoundCredential,
  KeptCredential,
  SessionFull,
} from '../src/journal/session-port.ts';
import { scheduleAlarm } from './alarms.ts';
import { keepBlobs } from './blobs.ts';
import { settleLease } from './lease.ts';
import type { LedgerScope, SessionStorage } from './session-storage.ts';
import { deferScheduled, forgetSteered, removeJournaled } from './waiting-turns.ts';

/**
 * @throws Error if a change has a field that only newer code knows. The append is retried until this object
 * runs that code.
 */
export function assertKnownFields(change: AppendData): void {
  // Lists all fields, so that the compiler requires each of them.
  const { events, progress, unread, release, resumeAfter, agenda, inboxHeld, ...more } = change;
  const { inboxRead, blobs, snapshot, expiries, scheduled, ...strangers } = more;
  const [stranger] = Object.keys(strangers satisfies Record<string, never>);
  if (stranger === undefined) return;
  throw new Error(`This SessionObject does not support '${stranger}' in an append. Deploy a newer version.`);
}

/** Stores the other data of an append whose events are already stored. */
export function storeRest(scope: LedgerScope, change: AppendData): void {
  const { storage, now } = scope;
  const { inboxRead, blobs, snapshot, expiries, scheduled } = change;
  if (inboxRead !== undefined) removeJournaled(scope, inboxRead);
  if (blobs) keepBlobs(scope, blobs);
  if (snapshot !== undefined) storage.snapshots.set(snapshot);
  if (snapshot?.messagesFrom !== undefined) forgetSteered(scope, snapshot.messagesFrom);
  for (const { wait, after } of expiries ?? []) {
    storage.alarms.add({ kind: 'expiry', ref: wait, due: now() + after });
  }
  if (scheduled) deferScheduled(scope, scheduled);
  if (expiries !== undefined || scheduled !== undefined) scheduleAlarm(scope);
  settleLease(scope, change);
}

/**
 * The size limit of a session in bytes. The platform refuses all writes of an object whose database is full.
 */
export interface SizeLimit {
  readonly storage: SessionStorage;
  readonly mostBytes: number;
}

/**
 * The reserve in bytes for ending running work. It is larger than any rows that the object writes by itself.
 */
const END_RESERVE_BYTES = 16 * 1024 * 1024;
/** The maximum bytes that the end of a turn can add to a full session. */
const MAX_END_BYTES = 1024 * 1024;

/**
 * Returns the reason why a session has no room for this many more bytes, or `null` if it has room. `isEnd`:
 * the bytes end a turn.
 */
export function findRoomProblem(
  { storage, mostBytes }: SizeLimit,
  more: number,
  isEnd = false,
): SessionFull | null {
  if (mostBytes === Infinity || more === 0 || (isEnd && more <= MAX_END_BYTES)) return null;
  const used = storage.bytes();
  const most = mostBytes - END_RESERVE_BYTES;
  return used + more > most ? { status: 'session-full', most, used } : null;
}

/** Returns the refusal of a full session if this caused the error. Rethrows any other error. */
export function toSessionFull({ storage, mostBytes }: SizeLimit, failure: unknown): SessionFull {
  if (!FULL_ERROR.test(String(failure))) throw failure;
  return { status: 'session-full', most: mostBytes - END_RESERVE_BYTES, used: storage.bytes() };
}

/** Matches SQLite's messages for a full database. */
const FULL_ERROR = /\bSQLITE_FULL\b|\bdatabase or disk is full\b/;

/** Returns an upper bound for the bytes of a message or an append, at three bytes per character. */
export function computeMaxSize(
  bodies: readonly { readonly body: string }[],
  blobs: readonly KeptBlob[] = [],
): number {
  let weight = 0;
  for (const { body } of bodies) weight += 3 * body.length;
  for (const { bytes } of blobs) weight += bytes?.byteLength ?? 0;
  return weight;
}

const GB = 1_000_000_000;

/** The smallest valid value of `SESSION_BYTES`. A smaller one would leave no room for events. */
const MIN_SESSION_BYTES = 17_000_000;

/**
 * Returns the maximum size of the object's database in bytes: the value of `SESSION_BYTES` if it is valid,
 * and otherwise the limit of the Worker's plan.
 */
export function readMaxBytes(env: { readonly SESSION_BYTES?: string; readonly PLAN?: string }): number {
  const said = Number(env.SESSION_BYTES);
  if (Number.isSafeInteger(said) && said >= MIN_SESSION_BYTES) return said;
  return env.PLAN === 'free' ? GB : 10 * GB;
}

/** The maximum number of credentials in a session. Beyond it, the oldest is dropped. */
const MAX_CREDENTIALS = 100;

/**
 * The maximum characters of all credentials together. Beyond it, the oldest is dropped. The platform limits a
 * value to 2 MiB, or a million characters.
 */
const MAX_CREDENTIAL_CHARACTERS = 512 * 1024;

type CredentialScope = Pick<SessionStorage, 'credentials'>;

export function findCredential({ credentials }: CredentialScope, key: string): FoundCredential {
  const found = credentials.all().find((one) => one.key === key);
  if (found === undefined) return { status: 'none' };
  return found.value === null ? { status: 'lost' } : { status: 'found', value: found.value };
}

/**
 * Stores or replaces the credential under a key. `null` removes it. A full session does not store
 * credentials.
 */
export function keepCredential(
  bounds: SizeLimit,
  key: string,
  value: string | null,
): KeptCredential | SessionFull {
  const { storage } = bounds;
  const full = findRoomProblem(bounds, computeMaxSize(value === null ? [] : [{ body: value }]));
  if (full !== null) return full;
  try {
    storage.transaction(() => storeCredential(storage, key, value));
    return { status: 'kept' };
  } catch (failure) {
    return toSessionFull(bounds, failure);
  }
}

function storeCredential({ credentials }: CredentialScope, key: string, value: string | null): void {
  const others = credentials.all().filter((one) => one.key !== key);
  const all = value === null ? others : [...others, { key, value }];
  let characters = 0;
  const beyond = all.findLastIndex((one) => {
    characters += one.key.length + (one.value?.length ?? 0);
    return characters > MAX_CREDENTIAL_CHARACTERS;
  });
  // The newest credential is always kept, if the platform accepts its length.
  credentials.set(all.slice(Math.min(beyond + 1, all.length - 1)).slice(-MAX_CREDENTIALS));
}

/**
 * Marks all credentials as lost. The holder no longer responds but may still use them, so other holders
 * cannot. Their keys are retained.
 */
export function markCredentialsLost({ credentials }: CredentialScope): void {
  const all = credentials.all();
  if (all.length > 0) credentials.set(all.map(({ key }) => ({ key, value: null })));
}
