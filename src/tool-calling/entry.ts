/** The entry `holdfast/tool-calling`: for programs that ask a model themselves and run its tool calls. */
export { isInternalToolExecutionEnabled } from './is-internal-tool-execution-enabled.ts';
export { mergeToolCallingOptions, mergeToolContext, mergeToolNames, mergeTools } from './merge-options.ts';
export { ToolCallingError, type ToolCallingProblem } from './tool-calling-error.ts';
export {
  createToolCallingManager,
  type Eligibility,
  type Replies,
  type ToolCallingManager,
  type ToolCallingManagerConfig,
} from './tool-calling-manager.ts';
export {
  defineToolCallingOptions,
  type ModelOptions,
  type ToolCallingConfig,
  type ToolCallingOptions,
  withToolContext,
} from './tool-calling-options.ts';
export type { ExecutedCall, Generation, ToolExecutionResult } from './tool-execution-result.ts';
export { chainResolvers, staticResolver, type ToolResolver } from './tool-resolver.ts';
export { validateTools } from './validate-tools.ts';
