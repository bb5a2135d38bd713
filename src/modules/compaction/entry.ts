/** The entry `holdfast/compaction`: a summary stands for the older turns of a long conversation. */

export { type SummaryOptions, summarize } from './summarize.ts';
export type { Summarize } from './write-summary.ts';
