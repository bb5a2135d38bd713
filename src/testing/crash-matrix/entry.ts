/**
 * The entry `holdfast/testing/crash-matrix`: interrupts turns at every possible position, and checks that the
 * outcome stays the same.
 */
export {
  type AgentUnderTest,
  type CrashMatrixOptions,
  type CrashMatrixWorld,
  crashMatrix,
} from './crash-matrix.ts';
export type { CrashFailure, CrashReport } from './crash-report.ts';
export type { CrashKit } from './effects.ts';
export type { CrashScript, CrashStep, ScriptedExchange } from './script.ts';
