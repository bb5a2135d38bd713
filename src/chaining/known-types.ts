import { type DomainType, isDomainType } from '../tools/domain-type.ts';
import { memoized } from '../tools/memoized.ts';
import type { AnyTool } from '../tools/tool.ts';

/** Types by their names, which are all that is journaled of them; the first of a name counts. */
export type KnownTypes = ReadonlyMap<string, DomainType>;

/** The types to which tools lead; worked out once a list. */
export const typesOf = memoized((tools: readonly AnyTool[]): KnownTypes => typesFrom([], tools));

/**
 * These types, those that the tools declare to return, and those that tools of such objects declare, in the order in
 * which they are met. What a tool holds inside counts: its artifact may become that of the tool.
 */
export function typesFrom(types: readonly DomainType[], tools: readonly AnyTool[]): KnownTypes {
  const found = new Map<string, DomainType>();
  const seen = new Set<AnyTool>();
  const queue = [...tools];
  const meet = (type: DomainType): void => {
    if (found.has(type.name)) return;
    found.set(type.name, type);
    queue.push(...declaredBy(type));
  };
  types.forEach(meet);
  // Grows while it is walked.
  for (const tool of queue) {
    if (seen.has(tool)) continue;
    seen.add(tool);
    queue.push(...(tool.inner ?? []));
    if (tool.output && isDomainType(tool.output)) meet(tool.output);
  }
  return found;
}

/** Offering must not throw: a type whose tools cannot be declared is reported, and leads nowhere. */
function declaredBy({ name, objects }: DomainType): readonly AnyTool[] {
  try {
    return objects?.declared ?? [];
  } catch (failure) {
    console.warn(`holdfast: objects of '${name}' lead to no others`, failure);
    return [];
  }
}
