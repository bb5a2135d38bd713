/** The entry `holdfast/testing`: an agent in a test, without a Worker and without a network. */
export type { HandOver, SessionPort } from '../journal/session-port.ts';
export type { SessionState } from '../journal/state.ts';
export type { SentDecision, SentResult } from '../session/post-answer.ts';
export type { Clock } from '../session/read-platform.ts';
export type { PendingCall, SuspendedTurn } from '../session/turn-answer.ts';
export {
  type AgentUnderTest,
  type CrashMatrixOptions,
  type CrashMatrixWorld,
  crashMatrix,
} from './crash-matrix/crash-matrix.ts';
export type { CrashFailure, CrashReport } from './crash-matrix/crash-report.ts';
export type { CrashKit } from './crash-matrix/effects.ts';
export type { CrashReply, CrashScript, CrashStep, ScriptedExchange } from './crash-matrix/script.ts';
export { createManualClock, type ManualClock } from './manual-clock.ts';
export { createMemorySessions, type MemorySessions, type MemorySessionsOptions } from './memory-session.ts';
export type { PostOptions, SendOptions } from './post-message.ts';
export {
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  scriptedModel,
} from './scripted-model.ts';
export {
  createTestSession,
  type TestAnswer,
  type TestDecision,
  type TestModel,
  type TestSession,
  type TestSessionOptions,
} from './test-session.ts';
