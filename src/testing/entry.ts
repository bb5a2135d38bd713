/** The entry `holdfast/testing`: runs agents in tests without a Worker or a network. */

export {
  createMemorySessions,
  type MemorySessions,
  type MemorySessionsOptions,
} from '../in-memory/memory-session.ts';
export type { SessionPort } from '../journal/session-port.ts';
export type { SessionState } from '../journal/state.ts';
export type { Clock } from '../session/read-platform.ts';
export { type CallToolOptions, callTool } from './call-tool.ts';
export { createManualClock, type ManualClock } from './clocks.ts';
export type { PostOptions, SendOptions, TestDecision, TestMessage } from './post-to-session.ts';
export {
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  type Stub,
  scriptedModel,
} from './scripted-model.ts';
export {
  createTestSession,
  type TestAnswer,
  type TestModel,
  type TestSession,
  type TestSessionOptions,
} from './test-session.ts';
