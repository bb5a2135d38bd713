/** The entry `holdfast/testing/crash-matrix`: a turn is killed at every place where it can be, and must come out as if it had not been. */
export {
  type AgentUnderTest,
  type CrashMatrixOptions,
  type CrashMatrixWorld,
  crashMatrix,
} from './crash-matrix.ts';
export type { CrashFailure, CrashReport } from './crash-report.ts';
export type { CrashKit } from './effects.ts';
export type { CrashScript, CrashStep, ScriptedExchange } from './script.ts';
