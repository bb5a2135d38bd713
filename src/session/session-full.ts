import type { SessionFull } from '../journal/session-port.ts';

/** What whoever writes to a session that is full is told, and what mends it. */
export const fullText = ({ most, used }: Pick<SessionFull, 'most' | 'used'>): string =>
  `The session is full: it weighs ${used} bytes, and above ${most} it takes nothing more. Begin another session, or erase this one.`;

/** The session takes nothing any more of what its turn makes. */
export class SessionFullError extends Error {
  override readonly name = 'SessionFullError';

  constructor(full: SessionFull) {
    super(fullText(full));
  }
}
