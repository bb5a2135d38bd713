/** The entry `holdfast/answers`: calls that ask someone outside the turn, and the answers to them. */

export { answers } from './answers.ts';
export { defineManualTool, type ManualToolConfig } from './manual.ts';
