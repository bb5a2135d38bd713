/**
 * The budgets of the library. Budgets only fall: `measure-code` and a gate test compare them with measured
 * figures. They also fail if a budget exceeds its figure by more than {@link SLACK}.
 */

/** The share by which a figure may be below its budget. */
export const SLACK = 0.05;

/**
 * The maximum numbers of distinct functions and files of the library that a scenario executes, by the
 * scenario's Worker.
 */
export const EXECUTED_BUDGETS: Readonly<
  Record<string, { readonly functions: number; readonly files: number }>
> = {
  read: { functions: 430, files: 84 },
  once: { functions: 437, files: 85 },
  approval: { functions: 633, files: 99 },
  unfolding: { functions: 548, files: 90 },
  file: { functions: 553, files: 95 },
  compaction: { functions: 500, files: 90 },
  mcp: { functions: 499, files: 89 },
  'use-chat': { functions: 534, files: 95 },
};

/** The maximum size of the README's Worker in KiB, minified and gzipped. */
export const CLERK_KIB = 105;

/** The maximum number of seams in the kernel and its modules. */
export const SEAMS = 10;

/**
 * The features that the README's Worker contains without importing them, each with the reason. The list may
 * only become shorter.
 */
export const CONTAINED_FEATURES: Readonly<Record<string, string>> = {};

/** The features that a plain message executes, each with the reason. The list may only become shorter. */
export const EXECUTED_FEATURES: Readonly<Record<string, string>> = {};

/** A figure with its budget. */
export interface Comparison {
  readonly what: string;
  readonly is: number;
  readonly budget: number;
}

/** Returns the problem with a budget, or `undefined`. */
export function findBudgetProblem({ what, is, budget }: Comparison): string | undefined {
  if (is > budget)
    return `${what}: ${is} is over the budget of ${budget}. Find the room; a budget only falls.`;
  if (is < budget * (1 - SLACK))
    return `${what}: ${is} is far below the budget of ${budget}. Lower it in budgets.ts.`;
  return undefined;
}
