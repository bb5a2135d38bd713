import { ask } from './ask.ts';
import type { Reply } from './reply.ts';

/** Where a turn stands, as its address tells. */
export const lookUp = (path: string, turn: string, signal: AbortSignal): Promise<Reply> =>
  ask({ url: `${path}/turns/${turn}`, signal });
