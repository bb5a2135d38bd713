/** The entry `holdfast/limits`: bounds the tool calls of a turn. */
export type { ModuleUse } from '../../tool/module-use.ts';
export { type CallLimits, callLimits } from './call-limits.ts';
