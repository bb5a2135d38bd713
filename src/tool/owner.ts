import { literals } from './literals.ts';

/**
 * Answers what keeps a value from being an owner, as a sentence goes on after "its owner "; `undefined` when it is one. The value
 * may come from code that no compiler has seen.
 */
export function ownerProblem(owner: unknown): string | undefined {
  const mend = literals?.mending.owner ?? '';
  if (typeof owner === 'string') return `is a text, which may be an id or a tenant${mend}`;
  const { id, tenant }: { readonly id?: unknown; readonly tenant?: unknown } = Object(owner);
  const named = [id, tenant].filter((name) => name !== undefined);
  if (named.length === 2) return `has an id and a tenant${mend}`;
  return named.length === 1 && named.every(isName) ? undefined : `is blank${mend}`;
}

const isName = (name: unknown): boolean => typeof name === 'string' && name.trim() !== '';
