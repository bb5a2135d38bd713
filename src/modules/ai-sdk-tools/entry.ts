/** The entry `holdfast/tools/ai-sdk`, which converts tools between the AI SDK and this library. */

export {
  type AiTool,
  type AiToolInput,
  type AiToolOutput,
  type FromAiToolOptions,
  fromAiTool,
} from './from-ai-tool.ts';
export {
  AiToolError,
  type AiToolResult,
  type AiTools,
  type GivenTool,
  type ToAiToolsOptions,
  toAiTools,
} from './to-ai-tools.ts';
