/** The entry `holdfast/compaction`, which replaces the older turns of a long conversation with a summary. */

export { type SummaryOptions, summarize } from './summarize.ts';
export type { Summarize } from './write-summary.ts';
