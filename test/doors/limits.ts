/** Internals for tests: the memory of the module for call limits. */

export { SUMMARY_MEMORY } from '../../src/modules/compaction/summarize.ts';
export { CALL_COUNTS, type CallCounts } from '../../src/modules/limits/call-limits.ts';
