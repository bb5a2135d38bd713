/** The entry `holdfast/answers`: calls that ask somebody outside, and how they are answered. */

export type { ModuleUse } from '../../tool/module-use.ts';
export { answers } from './answers.ts';
export { defineManualTool, type ManualToolConfig } from './define-manual-tool.ts';
