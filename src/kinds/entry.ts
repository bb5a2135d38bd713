/** The entry `holdfast/kinds`: the kinds of tools that there are, and what tools of your own modules are made with. */

export {
  type UnfoldingDeclaration,
  unfoldingOf,
  unfoldingOfSafely,
} from '../sources/objects/tools-of.ts';
export { definePipeline, type PipelineConfig } from '../sources/pipeline/define-pipeline.ts';
export type { AdaptedStep, Adapter, OnFailure, PipelineStep } from '../sources/pipeline/steps.ts';
export type { CallScope, ToolExecution } from '../tool/call.ts';
export type { Chained, Chaining } from '../tool/chaining.ts';
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
} from '../tool/define-injection-strategy.ts';
export type { DoneCall, FrameOutcome, FrameRunner, Plan, PlannedCall } from '../tool/frame.ts';
export type { ModuleUse } from '../tool/module-use.ts';
export type { BudgetView, ProcessView } from '../tool/process-view.ts';
export type {
  CallRemarks,
  Discover,
  Discovery,
  Frame,
  InjectionStrategy,
  Instructions,
  KeptValue,
  LiveCall,
  LoopView,
  RemarkedCall,
  RoutedCall,
  SessionCredentials,
} from '../tool/tool.ts';
export type { UnfoldingOptions, UnfoldingTool } from '../tool/unfolding/define-unfolding.ts';
export { UNFOLDING as unfolding } from '../tool/unfolding/strategy.ts';
export type { UnfoldingScope } from '../tool/unfolding/unfolding.ts';
export type { NestedInstructions } from './agentic/agentic-tool.ts';
export { withContext, withInstructions, withModel, withTools } from './agentic/copies.ts';
export { type AgenticToolConfig, defineAgenticTool } from './agentic/define-agentic-tool.ts';
export { defineSubagent, type SubagentConfig, type SubagentInput } from './agentic/define-subagent.ts';
export type { AnyChained, ChainedType, DiscoveredType } from './chaining/chained.ts';
export {
  type AcceptOptions,
  chainAny,
  chainFrom,
  type DiscoverOptions,
  discover,
} from './chaining/define-chaining.ts';
export { CHAINING as chaining } from './chaining/memory.ts';
export {
  definePlaybook,
  type LockedTool,
  type Playbook,
  type PlaybookConfig,
} from './playbook/define-playbook.ts';
export type { PlaybookProgress } from './playbook/memory.ts';
export { PLAYBOOK as playbooks } from './playbook/memory.ts';
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
export { AGENT_PROCESS as agentProcess } from './process/memory.ts';
export { communicateTool, progressTool } from './process/message-tools.ts';
export {
  defineStateMachine,
  type StateMachine,
  type StateMachineConfig,
  startingIn,
} from './state-machine/define-state-machine.ts';
export { STATE_MACHINES as stateMachines } from './state-machine/memory.ts';
export type { StateEntry } from './state-machine/read-machine.ts';
export {
  type CategoryUnfolding,
  defineUnfolding,
  type PlainUnfolding,
  type SelectableUnfolding,
  type UnfoldingConfig,
} from './unfolding/define-unfolding.ts';
export { type ToolsForOptions, toolsFor } from './unfolding/tools-for.ts';
export { withInnerToolObject, withInnerTools, withUnfolding } from './unfolding/with-unfolding.ts';
