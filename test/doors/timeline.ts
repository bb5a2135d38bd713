/** Internals for tests: the timeline of a turn, which several modules use. */
export type { CallNode, LoopNode, TurnTimeline } from '../../src/modules/timeline/timeline.ts';
export { createTimeline } from '../../src/modules/timeline/timeline-of.ts';
