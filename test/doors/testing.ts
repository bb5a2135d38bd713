/** A door for tests. The parts of test sessions and crash matrices. */

export { MemoryStorage } from '../../src/in-memory/memory-storage.ts';
export { promisesSettled, skippableClock, withOrderlyHashes } from '../../src/testing/clocks.ts';
export {
  disturbancesAt,
  manyAtOnce,
  playDisturbed,
  Undisturbed,
} from '../../src/testing/crash-matrix/crash-matrix.ts';
export { type CrashRow, crashTable } from '../../src/testing/crash-matrix/crash-report.ts';
export {
  type CrashableSession,
  crashableMemorySession,
} from '../../src/testing/crash-matrix/crashable-session.ts';
export {
  type CallNames,
  callNames,
  type Damage,
  damageOf,
  unknownIn,
} from '../../src/testing/crash-matrix/damage.ts';
export {
  DISTURBANCES,
  type Disturbance,
  isGentle,
  MODES,
  type Mode,
  nameOf,
  type Position,
} from '../../src/testing/crash-matrix/disturbances.ts';
export type { Care, SeenRun } from '../../src/testing/crash-matrix/effects.ts';
export { LAST_MESSAGE, type PlayResult } from '../../src/testing/crash-matrix/play-script.ts';
export { isOpenEnded, OFF_SCRIPT, type Subject } from '../../src/testing/crash-matrix/script.ts';
export { mortalWorker, type TurnSteps, turnSteps } from '../../src/testing/turn-steps.ts';
