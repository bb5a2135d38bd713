/** The entry `holdfast/decorators`: a decorator takes a tool and answers a tool. */

export { decorate, unwrapAs } from '../tool/decorate.ts';
export { manual } from '../tool/manual.ts';
export { mapContent } from '../tool/tool-result.ts';
export { type AwaitingDecider, withAwaiting, withConfirmation } from './approvals/require-approval.ts';
export { type RequireTypeOptions, requireType } from './approvals/require-type.ts';
export type { OnTimeout, Review, ReviewHandler, ReviewRequest } from './approvals/review.ts';
export {
  autoApprove,
  autoApproveWithDelay,
  type ReviewOptions,
  serialised,
  withReview,
} from './approvals/with-review.ts';
export { type LoopMemo, loopMemo, oneShotPerLoop } from './one-shot-per-loop.ts';
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
} from './sink-artifacts.ts';
export type { Sink, SinkCall } from './sinks/sink.ts';
export {
  type CallEnd,
  type PublishToolCall,
  type ToolCallEvent,
  type ToolObservation,
  type ToolObserver,
  type WatchedCall,
  withEventPublication,
  withObservability,
} from './watch-call.ts';
export {
  withCoercion,
  withDescription,
  withMetadata,
  withName,
  withParameter,
  withUsageNote,
} from './with-name.ts';
