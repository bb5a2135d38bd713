/** The entry `holdfast`: what agents and tools are made with. Nothing here needs a Worker. */

export type { AgentOutput, OutputOf } from './agent/agent-output.ts';
export { AgentDefinitionError, type Retention } from './agent/check-settings.ts';
export {
  type Agent,
  type AgentConfig,
  defineAgent,
  type LoopIds,
  type RoleRequest,
  type ToolGroupRequest,
} from './agent/define-agent.ts';
export type { ApprovalMessage } from './decorators/approvals/approval-message.ts';
export type { ApprovalOptions } from './decorators/approvals/approval-options.ts';
export { type HumanInputConfig, humanInput, type Question } from './decorators/approvals/human-input.ts';
export { requireApproval } from './decorators/approvals/require-approval.ts';
export type {
  CallChanges,
  FinalOutcome,
  JournaledCall,
  Outcome,
  Principal,
  SessionEvent,
  StoredEvent,
  TurnError,
} from './journal/events.ts';
export type { TurnArtifact } from './journal/state.ts';
export type { PricedUsage } from './journal/usage.ts';
export { type Summarise, type SummaryOptions, summarised } from './loop/compaction/summarised.ts';
export type { Compaction } from './loop/compaction.ts';
export {
  type ExceptionOptions,
  type ExceptionProcessor,
  exceptionProcessor,
  type ToolException,
} from './loop/exception-processor.ts';
export type { ParsedAnswer } from './loop/loop.ts';
export type { LoopLimits } from './loop/loop-limits.ts';
export type {
  BlankReplyPolicy,
  Eligible,
  LoopPolicies,
  Policies,
  UnknownToolPolicy,
} from './loop/policies.ts';
export { slidingWindow } from './loop/sliding-window.ts';
export type { LoopTransformer } from './loop/transformer.ts';
export {
  charsShown,
  fullLength,
  type TruncationMarker,
  type TruncationOptions,
  truncateToolResults,
} from './loop/truncate-tool-results.ts';
export {
  type AskOptions,
  type ChatModel,
  ModelError,
  type ModelFailure,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  type OutputFormat,
  type RequestedCall,
  type ToldLength,
  type ToolDefinition,
} from './model/chat-model.ts';
export type { Prices, Usage } from './model/prices.ts';
export type { PendingCall, SuspendedTurn, TurnAnswer } from './session/turn-answer.ts';
export {
  CORE_ROLES,
  defineToolGroup,
  type ToolGroup,
  type ToolGroupConfig,
  ToolGroupDefinitionError,
  type ToolGroupPermission,
} from './sources/groups/define-tool-group.ts';
export { ToolObjectError } from './sources/objects/tool-object-error.ts';
export type { ToolEntry, ToolTable } from './sources/objects/tool-table.ts';
export { type ToolsOfOptions, toolsOf, toolsOfAll, toolsOfSafely } from './sources/objects/tools-of.ts';
export { type CollectOptions, type ResolvedTools, resolveTools } from './sources/resolution/resolve-tools.ts';
export { ToolResolutionError } from './sources/resolution/tool-resolution-error.ts';
export type {
  ProviderCard,
  ToolObjectSource,
  ToolProvider,
  ToolSource,
} from './sources/resolution/tool-source.ts';
export { ToolDefinitionError } from './tool/check-definition.ts';
export type { CheckedInput } from './tool/check-input.ts';
export { defineTextTool, type TextToolConfig } from './tool/define-text-tool.ts';
export { defineTool, type ToolConfig } from './tool/define-tool.ts';
export type { DomainObjects } from './tool/domain-objects.ts';
export { type DomainType, type DomainTypeConfig, defineDomainType } from './tool/domain-type.ts';
export { DomainTypeError, type DomainTypeField } from './tool/domain-type-error.ts';
export type {
  InputDeclaration,
  InputOf,
  LenientSchema,
  ParsedInput,
  ToolInput,
} from './tool/input-schema.ts';
export type { AsJson, Json, JsonLike, JsonObject } from './tool/json.ts';
export type { CallLimit, Limits } from './tool/limits.ts';
export {
  arrayParameter,
  booleanParameter,
  type EnumOptions,
  integerParameter,
  numberParameter,
  objectParameter,
  type Parameter,
  type ParameterOptions,
  type ParametersSchema,
  type ParameterValues,
  type PropertyDeclaration,
  type PropertyValue,
  parameters,
  stringParameter,
} from './tool/parameter/parameters.ts';
export type { Reference } from './tool/reference.ts';
export { Secrets } from './tool/secrets.ts';
export {
  exitEarly,
  replan,
  SignalError,
  ToolConfigurationError,
  terminateAction,
  terminateAgent,
} from './tool/signals.ts';
export type {
  AnyTool,
  BlackboardEntry,
  CallBlackboard,
  CallState,
  Decision,
  DecisionKind,
  DecisionRequest,
  Effect,
  HistoryCall,
  HistoryMessage,
  JsonSchema,
  Reconciliation,
  ResultRequest,
  RunningDecisionRequest,
  ScheduleRequest,
  Serial,
  Tool,
  ToolCall,
  TurnPrincipal,
} from './tool/tool.ts';
export {
  type ContextProblem,
  LOOP_ID_KEY,
  loopId,
  ToolCallContext,
  ToolCallContextError,
} from './tool/tool-call-context.ts';
export type { ToolArtifact, ToolArtifactItem, ToolOutput } from './tool/tool-output.ts';
export {
  type ArtifactType,
  artifact,
  type ErrorReason,
  error,
  type ResultData,
  type Signal,
  type ToolResult,
  text,
} from './tool/tool-result.ts';
