/** The entry `holdfast/models`, for writing a model adapter. */

export type {
  AcceptedMedia,
  AskOptions,
  CacheMarks,
  ModelFailure,
  ModelMedia,
  ModelMessage,
  ModelOfEnv,
  ModelReply,
  ModelRequest,
  OutputFormat,
  ProviderTool,
  RequestLength,
  ToolDefinition,
  WantedThoughts,
} from './chat-model.ts';
export { partsOf } from './given-to.ts';
export { showToolsChanges, signPrefix } from './late-tools.ts';
export type {
  CustomPart,
  FilePart,
  MessageFile,
  MessagePart,
  ProviderData,
  ReasoningPart,
  ReplyMaker,
  ReplyPart,
  RequestedCall,
  SourcePart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from './parts.ts';
export type { Usage } from './prices.ts';
export type { LoopToolChoice, ModelSettings, ReasoningEffort, ToolChoice } from './settings.ts';
