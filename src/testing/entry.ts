/** The entry `holdfast/testing`: an agent in a test, without a Worker and without a network. */
export type { HandOver, SessionPort } from '../journal/session-port.ts';
export type { SessionState } from '../journal/state.ts';
export type { Clock } from '../session/clock.ts';
export { createManualClock, type ManualClock } from './manual-clock.ts';
export { createMemorySessions, type MemorySessions, type MemorySessionsOptions } from './memory-session.ts';
export {
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedReply,
  scriptedModel,
} from './scripted-model.ts';
export {
  createTestSession,
  type SendOptions,
  type TestModel,
  type TestSession,
  type TestSessionOptions,
} from './test-session.ts';
