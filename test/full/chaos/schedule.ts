import type { Chance } from '../process/chance.ts';

/**
 * How long each process lives, from its first answer to its kill, in ms: some die before a lease of the process before them
 * has run out, and some long after turns have been taken over.
 */
export const drawLives = (chance: Chance, kills: number, leaseMs: number): readonly number[] =>
  Array.from({ length: kills }, () => chance.between(Math.round(leaseMs * 0.2), Math.round(leaseMs * 3.6)));
