/** A door for tests. The memory of the module of call limits. */

export { DROPPED } from '../../src/modules/compaction/summarize.ts';
export { COUNTED, type Counted } from '../../src/modules/limits/call-limits.ts';
