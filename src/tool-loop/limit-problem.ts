import type { CallLimit, Limits } from '../tools/limits.ts';

/** A limit that no loop can work with. */
export interface LimitProblem {
  /** Such as `callsPerTool.search`. */
  readonly path: string;
  readonly value: unknown;
  /** What a limit of this kind can be, to go on after "use ". */
  readonly use: string;
}

const COUNT = 'a positive whole number';

/**
 * The first limit that is neither a positive whole number nor, of calls, `unlimited`, nor, of cost, a positive number;
 * `undefined` when there is none.
 */
export function limitProblem({ callsPerTool, cost, ...limits }: Limits = {}): LimitProblem | undefined {
  const declared: [string, CallLimit | undefined][] = Object.entries(limits);
  if (typeof callsPerTool !== 'object') declared.push(['callsPerTool', callsPerTool]);
  else for (const [tool, most] of Object.entries(callsPerTool)) declared.push([`callsPerTool.${tool}`, most]);
  for (const [path, value] of declared) {
    if (value === undefined || (Number.isSafeInteger(value) && Number(value) > 0)) continue;
    if (value !== 'unlimited' || path === 'iterations' || path === 'tokens')
      return { path, value, use: COUNT };
  }
  if (cost === undefined || (Number.isFinite(cost) && cost > 0)) return undefined;
  return { path: 'cost', value: cost, use: 'a positive number of USD' };
}
