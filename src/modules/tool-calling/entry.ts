/** The entry `holdfast/tool-calling`: runs tool calls for programs that call a model themselves. */

export type { ExecutedCall, Generation, ToolExecutionResult } from './execute-reply.ts';
export {
  chainResolvers,
  createToolCallingManager,
  type Eligibility,
  type Replies,
  staticResolver,
  type ToolCallingManager,
  type ToolCallingManagerConfig,
  type ToolResolver,
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
