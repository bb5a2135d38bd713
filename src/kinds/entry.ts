/** The entry `holdfast/kinds`: the kinds of tools, and the building blocks for your own kinds. */

export type { ParsedAnswer } from '../loop/answer-form.ts';
export { discoveryIn } from '../loop/discovery.ts';
export type { ExceptionOptions, ToolException } from '../loop/exception-processor.ts';
export type { Frame, Runner } from '../loop/loop-agent.ts';
export { nest } from '../loop/nest.ts';
export type { LoopLimits, LoopPolicies } from '../loop/policies.ts';
export type { NestedInstructions } from '../modules/agentic/agentic-tool.ts';
export {
  type LoopContext,
  withContext,
  withInstructions,
  withLimits,
  withModel,
  withSettings,
  withTools,
  withUse,
} from '../modules/agentic/copies.ts';
export { type AgenticToolConfig, defineAgenticTool } from '../modules/agentic/define-agentic-tool.ts';
export {
  defineSubagent,
  type SubagentConfig,
  type SubagentInput,
  type SubagentOutput,
} from '../modules/agentic/define-subagent.ts';
export type { AnyChained, Chained, ChainedType, DiscoveredType } from '../modules/chaining/chained.ts';
export {
  type AcceptOptions,
  chainAny,
  chainFrom,
  chaining,
  type DiscoverOptions,
  discover,
} from '../modules/chaining/define-chaining.ts';
export { definePipeline, type PipelineConfig } from '../modules/pipeline/define-pipeline.ts';
export type { AdaptedStep, Adapter, OnFailure, PipelineStep } from '../modules/pipeline/steps.ts';
export {
  definePlaybook,
  type LockedTool,
  type Playbook,
  type PlaybookConfig,
} from '../modules/playbook/define-playbook.ts';
export type { PlaybookProgress } from '../modules/playbook/unlock-condition.ts';
export {
  after,
  allOf,
  anyOf,
  onArtifact,
  onArtifactMatching,
  onBlackboard,
  onBlackboardMatching,
  PLAYBOOK as playbooks,
  type ProducedArtifact,
  type UnlockCondition,
  when,
} from '../modules/playbook/unlock-condition.ts';
export { agentProcessTools, communicateTool, progressTool } from '../modules/process/agent-process-tools.ts';
export {
  type BlackboardFormatter,
  type BlackboardToolsOptions,
  blackboardTools,
} from '../modules/process/blackboard-tools.ts';
export { AGENT_PROCESS as agentProcess } from '../modules/process/memory.ts';
export {
  defineStateMachine,
  type StateMachine,
  type StateMachineConfig,
  startingIn,
} from '../modules/state-machine/define-state-machine.ts';
export { STATE_MACHINES as stateMachines } from '../modules/state-machine/memory.ts';
export type { StateEntry } from '../modules/state-machine/read-machine.ts';
export { exclusively } from '../modules/state-machine/strategy.ts';
export {
  addTools,
  defineInjectionStrategy,
  hasChanges,
  type InjectionChange,
  type InjectionContext,
  type InjectionStrategyConfig,
  type LastCall,
  noChange,
  removeTools,
  replaceTools,
} from '../modules/strategies/define-injection-strategy.ts';
export {
  type CategoryUnfolding,
  defineUnfolding,
  type PlainUnfolding,
  type SelectableUnfolding,
  type UnfoldingConfig,
} from '../modules/unfolding/define-unfolding.ts';
export { UNFOLDING as unfolding } from '../modules/unfolding/strategy.ts';
export { type ToolsForOptions, toolsFor } from '../modules/unfolding/tools-for.ts';
export type { UnfoldingOptions, UnfoldingScope, UnfoldingTool } from '../modules/unfolding/unfolding.ts';
export { withInnerTools, withUnfolding } from '../modules/unfolding/with-unfolding.ts';
export type { CollectOptions, ResolvedTools } from '../sources/resolution/resolve-tools.ts';
export type { ProviderCard, ToolFactory, ToolObjectSource } from '../sources/resolution/tool-source.ts';
export type { HistoryCall, HistoryMessage, ToolEffect, TurnSaid } from '../tool/call.ts';
export type { BudgetView, DoneCall, FrameOutcome, Plan, PlannedCall, ProcessView } from '../tool/frame.ts';
export type { BlackboardEntry, CallBlackboard, CallState } from '../tool/kept-values.ts';
export type { CheckedInput, ParsedInput } from '../tool/problem-lines.ts';
export type {
  AddedInput,
  CallRemarks,
  CallRun,
  Discover,
  Discovery,
  InjectionStrategy,
  Instructions,
  KeptValue,
  LoopView,
  RemarkedCall,
  RoutedCall,
  SessionCredentials,
} from '../tool/tool.ts';
