/**
 * Whose sessions are: one caller's, or those of all callers of a tenant. A caller whose id is called like a tenant owns none of
 * its sessions.
 */
export type Owner =
  | { readonly id: string; readonly tenant?: undefined }
  | { readonly tenant: string; readonly id?: undefined };

/**
 * Answers what keeps a value from being an owner, as a sentence goes on after "its owner "; `undefined` when it is one. The value
 * may come from code that no compiler has seen.
 */
export function ownerProblem(owner: unknown): string | undefined {
  if (typeof owner === 'string') return `is a text, which may be an id or a tenant: ${USE}`;
  const { id, tenant }: { readonly id?: unknown; readonly tenant?: unknown } = Object(owner);
  const named = [id, tenant].filter((name) => name !== undefined);
  if (named.length === 2) return `has an id and a tenant: ${USE}`;
  return named.length === 1 && named.every(isName) ? undefined : `is blank: ${USE}`;
}

const isName = (name: unknown): boolean => typeof name === 'string' && name.trim() !== '';

const USE = 'use { tenant } for the sessions of all callers of a tenant, or { id } for those of one caller';
