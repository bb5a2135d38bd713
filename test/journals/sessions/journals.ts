import type { Journal } from '../journal.ts';
import { kinds } from './kinds.ts';
import { leaves } from './leaves.ts';
import { limits } from './limits.ts';
import { nestedLoops } from './nested.ts';
import { outside } from './outside.ts';
import { waits } from './waits.ts';

/** All sessions that are kept. One that is in a folder of an earlier version stays as it is: add another. */
export const journals: readonly Journal[] = [
  ...leaves,
  ...kinds,
  ...nestedLoops,
  ...waits,
  ...limits,
  ...outside,
];
