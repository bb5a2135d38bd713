/** A door for tests. Settings of an agent, the list of kinds, and what an app brings to its turns. */
export { BUILT_IN_KINDS, toolKinds } from '../../src/agent/kinds.ts';
export { agentResolver } from '../../src/agent/tool-groups/resolve-agent.ts';
export type { PendingView } from '../../src/app/pending-view.ts';
export { KNOWN_FOR, startInBackground, toBackgroundTurn } from '../../src/app/start-in-background.ts';
export { UnknownTargetError } from '../../src/app/target.ts';
