/** A door for tests. The timeline of a turn, which several modules draw. */
export type { CallNode, LoopNode, TurnTimeline } from '../../src/modules/timeline/timeline.ts';
export { timelineOf } from '../../src/modules/timeline/timeline-of.ts';
