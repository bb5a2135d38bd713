/** A door for tests. The memory of the module of call limits. */

export { DROPPED } from '../../src/modules/compaction/summarize.ts';
export { CALL_COUNTS, type CallCounts } from '../../src/modules/limits/call-limits.ts';
