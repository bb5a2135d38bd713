import { ask } from './ask.ts';
import type { Reply } from './reply.ts';

/** Reads the state of a turn. */
export const lookUp = (path: string, turn: string, signal: AbortSignal): Promise<Reply> =>
  ask({ url: `${path}/turns/${turn}`, signal });
