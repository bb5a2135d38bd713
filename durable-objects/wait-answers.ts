import type { Posted, WaitAnswer } from '../src/journal/session-port.ts';
import type { SessionStorage } from './session-storage.ts';

/** How long an answer is remembered beside the journal, in ms: for one that was sent before the journal told of it. */
const ANSWER_TTL = 7 * 24 * 60 * 60_000;
/** In the place of an answer's hash: nobody answered in time. */
const EXPIRED = '';

const keyOf = (wait: string): string => `answer ${wait}`;

/** Why an answer is not taken by its wait any more; `null` while it is. */
export function whyClosed(
  storage: SessionStorage,
  { wait, bodyHash }: WaitAnswer,
): Extract<Posted, 'expired' | 'known' | 'answered'> | null {
  const taken = storage.request(keyOf(wait));
  if (taken === null) return null;
  if (taken.bodyHash === EXPIRED) return 'expired';
  return taken.bodyHash === bodyHash ? 'known' : 'answered';
}

/** Whether the time of a wait is over, though nobody may have looked yet. */
export const isOver = (storage: SessionStorage, wait: string, now: number): boolean =>
  storage.agenda().some(({ kind, ref, due }) => kind === 'expiry' && ref === wait && due <= now);

/** Takes the one answer of a wait; without one, nobody answered in time. */
export function closeWait(
  storage: SessionStorage,
  turn: string,
  {
    wait,
    bodyHash = EXPIRED,
    now,
  }: { readonly wait: string; readonly bodyHash?: string; readonly now: number },
): void {
  storage.forgetRequests(now);
  storage.addRequest({ key: keyOf(wait), bodyHash, turn, seq: 0, expires: now + ANSWER_TTL });
  storage.unschedule('expiry', wait);
}
