/** The entry `holdfast/react`: shows sessions in pages. React is brought by the page. */
export type { SessionMessage, ShownCall, ShownFile } from './messages.ts';
export {
  createSessionStore,
  type SessionActions,
  type SessionSnapshot,
  type SessionStore,
} from './session-store.ts';
export { type LiveSession, type UseSessionOptions, useSession } from './use-session.ts';
