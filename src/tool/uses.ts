import { LISTED_TOOLS } from './listings.ts';
import type { ModuleUse } from './module-use.ts';
import type { AnyTool, InjectionStrategy } from './tool.ts';

/** What brings modules along: tools, and what adds tools to a loop. */
export type Carrier = Pick<AnyTool, 'uses' | 'usesInside' | 'delegate' | 'inner'> &
  Pick<InjectionStrategy, 'discover'>;

/**
 * The modules that these bring along, each once: their own, those of tools inside them, and of what decorators were put
 * around. What is found outside is remembered too.
 */
export const usesOf = (carriers: readonly Carrier[]): readonly ModuleUse[] =>
  collected(carriers, ({ uses, discover }) => [...(uses ?? []), ...(discover ? [LISTED_TOOLS] : [])]);

/** The modules that only loops inside use, which these tools open; each once. */
export const usesInside = (carriers: readonly Carrier[]): readonly ModuleUse[] =>
  collected(carriers, ({ usesInside: inside }) => inside ?? []);

function collected(
  carriers: readonly Carrier[],
  usesIn: (carrier: Carrier) => readonly ModuleUse[],
): readonly ModuleUse[] {
  const uses = new Set<ModuleUse>();
  const seen = new Set<Carrier>();
  const look = (carrier: Carrier): void => {
    if (seen.has(carrier)) return;
    seen.add(carrier);
    for (const use of usesIn(carrier)) uses.add(use);
    for (const one of [carrier.delegate ?? [], carrier.inner ?? []].flat()) look(one);
  };
  for (const carrier of carriers) look(carrier);
  return [...uses];
}
