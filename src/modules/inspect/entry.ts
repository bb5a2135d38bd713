/** The entry `holdfast/inspect`: what watches a loop: loggers, metrics and inspectors of your own. */

export { formatToolTree, toMermaid } from '../../tool/draw.ts';
export { inspect } from './inspect.ts';
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
} from './inspector.ts';
export {
  type LoggingOptions,
  type LogLevel,
  type LogLine,
  type LoopLoggingOptions,
  loggingInspector,
  loopLoggingInspector,
} from './logging-inspector.ts';
export {
  type CallOutcome,
  callOutcome,
  type Metrics,
  type MetricTags,
  metricsInspector,
  NO_METRICS,
} from './metrics-inspector.ts';
