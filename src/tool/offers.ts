import { defineSeam } from './module-use.ts';
import type { InjectionStrategy } from './tool.ts';

/** The seam `offer`: a use that brings a strategy has it asked in every loop, after a loop's sources and before its own strategies. */
export const OFFERS = defineSeam<InjectionStrategy>();
