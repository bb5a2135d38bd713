import type { FoundCredential, KeptCredential, SessionFull } from '../src/journal/session-port.ts';
import { type Bounds, unlessFull, weightOf, whyFull } from './fullness.ts';
import type { SessionStorage } from './session-storage.ts';

/** The most credentials of a session. Beyond that the one that was kept longest ago is forgotten. */
const MOST_KEPT = 100;

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
  return unlessFull(bounds, () => {
    const full = whyFull(bounds, weightOf(value === null ? [] : [{ body: value }]));
    if (full !== null) return full;
    storage.transaction(() => {
      const others = storage.credentials.all().filter((one) => one.key !== key);
      const all = value === null ? others : [...others, { key, value }];
      storage.credentials.set(all.slice(-MOST_KEPT));
    });
    return { status: 'kept' };
  });
}

/** The holder fell silent, and may still use what it was given: nobody else is to. That they were there stays known. */
export function loseCredentials({ credentials }: Storage): void {
  const all = credentials.all();
  if (all.length > 0) credentials.set(all.map(({ key }) => ({ key, value: null })));
}
