/** The entry `holdfast`: what agents and tools are made with. Nothing here needs a Worker. */
export { AgentDefinitionError } from './agent/agent-definition-error.ts';
export type { AgentOutput, OutputOf } from './agent/agent-output.ts';
export type { Retention } from './agent/check-settings.ts';
export { type Agent, type AgentConfig, defineAgent, type LoopIds } from './agent/define-agent.ts';
export type { RoleRequest, ToolGroupRequest } from './agent/tool-groups/tool-group-request.ts';
export type { ApprovalMessage } from './decorators/approvals/approval-message.ts';
export type { ApprovalOptions } from './decorators/approvals/approval-options.ts';
export { type HumanInputConfig, humanInput, type Question } from './decorators/approvals/human-input.ts';
export {
  type AwaitingDecider,
  requireApproval,
  withAwaiting,
  withConfirmation,
} from './decorators/approvals/require-approval.ts';
export { type RequireTypeOptions, requireType } from './decorators/approvals/require-type.ts';
export type { OnTimeout, Review, ReviewHandler, ReviewRequest } from './decorators/approvals/review.ts';
export {
  autoApprove,
  autoApproveWithDelay,
  type ReviewOptions,
  serialised,
  withReview,
} from './decorators/approvals/with-review.ts';
export { type LoopMemo, loopMemo, oneShotPerLoop } from './decorators/one-shot-per-loop.ts';
export {
  type BlackboardUpdater,
  conditionalReplan,
  type ReplanContext,
  type ReplanDecider,
  type ReplanDecision,
  type ReplanOptions,
  replanAlways,
  replanAndAdd,
  replanning,
  replanWhen,
} from './decorators/replanning.ts';
export {
  type Asset,
  type AssetOptions,
  assetsOf,
  type BlackboardSinkOptions,
  blackboardSink,
  compositeSink,
  type ListSink,
  listSink,
  type PublishOptions,
  publishToBlackboard,
  type SinkOptions,
  sinkArtifacts,
  type TransformOptions,
  trackAssets,
} from './decorators/sink-artifacts.ts';
export type { Sink, SinkCall } from './decorators/sinks/sink.ts';
export {
  type CallEnd,
  type PublishToolCall,
  type ToolCallEvent,
  type ToolObservation,
  type ToolObserver,
  type WatchedCall,
  withEventPublication,
  withObservability,
} from './decorators/watch-call.ts';
export {
  withCoercion,
  withDescription,
  withMetadata,
  withName,
  withParameter,
  withUsageNote,
} from './decorators/with-name.ts';
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
export type { NestedInstructions } from './kinds/agentic/agentic-tool.ts';
export { type AgenticToolConfig, defineAgenticTool } from './kinds/agentic/define-agentic-tool.ts';
export { defineSubagent, type SubagentConfig, type SubagentInput } from './kinds/agentic/define-subagent.ts';
export { type AcceptOptions, type ChainedType, chainFrom } from './kinds/chaining/chain-from.ts';
export { type AnyChained, type Chained, type Chaining, chainAny } from './kinds/chaining/chaining.ts';
export { type DiscoveredType, type DiscoverOptions, discover } from './kinds/chaining/discover.ts';
export {
  definePlaybook,
  type LockedTool,
  type Playbook,
  type PlaybookConfig,
} from './kinds/playbook/define-playbook.ts';
export type { PlaybookProgress } from './kinds/playbook/playbook-progress.ts';
export {
  after,
  allOf,
  anyOf,
  onArtifact,
  onArtifactMatching,
  onBlackboard,
  onBlackboardMatching,
  type ProducedArtifact,
  type UnlockCondition,
  when,
} from './kinds/playbook/unlock-condition.ts';
export { agentProcessTools } from './kinds/process/agent-process-tools.ts';
export {
  type BlackboardFormatter,
  type BlackboardToolsOptions,
  blackboardTools,
} from './kinds/process/blackboard-tools.ts';
export { communicateTool, progressTool } from './kinds/process/progress-tool.ts';
export { scheduleMessage } from './kinds/process/schedule-message.ts';
export {
  defineStateMachine,
  type StateMachine,
  type StateMachineConfig,
  startingIn,
} from './kinds/state-machine/define-state-machine.ts';
export type { StateEntry } from './kinds/state-machine/read-machine.ts';
export { withInnerToolObject, withInnerTools, withUnfolding } from './kinds/unfolding/with-unfolding.ts';
export { type CallOutcome, callOutcome } from './loop/call-outcome.ts';
export { type Summarise, type SummaryOptions, summarised } from './loop/compaction/summarised.ts';
export type { Compaction } from './loop/compaction.ts';
export {
  type ExceptionOptions,
  type ExceptionProcessor,
  exceptionProcessor,
  type ToolException,
} from './loop/exception-processor.ts';
export type {
  CallSeen,
  IterationSeen,
  LoopInspector,
  LoopMoments,
  LoopPlace,
  ModelCallSeen,
  ReplySeen,
  ToolCallSeen,
  ToolResultSeen,
} from './loop/inspector.ts';
export {
  type LoggingOptions,
  type LogLevel,
  type LogLine,
  loggingInspector,
} from './loop/logging-inspector.ts';
export type { ParsedAnswer } from './loop/loop.ts';
export type { LoopLimits } from './loop/loop-limits.ts';
export { type LoopLoggingOptions, loopLoggingInspector } from './loop/loop-logging-inspector.ts';
export {
  type Metrics,
  type MetricTags,
  metricsInspector,
  NO_METRICS,
} from './loop/metrics-inspector.ts';
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
export { type UnfoldingDeclaration, unfoldingOf, unfoldingOfSafely } from './sources/objects/unfolding-of.ts';
export { definePipeline, type PipelineConfig } from './sources/pipeline/define-pipeline.ts';
export type { OnFailure } from './sources/pipeline/pipeline-progress.ts';
export type { AdaptedStep, Adapter, PipelineStep } from './sources/pipeline/pipeline-step.ts';
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
export { decorate, unwrapAs } from './tool/decorate.ts';
export { defineTextTool, type TextToolConfig } from './tool/define-text-tool.ts';
export { defineTool, type ToolConfig } from './tool/define-tool.ts';
export {
  defineToolKind,
  type KindMemory,
  type RememberingKind,
  type ToolKind,
  type ToolKindConfig,
  ToolKindError,
  type ToolMemoryConfig,
} from './tool/define-tool-kind.ts';
export type { DomainObjects } from './tool/domain-objects.ts';
export { type DomainType, type DomainTypeConfig, defineDomainType } from './tool/domain-type.ts';
export { DomainTypeError, type DomainTypeField } from './tool/domain-type-error.ts';
export type { DoneCall, Frame, FrameOutcome, Instructions, Plan, PlannedCall } from './tool/frame.ts';
export type {
  CallRemarks,
  Discover,
  Discovery,
  InjectionStrategy,
  LoopView,
  RemarkedCall,
} from './tool/injection.ts';
export {
  addTools,
  defineInjectionStrategy,
  hasChanges,
  type InjectionChange,
  type InjectionContext,
  type InjectionStrategyConfig,
  noChange,
  removeTools,
  replaceTools,
} from './tool/injection-strategy/define-injection-strategy.ts';
export type { LastCall } from './tool/injection-strategy/past-calls.ts';
export type {
  InputDeclaration,
  InputOf,
  LenientSchema,
  ParsedInput,
  ToolInput,
} from './tool/input-schema.ts';
export type { AsJson, Json, JsonLike, JsonObject } from './tool/json.ts';
export type { CallLimit, Limits } from './tool/limits.ts';
export { LISTINGS, type Listing, type ListingFact, type Listings } from './tool/listings.ts';
export { manual } from './tool/manual.ts';
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
export type { BudgetView, ProcessView } from './tool/process-view.ts';
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
export { formatToolTree, toMermaid } from './tool/to-mermaid.ts';
export type {
  AnyTool,
  BlackboardEntry,
  CallBlackboard,
  CallScope,
  CallState,
  Decision,
  DecisionKind,
  DecisionRequest,
  Effect,
  HistoryCall,
  HistoryMessage,
  JsonSchema,
  LiveCall,
  Reconciliation,
  ResultRequest,
  RoutedCall,
  RunningDecisionRequest,
  ScheduleRequest,
  Serial,
  Tool,
  ToolCall,
  ToolExecution,
  TurnPrincipal,
} from './tool/tool.ts';
export {
  type ContextProblem,
  LOOP_ID_KEY,
  loopId,
  ToolCallContext,
  ToolCallContextError,
} from './tool/tool-call-context.ts';
export type {
  FactOptions,
  FactPlace,
  MemoryFact,
  MemoryPlace,
  SessionMoment,
  ToolMemory,
} from './tool/tool-memory.ts';
export type { ToolArtifact, ToolArtifactItem, ToolOutput } from './tool/tool-output.ts';
export {
  type ArtifactType,
  artifact,
  type ErrorReason,
  error,
  mapContent,
  type ResultData,
  type Signal,
  type ToolResult,
  text,
} from './tool/tool-result.ts';
export type { OpeningScope } from './tool/unfolding/facade.ts';
export { defineUnfolding } from './tool/unfolding/to-unfolding.ts';
export type {
  CategoryUnfolding,
  PlainUnfolding,
  SelectableUnfolding,
  UnfoldingConfig,
  UnfoldingOptions,
  UnfoldingTool,
} from './tool/unfolding/unfolding-config.ts';
