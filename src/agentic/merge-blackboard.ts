import type { BlackboardEntry, CallBlackboard } from '../tools/tool.ts';

/**
 * Adds to a blackboard what was added to a copy of it. Nothing is lost, and nothing that has a name there is replaced: the
 * newest entry of a name is the one that is found, so what the copy bound to such a name comes without it (SUB-08).
 */
export function mergeBlackboard(blackboard: CallBlackboard, added: readonly BlackboardEntry[]): void {
  const bound = new Set(blackboard.entries().map(({ name }) => name));
  for (const { name, type, value } of added) {
    const isFree = name !== undefined && !bound.has(name);
    blackboard.add(value, { type, ...(isFree && { name }) });
  }
}
