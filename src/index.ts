/** The entry `holdfast`: what agents and tools are made with. Nothing here needs a Worker. */
export { AgentDefinitionError } from './agent/agent-definition-error.ts';
export type { AgentOutput, OutputOf } from './agent/agent-output.ts';
export { type Agent, type AgentConfig, defineAgent, type LoopIds } from './agent/define-agent.ts';
export type { Reference } from './agent/reference.ts';
export type { Retention } from './agent/retention.ts';
export type { RoleRequest, ToolGroupRequest } from './agent/tool-groups/tool-group-request.ts';
export type { NestedInstructions } from './agentic/agentic-tool.ts';
export { type AgenticToolConfig, defineAgenticTool } from './agentic/define-agentic-tool.ts';
export { defineSubagent, type SubagentConfig, type SubagentInput } from './agentic/define-subagent.ts';
export { type AnyChained, chainAny } from './chaining/chain-any.ts';
export { type AcceptOptions, type ChainedType, chainFrom } from './chaining/chain-from.ts';
export type { Chained, Chaining } from './chaining/chaining.ts';
export { type DiscoveredType, type DiscoverOptions, discover } from './chaining/discover.ts';
export { type Summarise, type SummaryOptions, summarised } from './compaction/summarised.ts';
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
export {
  definePlaybook,
  type LockedTool,
  type Playbook,
  type PlaybookConfig,
} from './playbook/define-playbook.ts';
export type { PlaybookProgress } from './playbook/playbook-progress.ts';
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
} from './playbook/unlock-condition.ts';
export { agentProcessTools } from './process/agent-process-tools.ts';
export {
  type BlackboardFormatter,
  type BlackboardToolsOptions,
  blackboardTools,
} from './process/blackboard-tools.ts';
export { communicateTool } from './process/communicate-tool.ts';
export { progressTool } from './process/progress-tool.ts';
export { scheduleMessage } from './process/schedule-message.ts';
export type { PendingCall } from './session/pending-call.ts';
export type { SuspendedTurn, TurnAnswer } from './session/turn-answer.ts';
export {
  defineStateMachine,
  type StateMachine,
  type StateMachineConfig,
} from './state-machine/define-state-machine.ts';
export type { StateEntry } from './state-machine/read-states.ts';
export { startingIn } from './state-machine/starting-in.ts';
export type { ParsedAnswer } from './tool-loop/answer-form.ts';
export { type CallOutcome, callOutcome } from './tool-loop/call-outcome.ts';
export type { Compaction } from './tool-loop/compaction.ts';
export {
  type ExceptionOptions,
  type ExceptionProcessor,
  exceptionProcessor,
  type ToolException,
} from './tool-loop/exception-processor.ts';
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
} from './tool-loop/inspector.ts';
export {
  type LoggingOptions,
  type LogLevel,
  type LogLine,
  loggingInspector,
} from './tool-loop/logging-inspector.ts';
export type { LoopLimits } from './tool-loop/loop.ts';
export { type LoopLoggingOptions, loopLoggingInspector } from './tool-loop/loop-logging-inspector.ts';
export {
  type Metrics,
  type MetricTags,
  metricsInspector,
  NO_METRICS,
} from './tool-loop/metrics-inspector.ts';
export type {
  BlankReplyPolicy,
  Eligible,
  LoopPolicies,
  Policies,
  UnknownToolPolicy,
} from './tool-loop/policies.ts';
export { slidingWindow } from './tool-loop/sliding-window.ts';
export type { LoopTransformer } from './tool-loop/transformer.ts';
export {
  charsShown,
  fullLength,
  type TruncationMarker,
  type TruncationOptions,
  truncateToolResults,
} from './tool-loop/truncate-tool-results.ts';
export type { ApprovalMessage } from './tools/approvals/approval-message.ts';
export type { ApprovalOptions } from './tools/approvals/approval-options.ts';
export { autoApprove } from './tools/approvals/auto-approve.ts';
export { autoApproveWithDelay } from './tools/approvals/auto-approve-with-delay.ts';
export { type HumanInputConfig, humanInput, type Question } from './tools/approvals/human-input.ts';
export type { AwaitingDecider } from './tools/approvals/pausing.ts';
export { requireApproval } from './tools/approvals/require-approval.ts';
export { type RequireTypeOptions, requireType } from './tools/approvals/require-type.ts';
export type { OnTimeout, Review, ReviewHandler, ReviewRequest } from './tools/approvals/review.ts';
export { serialised } from './tools/approvals/serialised.ts';
export { withAwaiting } from './tools/approvals/with-awaiting.ts';
export { withConfirmation } from './tools/approvals/with-confirmation.ts';
export { type ReviewOptions, withReview } from './tools/approvals/with-review.ts';
export { type Asset, assetsOf } from './tools/assets-of.ts';
export type { CheckedInput } from './tools/check-input.ts';
export type { Decision, DecisionKind, DecisionRequest } from './tools/decision.ts';
export { decorate, unwrapAs } from './tools/decorate.ts';
export {
  conditionalReplan,
  type ReplanContext,
  type ReplanDecider,
  type ReplanOptions,
  replanAndAdd,
  replanWhen,
} from './tools/decorators/conditional-replan.ts';
export { oneShotPerLoop } from './tools/decorators/one-shot-per-loop.ts';
export { type PublishOptions, publishToBlackboard } from './tools/decorators/publish-to-blackboard.ts';
export {
  type BlackboardUpdater,
  type ReplanDecision,
  replanAlways,
  replanning,
} from './tools/decorators/replanning.ts';
export { type SinkOptions, sinkArtifacts, type TransformOptions } from './tools/decorators/sink-artifacts.ts';
export { type AssetOptions, trackAssets } from './tools/decorators/track-assets.ts';
export type { CallEnd, WatchedCall } from './tools/decorators/watch-call.ts';
export { withCoercion } from './tools/decorators/with-coercion.ts';
export { withDescription } from './tools/decorators/with-description.ts';
export {
  type PublishToolCall,
  type ToolCallEvent,
  withEventPublication,
} from './tools/decorators/with-event-publication.ts';
export { withMetadata } from './tools/decorators/with-metadata.ts';
export { withName } from './tools/decorators/with-name.ts';
export { withNote } from './tools/decorators/with-note.ts';
export {
  type ToolObservation,
  type ToolObserver,
  withObservability,
} from './tools/decorators/with-observability.ts';
export { withParameter } from './tools/decorators/with-parameter.ts';
export { defineTextTool, type TextToolConfig } from './tools/define-text-tool.ts';
export { defineTool, type ToolConfig } from './tools/define-tool.ts';
export type { Discover, Discovery } from './tools/discovery.ts';
export type { DomainObjects } from './tools/domain-objects.ts';
export { type DomainType, type DomainTypeConfig, defineDomainType } from './tools/domain-type.ts';
export { DomainTypeError, type DomainTypeField } from './tools/domain-type-error.ts';
export type { OpeningScope } from './tools/facades/openings.ts';
export type {
  CategoryUnfolding,
  PlainUnfolding,
  SelectableUnfolding,
  UnfoldingConfig,
  UnfoldingOptions,
  UnfoldingTool,
} from './tools/facades/unfolding-config.ts';
export { formatToolTree } from './tools/format-tool-tree.ts';
export type { DoneCall, Frame, FrameOutcome, Instructions, Plan, PlannedCall } from './tools/frame.ts';
export { CORE_ROLES } from './tools/groups/core-roles.ts';
export {
  defineToolGroup,
  type ToolGroup,
  type ToolGroupConfig,
  ToolGroupDefinitionError,
  type ToolGroupPermission,
} from './tools/groups/define-tool-group.ts';
export type { InjectionStrategy, LoopView, NotedCall, Notes } from './tools/injection.ts';
export {
  defineInjectionStrategy,
  type InjectionContext,
  type InjectionStrategyConfig,
} from './tools/injection-strategy/define-injection-strategy.ts';
export {
  addTools,
  hasChanges,
  type InjectionChange,
  noChange,
  removeTools,
  replaceTools,
} from './tools/injection-strategy/injection-change.ts';
export type { LastCall } from './tools/injection-strategy/past-calls.ts';
export type { InputDeclaration, InputOf, ParsedInput } from './tools/input-schema.ts';
export type { AsJson, Json, JsonLike, JsonObject } from './tools/json.ts';
export type { LenientSchema } from './tools/lenient-schema.ts';
export type { CallLimit, Limits } from './tools/limits.ts';
export { LISTINGS, type Listing, type ListingFact, type Listings } from './tools/listings.ts';
export { type LoopMemo, loopMemo } from './tools/loop-memo.ts';
export { manual } from './tools/manual.ts';
export { mapContent } from './tools/map-content.ts';
export { ToolObjectError } from './tools/objects/tool-object-error.ts';
export type { ToolEntry, ToolTable } from './tools/objects/tool-table.ts';
export { type ToolsOfOptions, toolsOf } from './tools/objects/tools-of.ts';
export { toolsOfAll } from './tools/objects/tools-of-all.ts';
export { toolsOfSafely } from './tools/objects/tools-of-safely.ts';
export { type UnfoldingDeclaration, unfoldingOf } from './tools/objects/unfolding-of.ts';
export { unfoldingOfSafely } from './tools/objects/unfolding-of-safely.ts';
export {
  arrayParameter,
  booleanParameter,
  type EnumOptions,
  integerParameter,
  numberParameter,
  objectParameter,
  type Parameter,
  type ParameterOptions,
  type ParameterValues,
  stringParameter,
} from './tools/parameters/parameter.ts';
export { type ParametersSchema, parameters } from './tools/parameters/parameters.ts';
export type { PropertyDeclaration, PropertyValue } from './tools/parameters/property-schema.ts';
export { definePipeline, type PipelineConfig } from './tools/pipeline/define-pipeline.ts';
export type { OnFailure } from './tools/pipeline/pipeline-progress.ts';
export type { AdaptedStep, Adapter, PipelineStep } from './tools/pipeline/pipeline-step.ts';
export type { BudgetView, ProcessView } from './tools/process-view.ts';
export type { CollectOptions } from './tools/resolution/collect-tools.ts';
export { type ResolvedTools, resolveTools } from './tools/resolution/resolve-tools.ts';
export { ToolResolutionError } from './tools/resolution/tool-resolution-error.ts';
export type {
  ProviderCard,
  ToolObjectSource,
  ToolProvider,
  ToolSource,
} from './tools/resolution/tool-source.ts';
export { artifact, error, text } from './tools/results.ts';
export { Secrets } from './tools/secrets.ts';
export {
  exitEarly,
  replan,
  SignalError,
  ToolConfigurationError,
  terminateAction,
  terminateAgent,
} from './tools/signals.ts';
export { type BlackboardSinkOptions, blackboardSink } from './tools/sinks/blackboard-sink.ts';
export { compositeSink } from './tools/sinks/composite-sink.ts';
export { type ListSink, listSink } from './tools/sinks/list-sink.ts';
export type { Sink, SinkCall } from './tools/sinks/sink.ts';
export type { SliceFact } from './tools/slice.ts';
export { toMermaid } from './tools/to-mermaid.ts';
export type {
  AnyTool,
  BlackboardEntry,
  CallBlackboard,
  CallScope,
  CallState,
  Effect,
  HistoryCall,
  HistoryMessage,
  JsonSchema,
  Leaf,
  Reconciliation,
  ResultRequest,
  RoutedCall,
  RunningDecisionRequest,
  ScheduleRequest,
  Serial,
  Tool,
  ToolCall,
  ToolInvocation,
} from './tools/tool.ts';
export {
  type ContextProblem,
  LOOP_ID_KEY,
  loopId,
  ToolCallContext,
  ToolCallContextError,
} from './tools/tool-call-context.ts';
export { ToolDefinitionError } from './tools/tool-definition-error.ts';
export type { ToolInput } from './tools/tool-input.ts';
export type { ToolArtifact, ToolArtifactItem, ToolOutput } from './tools/tool-output.ts';
export type { ArtifactType, ErrorReason, ResultData, Signal, ToolResult } from './tools/tool-result.ts';
export type { TurnPrincipal } from './tools/turn-principal.ts';
export { defineUnfolding } from './unfolding/define-unfolding.ts';
export { withInnerToolObject, withInnerTools } from './unfolding/with-inner-tools.ts';
export { withUnfolding } from './unfolding/with-unfolding.ts';
