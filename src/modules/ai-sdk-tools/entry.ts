/** The entry `holdfast/tools/ai-sdk`: tools of the AI SDK among ours, and ours among those of the AI SDK. */

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
