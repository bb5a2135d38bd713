/** The entry `holdfast`: what agents and tools are made with. Nothing here needs a Worker. */

export type { AgentOutput, OutputOf } from './agent/agent-output.ts';
export { AgentDefinitionError } from './agent/check-settings.ts';
export {
  type Agent,
  type AgentConfig,
  type AgentLimits,
  defineAgent,
  type RoleRequest,
  type ToolGroupRequest,
} from './agent/define-agent.ts';
export type {
  CallChanges,
  FinalOutcome,
  Outcome,
  Principal,
  SessionEvent,
  StoredEvent,
  TurnError,
} from './journal/events.ts';
export type { JournaledCall } from './journal/reply-data.ts';
export type { StoppingCall, TurnArtifact, TurnFile, TurnTools } from './journal/state.ts';
export type { PricedUsage } from './journal/usage.ts';
export type { PendingCall } from './journal/wait.ts';
export {
  type ExceptionOptions,
  type ExceptionProcessor,
  exceptionProcessor,
  type ToolException,
} from './loop/exception-processor.ts';
export type { ParsedAnswer } from './loop/loop.ts';
export type {
  BlankReplyPolicy,
  Eligible,
  LoopLimits,
  LoopPolicies,
  Policies,
  UnknownToolPolicy,
} from './loop/policies.ts';
export { readResult } from './loop/read-result.ts';
export {
  type AskOptions,
  type CacheMarks,
  type ChatModel,
  type MediaTaken,
  ModelError,
  type ModelFailure,
  type ModelMedia,
  type ModelMessage,
  type ModelOfEnv,
  type ModelReply,
  type ModelRequest,
  type OutputFormat,
  type ProviderTool,
  type ToldLength,
  type ToolDefinition,
} from './model/chat-model.ts';
export { fallback } from './model/fallback.ts';
export { partsOf } from './model/given-to.ts';
export { showToolsChanges, signPrefix } from './model/late-tools.ts';
export type {
  CustomPart,
  FilePart,
  MadeBy,
  MessageFile,
  MessagePart,
  ProviderData,
  ReasoningPart,
  ReplyPart,
  RequestedCall,
  SourcePart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from './model/parts.ts';
export type { Prices, Usage } from './model/prices.ts';
export type {
  AgentSettings,
  LoopToolChoice,
  ModelSettings,
  ModelTimeout,
  ReasoningEffort,
  ToolChoice,
} from './model/settings.ts';
export type { SuspendedTurn, TurnAnswer } from './session/watching/turn-outcome.ts';
export {
  type CollectOptions,
  eachTool,
  type ResolvedTools,
  resolveTools,
} from './sources/resolution/resolve-tools.ts';
export { toolProvider } from './sources/resolution/tool-provider.ts';
export {
  type ProviderCard,
  type Reference,
  type ToolFactory,
  type ToolGroup,
  type ToolGroupPermission,
  type ToolObjectSource,
  type ToolProvider,
  type ToolProviderConfig,
  ToolResolutionError,
  type ToolSource,
} from './sources/resolution/tool-source.ts';
export type { ToolArtifact, ToolArtifactItem } from './tool/artifact.ts';
export type {
  CallContext,
  Decision,
  DecisionKind,
  Effect,
  HistoryCall,
  HistoryMessage,
  Question,
  Reconciliation,
  TurnPrincipal,
  TurnSaid,
} from './tool/call.ts';
export { ToolDefinitionError } from './tool/check-definition.ts';
export type {
  ContentPart,
  FileContent,
  LinkedFile,
  NewFile,
  StoredFile,
  TextContent,
} from './tool/content.ts';
export { content, type FileSource, file, image } from './tool/content-result.ts';
export { defineTextTool, defineTool, type TextToolConfig, type ToolConfig } from './tool/define-tool.ts';
export { type DomainObjects, DomainTypeError } from './tool/domain-objects.ts';
export { type DomainType, type DomainTypeConfig, defineDomainType } from './tool/domain-type.ts';
export type { EnvOf, GivenEnv, WorkerEnv } from './tool/env.ts';
export type { CallLimit, Limits } from './tool/frame.ts';
export type { InputDeclaration, InputOf, LenientSchema } from './tool/input-schema.ts';
export type { AsJson, Json, JsonLike, JsonObject, JsonSchema } from './tool/json.ts';
export type { BlackboardEntry, CallBlackboard, CallState } from './tool/kept-values.ts';
export type { CheckedInput, ParsedInput } from './tool/parsed-input.ts';
export type { Parameter, PropertyDeclaration, PropertyValue } from './tool/property-schema.ts';
export { type DeclaredProviderTool, type ProviderToolOptions, providerTool } from './tool/provider-tool.ts';
export { Secrets } from './tool/secrets.ts';
export {
  exitEarly,
  replan,
  SignalError,
  ToolConfigurationError,
  terminateAction,
  terminateAgent,
} from './tool/signals.ts';
export type { AnyTool, Serial, Tool, ToolInput, ToolOutput } from './tool/tool.ts';
export {
  type ContextProblem,
  LOOP_ID_KEY,
  loopId,
  ToolCallContext,
  ToolCallContextError,
} from './tool/tool-call-context.ts';
export {
  type ArtifactType,
  artifact,
  type ContentResult,
  type ErrorReason,
  error,
  type ResultData,
  type Signal,
  type ToolResult,
  text,
} from './tool/tool-result.ts';
