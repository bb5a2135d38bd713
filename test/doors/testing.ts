/** Internals for tests: the parts of test sessions and crash matrices. */

export { MemoryStorage } from '../../src/in-memory/memory-storage.ts';
export {
  createSkippableClock,
  waitForPromises,
  withOrderedHashes,
} from '../../src/testing/clocks.ts';
export {
  listDisturbances,
  mapConcurrently,
  playDisturbed,
  UndisturbedPlays,
} from '../../src/testing/crash-matrix/crash-matrix.ts';
export { type CrashRow, formatCrashTable } from '../../src/testing/crash-matrix/crash-report.ts';
export {
  type CrashableSession,
  createCrashableMemorySession,
} from '../../src/testing/crash-matrix/crashable-session.ts';
export {
  type CallNames,
  callNames,
  collectUnknownCalls,
  computeDamage,
  type Damage,
} from '../../src/testing/crash-matrix/damage.ts';
export {
  DISTURBANCES,
  type Disturbance,
  getDisturbanceName,
  isGentle,
  MODES,
  type Mode,
  type Position,
} from '../../src/testing/crash-matrix/disturbances.ts';
export type { RepeatEffect, SeenRun } from '../../src/testing/crash-matrix/effects.ts';
export { LAST_MESSAGE, type PlayResult } from '../../src/testing/crash-matrix/play-script.ts';
export {
  isOpenEnded,
  OFF_SCRIPT_REPLY,
  type Subject,
} from '../../src/testing/crash-matrix/script.ts';
export {
  createKillableWorker,
  createTurnSteps,
  type TurnSteps,
} from '../../src/testing/turn-steps.ts';
