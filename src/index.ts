/** The entry `holdfast`: what agents and tools are made with. Nothing here needs a Worker. */
export { type Agent, type AgentConfig, AgentDefinitionError, defineAgent } from './agent/define-agent.ts';
export type {
  CallChanges,
  JournaledCall,
  Outcome,
  Principal,
  SessionEvent,
  StoredEvent,
  TurnError,
} from './journal/events.ts';
export type { TurnArtifact } from './journal/state.ts';
export {
  type AskOptions,
  type ChatModel,
  ModelError,
  type ModelFailure,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  type RequestedCall,
  type ToolDefinition,
  type Usage,
} from './model/chat-model.ts';
export type { TurnAnswer } from './session/turn-answer.ts';
export type { LoopLimits } from './tool-loop/loop.ts';
export { defineTool, type ToolConfig } from './tools/define-tool.ts';
export type { InputDeclaration } from './tools/input-schema.ts';
export type { Json, JsonObject } from './tools/json.ts';
export { artifact, error, text } from './tools/results.ts';
export type {
  AnyTool,
  BlackboardEntry,
  CallBlackboard,
  CallScope,
  CallState,
  Effect,
  Frame,
  FrameOutcome,
  JsonSchema,
  Leaf,
  Limits,
  Reconciliation,
  Tool,
  ToolCall,
  ToolInvocation,
} from './tools/tool.ts';
export { ToolCallContext, ToolCallContextError } from './tools/tool-call-context.ts';
export { ToolDefinitionError } from './tools/tool-definition-error.ts';
export type { ArtifactType, ErrorReason, ResultData, ToolResult } from './tools/tool-result.ts';
