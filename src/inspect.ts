/** The entry `holdfast/inspect`: what watches a loop: loggers, metrics and inspectors of one's own. */

export type {
  CallSeen,
  IterationSeen,
  LoopInspector,
  LoopMoments,
  LoopPlace,
  ModelCallSeen,
  ModelFailureSeen,
  ReplySeen,
  ToolCallSeen,
  ToolResultSeen,
  ToolsChangeSeen,
} from './loop/inspector.ts';
export {
  type LoggingOptions,
  type LogLevel,
  type LogLine,
  type LoopLoggingOptions,
  loggingInspector,
  loopLoggingInspector,
} from './loop/logging-inspector.ts';
export {
  type CallOutcome,
  callOutcome,
  type Metrics,
  type MetricTags,
  metricsInspector,
  NO_METRICS,
} from './loop/metrics-inspector.ts';
export { formatToolTree, toMermaid } from './tool/draw.ts';
