import type { CallLimit, Limits } from '../tool/frame.ts';
import { literals } from '../tool/literals.ts';

/** The bounds of a loop. */
export interface LoopLimits extends Pick<Limits, 'tokens'> {
  readonly iterations: number;
}

/** The limits of an agent that declares none: generous enough for honest work, small enough to stop a runaway. */
export const DEFAULT_LIMITS: LoopLimits = { iterations: 20 };

/** The declared limits over those around them. */
export const withLimits = (limits: Limits | undefined, around: LoopLimits): LoopLimits => ({
  iterations: limits?.iterations ?? around.iterations,
  ...(limits?.tokens !== undefined && { tokens: limits.tokens }),
});

/** A limit that no loop can work with. */
interface LimitProblem {
  /** Such as `iterations`. */
  readonly path: string;
  readonly value: unknown;
  /** What a limit of this kind can be, to go on after "use ". */
  readonly use: string;
}

const COUNT = 'a positive whole number';

/** True for what can bound a number: a positive whole number. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;

/**
 * The first limit that there is not, or that is neither a positive whole number nor, of tokens, `unlimited`; `undefined` when there is
 * none.
 */
export function limitProblem(declaredLimits: Limits = {}): LimitProblem | undefined {
  const stranger = literals?.innerFault(declaredLimits, 'limits');
  if (stranger) return stranger;
  const declared: [string, CallLimit | undefined][] = Object.entries(declaredLimits);
  for (const [path, value] of declared) {
    if (value === undefined || isCount(value)) continue;
    if (value !== 'unlimited' || path === 'iterations') return { path, value, use: COUNT };
  }
  return undefined;
}
