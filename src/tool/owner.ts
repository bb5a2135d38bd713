import { literals } from './literals.ts';

/**
 * Returns the problem of an owner, as the text after "its owner ", or `undefined` if it is valid. The value
 * can come from untyped code.
 */
export function findOwnerProblem(owner: unknown): string | undefined {
  const mend = literals?.mending.owner ?? '';
  if (typeof owner === 'string') return `is a string, which could be an id or a tenant${mend}`;
  const { id, tenant }: { readonly id?: unknown; readonly tenant?: unknown } = Object(owner);
  const named = [id, tenant].filter((name) => name !== undefined);
  if (named.length === 2) return `has an id and a tenant${mend}`;
  return named.length === 1 && named.every(isName) ? undefined : `is blank${mend}`;
}

const isName = (name: unknown): boolean => typeof name === 'string' && name.trim() !== '';
