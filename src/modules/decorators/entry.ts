/** The entry `holdfast/decorators`: functions that take a tool and return a decorated tool. */

export { decorate, unwrapAs } from '../../tool/decorate.ts';
export { mapContent } from '../../tool/tool-result.ts';
export {
  withCoercion,
  withDescription,
  withMetadata,
  withName,
  withParameter,
  withUsageNote,
} from '../../tool/with.ts';
export { manual } from '../answers/manual.ts';
export {
  type ApprovalMessage,
  type ApprovalOptions,
  type AwaitingDecider,
  type RequireTypeOptions,
  requireApproval,
  requireType,
  withAwaiting,
  withConfirmation,
} from './approval.ts';
export type { Covers } from './guard.ts';
export { type HumanInputConfig, type HumanQuestion, humanInput } from './human-input.ts';
export {
  type CallEnd,
  type PublishToolCall,
  type ToolCallEvent,
  type ToolObservation,
  type ToolObserver,
  type WatchedCall,
  withEventPublication,
  withObservability,
} from './observe.ts';
export { type LoopMemo, loopMemo, oneShotPerLoop } from './one-shot.ts';
export { withOutput } from './output.ts';
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
} from './replanning.ts';
export {
  autoApprove,
  autoApproveWithDelay,
  type OnTimeout,
  type Review,
  type ReviewHandler,
  type ReviewOptions,
  type ReviewRequest,
  serialized,
  withReview,
} from './review.ts';
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
  type Sink,
  type SinkCall,
  type SinkOptions,
  sinkArtifacts,
  type TransformOptions,
  trackAssets,
} from './sinks.ts';
