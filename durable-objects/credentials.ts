import type { FoundCredential } from '../src/journal/session-port.ts';
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

/** Keeps a credential in place of the one under its key; `null` forgets that. */
export function keepCredential({ credentials }: Storage, key: string, value: string | null): void {
  const others = credentials.all().filter((one) => one.key !== key);
  credentials.set((value === null ? others : [...others, { key, value }]).slice(-MOST_KEPT));
}

/** The holder fell silent, and may still use what it was given: nobody else is to. That they were there stays known. */
export function loseCredentials({ credentials }: Storage): void {
  const all = credentials.all();
  if (all.length > 0) credentials.set(all.map(({ key }) => ({ key, value: null })));
}
