import { defineSeam, type ModuleUse } from './module-use.ts';
import type { AnyTool, InjectionStrategy } from './tool.ts';

/** What brings modules along: tools, and what adds tools to a loop. */
export type Carrier = Pick<AnyTool, 'uses' | 'usesInside' | 'delegate' | 'inner'> &
  Pick<InjectionStrategy, 'discover'>;

/**
 * The modules that these bring along, each once: their own, those of tools inside them, of what decorators were put
 * around, and of the strategies that modules bring.
 *
 * @throws TypeError if something finds tools outside (`discover`) and does not bring the module for it.
 */
export const usesOf = (carriers: readonly Carrier[]): readonly ModuleUse[] => collected(carriers, ownUses);

function ownUses({ uses = [], discover }: Pick<Carrier, 'uses' | 'discover'>): readonly ModuleUse[] {
  if (discover && !uses.some(({ module }) => module.name === 'listings')) throw new TypeError(NO_LISTINGS);
  return uses.flatMap((use) => {
    const strategy = OFFERS.of(use);
    return strategy ? [use, ...ownUses(strategy)] : [use];
  });
}

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

const NO_LISTINGS =
  "`discover` needs the module `listings`: import it from 'holdfast/listings' and add it to `uses`, beside `discover`.";

/** The seam `offer`: a use that brings a strategy has it asked in every loop, after a loop's sources and before its own strategies. */
export const OFFERS = defineSeam<InjectionStrategy>();
