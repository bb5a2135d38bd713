/** A door for tests. Settings of an agent, the list of kinds, and an app's modules for its turns. */

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
