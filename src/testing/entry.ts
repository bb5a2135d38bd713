/** The entry `holdfast/testing`. */
export { createManualClock, type ManualClock } from './manual-clock.ts';
export { createMemorySessions, type MemorySessions, type MemorySessionsOptions } from './memory-session.ts';
export {
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedReply,
  scriptedModel,
} from './scripted-model.ts';
