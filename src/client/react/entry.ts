/** The entry `holdfast/react`: shows sessions in pages. React is brought by the page. */
export type { SessionActions, SessionSnapshot } from './followed-session.ts';
export type { SessionMessage, ShownCall, ShownFile } from './messages.ts';
export { createSessionStore, type SessionStore } from './session-store.ts';
export { type LiveSession, type UseSessionOptions, useSession } from './use-session.ts';
