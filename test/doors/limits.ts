/** A door for tests. What the module of call limits remembers. */

export { DROPPED } from '../../src/modules/compaction/summarize.ts';
export { COUNTED, type Counted } from '../../src/modules/limits/call-limits.ts';
