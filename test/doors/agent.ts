/** A door for tests. Settings of an agent, the list of kinds, and what an app brings to its turns. */

export { appModules } from '../../src/agent/app-modules.ts';
export { agentResolver } from '../../src/agent/resolve-agent.ts';

export { doDue, KNOWN_FOR, startInBackground, toBackgroundTurn } from '../../src/worker/background.ts';
export type { PendingView } from '../../src/worker/pending-view.ts';
export { SessionError } from '../../src/worker/problem.ts';
