/** The entry `holdfast/react`: shows sessions in pages. The page provides React. */

export type { SessionMessage, ShownCall, ShownFile } from './messages.ts';
export {
  createSessionStore,
  type LiveSession,
  type SessionStore,
  type UseSessionOptions,
  useSession,
} from './session-store.ts';
export type { SessionActions, SessionSnapshot } from './shown-messages.ts';
