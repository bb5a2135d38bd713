import type { FoundCredential, KeptCredential, SessionFull } from '../src/journal/session-port.ts';
import { type Bounds, toFull, weightOf, whyFull } from './appends.ts';
import type { SessionStorage } from './session-storage.ts';

/** The most credentials of a session. Beyond that the one that was kept longest ago is forgotten. */
const MOST_KEPT = 100;

/** The most characters of all of them, of which one value of the platform's, 2 MiB at the most, holds a million. Beyond that, too. */
const MOST_CHARACTERS = 512 * 1024;

type Storage = Pick<SessionStorage, 'credentials'>;

/** Answers what is kept under a key. */
export function findCredential({ credentials }: Storage, key: string): FoundCredential {
  const found = credentials.all().find((one) => one.key === key);
  if (found === undefined) return { status: 'none' };
  return found.value === null ? { status: 'lost' } : { status: 'found', value: found.value };
}

/** Keeps a credential in place of the one under its key; `null` forgets that. Nothing is kept in a session that is full. */
export function keepCredential(
  bounds: Bounds,
  key: string,
  value: string | null,
): KeptCredential | SessionFull {
  const { storage } = bounds;
  const full = whyFull(bounds, weightOf(value === null ? [] : [{ body: value }]));
  if (full !== null) return full;
  try {
    storage.transaction(() => keep(storage, key, value));
    return { status: 'kept' };
  } catch (failure) {
    return toFull(bounds, failure);
  }
}

function keep({ credentials }: Storage, key: string, value: string | null): void {
  const others = credentials.all().filter((one) => one.key !== key);
  const all = value === null ? others : [...others, { key, value }];
  let characters = 0;
  const beyond = all.findLastIndex((one) => {
    characters += one.key.length + (one.value?.length ?? 0);
    return characters > MOST_CHARACTERS;
  });
  // The newest is kept, however long it is, as far as the platform takes it.
  credentials.set(all.slice(Math.min(beyond + 1, all.length - 1)).slice(-MOST_KEPT));
}

/** The holder fell silent, and may still use what it was given: nobody else is to. That they were there stays known. */
export function loseCredentials({ credentials }: Storage): void {
  const all = credentials.all();
  if (all.length > 0) credentials.set(all.map(({ key }) => ({ key, value: null })));
}
