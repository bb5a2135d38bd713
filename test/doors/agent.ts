/** Internals for tests: agent settings, the list of kinds, and the modules that an app uses for its turns. */

export {
  collectAppModules,
  createAgentResolver,
} from '../../src/agent/resolve-agent.ts';

export {
  runDueRow,
  START_KEY_TTL_MS,
  startInBackground,
  toBackgroundTurn,
} from '../../src/worker/background.ts';
export { SessionError } from '../../src/worker/problem.ts';
export type { PendingView } from '../../src/worker/turn-view.ts';
