/** The entry `holdfast/tool-calling`: for programs that ask a model themselves and run its tool calls. */

export {
  createToolCallingManager,
  type Eligibility,
  type Replies,
  type ToolCallingManager,
  type ToolCallingManagerConfig,
} from './tool-calling-manager.ts';
export {
  defineToolCallingOptions,
  isInternalToolExecutionEnabled,
  type ModelOptions,
  mergeToolCallingOptions,
  mergeToolContext,
  mergeToolNames,
  mergeTools,
  type ToolCallingConfig,
  ToolCallingError,
  type ToolCallingOptions,
  type ToolCallingProblem,
  validateTools,
  withToolContext,
} from './tool-calling-options.ts';
export type { ExecutedCall, Generation, ToolExecutionResult } from './tool-execution-result.ts';
export { chainResolvers, staticResolver, type ToolResolver } from './tool-resolver.ts';
