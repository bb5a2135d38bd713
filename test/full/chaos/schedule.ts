import type { Chance } from '../process/chance.ts';

/**
 * Draws how long each process lives after its first response, in ms. Some die before a lease of the previous
 * process expires, and others long after turns were taken over.
 */
export const drawLives = (chance: Chance, kills: number, leaseMs: number): readonly number[] =>
  Array.from({ length: kills }, () => chance.between(Math.round(leaseMs * 0.2), Math.round(leaseMs * 3.6)));
