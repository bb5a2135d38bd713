import type { CallLimit, Limits } from '../tools/tool.ts';

/** A limit that no loop can work with. */
export interface LimitProblem {
  /** Such as `callsPerTool.search`. */
  readonly path: string;
  readonly value: unknown;
}

/** The first limit that is neither a positive whole number nor, of calls, `unlimited`; `undefined` when there is none. */
export function limitProblem({ callsPerTool, ...limits }: Limits = {}): LimitProblem | undefined {
  const declared: [string, CallLimit | undefined][] = Object.entries(limits);
  if (typeof callsPerTool !== 'object') declared.push(['callsPerTool', callsPerTool]);
  else for (const [tool, most] of Object.entries(callsPerTool)) declared.push([`callsPerTool.${tool}`, most]);
  for (const [path, value] of declared) {
    if (value === undefined || (Number.isInteger(value) && Number(value) > 0)) continue;
    if (value !== 'unlimited' || path === 'iterations') return { path, value };
  }
  return undefined;
}
