/** The entry `holdfast`: the functions to define agents and tools. None of them needs a Worker. */

export { AgentDefinitionError } from './agent/check-settings.ts';
export {
  type Agent,
  type AgentConfig,
  type AgentLimits,
  defineAgent,
} from './agent/define-agent.ts';
export {
  createHoldfast,
  createTestSession,
  defineAgenticTool,
  definePipeline,
  definePlaybook,
  defineStateMachine,
  defineSubagent,
  defineUnfolding,
  requireApproval,
} from './elsewhere.ts';
export type { Principal } from './journal/events.ts';
export type { AnswerForm, OutputOf } from './loop/answer-form.ts';

export { type ExceptionProcessor, exceptionProcessor } from './loop/exception-processor.ts';

export type {
  BlankReplyPolicy,
  EligibilityCheck,
  Policies,
  UnknownToolPolicy,
} from './loop/policies.ts';
export { readResult } from './loop/read-result.ts';
export { type ChatModel, ModelError } from './model/chat-model.ts';
export { fallback } from './model/fallback.ts';

export type { Prices } from './model/prices.ts';
export type { AgentSettings, ModelTimeout } from './model/settings.ts';
export type { SuspendedTurn, TurnAnswer } from './session/watching/turn-outcome.ts';
export { eachTool, resolveTools } from './sources/resolution/resolve-tools.ts';
export { toolProvider } from './sources/resolution/tool-provider.ts';
export {
  type ToolGroup,
  type ToolGroupPermission,
  type ToolProvider,
  type ToolProviderConfig,
  ToolResolutionError,
  type ToolSource,
} from './sources/resolution/tool-source.ts';
export type {
  Answer,
  CallContext,
  Decision,
  DecisionKind,
  Effect,
  Question,
  Reconciliation,
  TurnPrincipal,
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
export { defineTextTool, defineTool, type TextToolConfig, type ToolConfig } from './tool/define-tool.ts';
export { type DomainObjects, DomainTypeError } from './tool/domain-objects.ts';
export {
  type DomainType,
  type DomainTypeConfig,
  defineDomainType,
  type ToolArtifact,
  type ToolArtifactItem,
} from './tool/domain-type.ts';
export type { EnvOf, GivenEnv, WorkerEnv } from './tool/env.ts';
export type { CallLimit, Limits } from './tool/frame.ts';
export type {
  InputDeclaration,
  InputOf,
  LenientSchema,
  Parameter,
  PropertyDeclaration,
  PropertyValue,
} from './tool/input-schema.ts';
export type { AsJson, Json, JsonLike, JsonObject, JsonSchema } from './tool/json.ts';
export type { ModuleUse } from './tool/module-use.ts';
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
export { content, type FileSource, file, image } from './tool/to-tool-result.ts';
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
