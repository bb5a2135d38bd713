import type { Chance } from '../process/chance.ts';

/**
 * Draws the time in ms after which each process is killed, counted from its first response. Some processes die
 * before a lease of the previous process expires, and others long after they have taken over turns.
 */
export const drawLives = (chance: Chance, kills: number, leaseMs: number): readonly number[] =>
  Array.from({ length: kills }, () => chance.between(Math.round(leaseMs * 0.2), Math.round(leaseMs * 3.6)));
