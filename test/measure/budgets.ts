/**
 * What the library may cost. Budgets only fall: `measure-code` and a test of the gate compare them with what is measured, and a budget
 * that has become too large by more than {@link SLACK} fails as well.
 */

/** How far, as a share of it, a figure may be below its budget. */
export const SLACK = 0.05;

/** Distinct functions and files of the library that a scenario executes, by the scenario's Worker. */
export const EXECUTED: Readonly<Record<string, { readonly functions: number; readonly files: number }>> = {
  read: { functions: 770, files: 124 },
  once: { functions: 776, files: 124 },
  approval: { functions: 945, files: 138 },
  unfolding: { functions: 835, files: 127 },
  file: { functions: 846, files: 129 },
  compaction: { functions: 807, files: 127 },
  mcp: { functions: 782, files: 127 },
  'use-chat': { functions: 840, files: 136 },
};

/** The README's Worker, minified and gzipped, in KiB. */
export const CLERK_KIB = 185;

/** A figure beside its budget. */
export interface Comparison {
  readonly what: string;
  readonly is: number;
  readonly budget: number;
}

/** Returns what is wrong with a budget, or `undefined`. */
export function problemOf({ what, is, budget }: Comparison): string | undefined {
  if (is > budget)
    return `${what}: ${is} is over the budget of ${budget}. Find the room; a budget only falls.`;
  if (is < budget * (1 - SLACK))
    return `${what}: ${is} is far below the budget of ${budget}. Lower it in budgets.ts.`;
  return undefined;
}
