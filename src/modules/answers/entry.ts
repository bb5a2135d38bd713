/** The entry `holdfast/answers`: calls that ask somebody outside, and how they are answered. */

export { answers } from './answers.ts';
export { defineManualTool, type ManualToolConfig } from './manual.ts';
