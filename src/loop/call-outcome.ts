import type { ResultData } from '../tool/tool-result.ts';

/**
 * What came of a call, for whoever counts (AEL-06). `failure`: the tool, or whoever was asked, said no. `error`: its
 * code threw, or nobody knows. `skipped`: it was not run, since a limit was met or the loop had ended.
 */
export type CallOutcome = 'success' | 'failure' | 'error' | 'skipped';

/** Decided by the type of the result, never by its words (AEL-08). */
export function callOutcome(result: ResultData): CallOutcome {
  if (result.type !== 'error') return 'success';
  switch (result.reason) {
    case 'limit':
    case 'skipped':
      return 'skipped';
    case 'threw':
    case 'timeout':
    case 'cancelled':
    case 'unknown-outcome':
      return 'error';
    default:
      return result.signal ? 'error' : 'failure';
  }
}
