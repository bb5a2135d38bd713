import type { Journal } from '../journal.ts';
import { kinds } from './kinds.ts';
import { leaves } from './leaves.ts';
import { limits } from './limits.ts';
import { nestedLoops } from './nested.ts';
import { outsideJournals } from './outside.ts';
import { waitJournals } from './waits.ts';

/**
 * All stored sessions. Do not change these sessions, because the files of earlier versions must not change. Add
 * a new session instead.
 */
export const journals: readonly Journal[] = [
  ...leaves,
  ...kinds,
  ...nestedLoops,
  ...waitJournals,
  ...limits,
  ...outsideJournals,
];
