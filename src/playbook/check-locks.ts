import type { AnyTool } from '../tools/tool.ts';
import { ToolDefinitionError } from '../tools/tool-definition-error.ts';
import type { Lock } from './lock.ts';
import { conditionsIn, type UnlockCondition } from './unlock-condition.ts';

/**
 * @throws ToolDefinitionError when two tools of the playbook share a name, a condition is empty or names a tool that the
 *   playbook does not have, or a tool can never be unlocked.
 */
export function checkLocks(playbook: string, open: readonly AnyTool[], locks: readonly Lock[]): void {
  const refuse = (problem: string): never => {
    throw new ToolDefinitionError(playbook, 'locked', problem);
  };
  const names = new Set(open.map(({ name }) => name));
  for (const { tool } of locks) {
    if (names.has(tool.name)) refuse(`it has more than one tool '${tool.name}'.`);
    names.add(tool.name);
  }
  for (const { tool, condition } of locks) {
    const unknown = condition.names.find((name) => !names.has(name));
    if (unknown !== undefined)
      refuse(`'${tool.name}' is unlocked by '${unknown}', which is none of its tools.`);
    if (conditionsIn(condition).some(isEmpty)) refuse(`a condition of '${tool.name}' names nothing.`);
  }
  const stuck = neverUnlocked(open, locks).map(({ tool }) => `'${tool.name}'`);
  if (stuck.length > 0)
    refuse(`${stuck.join(', ')} can never be unlocked: each waits for itself or another of them.`);
}

const isEmpty = (condition: UnlockCondition): boolean =>
  condition.type === 'after'
    ? condition.names.length === 0
    : 'conditions' in condition && condition.conditions.length === 0;

/** The locks that stay closed when all else happens that may. */
function neverUnlocked(open: readonly AnyTool[], locks: readonly Lock[]): readonly Lock[] {
  const usable = new Set(open.map(({ name }) => name));
  let left = locks;
  for (;;) {
    const opened = left.filter(({ condition }) => mayBeMet(condition, usable));
    if (opened.length === 0) return left;
    for (const { tool } of opened) usable.add(tool.name);
    left = left.filter((lock) => !opened.includes(lock));
  }
}

function mayBeMet(condition: UnlockCondition, usable: ReadonlySet<string>): boolean {
  switch (condition.type) {
    case 'after':
      return condition.names.every((name) => usable.has(name));
    case 'all-of':
      return condition.conditions.every((one) => mayBeMet(one, usable));
    case 'any-of':
      return condition.conditions.some((one) => mayBeMet(one, usable));
    default:
      return true;
  }
}
