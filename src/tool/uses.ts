import { literals } from './literals.ts';
import { defineSeam, type ModuleUse } from './module-use.ts';
import type { AnyTool, InjectionStrategy } from './tool.ts';
import type { MemoryFact } from './tool-memory.ts';

/** A carrier of modules: a tool, or a strategy that adds tools to a loop. */
export type Carrier = Pick<AnyTool, 'uses' | 'usesInside' | 'delegate' | 'inner'> &
  Pick<InjectionStrategy, 'discover'>;

/**
 * Returns the modules of these carriers without duplicates: their own, and those of inner tools, of decorated
 * tools, and of the strategies of modules.
 *
 * @throws TypeError in development, if one discovers tools outside (`discover`) but does not bring the module
 * for it.
 */
export const collectUses = (carriers: readonly Carrier[]): readonly ModuleUse[] =>
  collectFrom(carriers, listOwnUses);

function listOwnUses({ uses = [], discover }: Pick<Carrier, 'uses' | 'discover'>): readonly ModuleUse[] {
  if (discover) literals?.refuse(TypeError, literals.discoverProblem(uses));
  return uses.flatMap((use) => {
    const strategy = OFFERS.of(use);
    return strategy ? [use, ...listOwnUses(strategy)] : [use];
  });
}

/** Returns the modules that only nested loops of these tools use, each once. */
export const collectInnerUses = (carriers: readonly Carrier[]): readonly ModuleUse[] =>
  collectFrom(carriers, ({ usesInside: inside }) => inside ?? []);

function collectFrom(
  carriers: readonly Carrier[],
  usesIn: (carrier: Carrier) => readonly ModuleUse[],
): readonly ModuleUse[] {
  const uses = new Set<ModuleUse>();
  const seen = new Set<Carrier>();
  const addUses = (carrier: Carrier): void => {
    if (seen.has(carrier)) return;
    seen.add(carrier);
    for (const use of usesIn(carrier)) uses.add(use);
    for (const one of [carrier.delegate ?? [], carrier.inner ?? []].flat()) addUses(one);
  };
  for (const carrier of carriers) addUses(carrier);
  return [...uses];
}

/** The part of a use for the seam `offer`. */
export interface OfferSeam extends InjectionStrategy {
  /**
   * Limits it to loops that have the use themselves. It then runs `before` the strategies of every loop, so
   * that its tools can unfold, or `after` them. By default, and for a use of the app, it runs in every loop.
   */
  readonly own?: 'before' | 'after' | undefined;
  /**
   * In development, returns why it cannot add tools to a loop with these tools, as the text after the name of
   * an agent or a tool, or `undefined` if it can. Not called if more tools arrive later.
   */
  refuses?(tools: readonly AnyTool[]): string | undefined;
  /**
   * Returns the names of the tools that it adds, if known before a turn. In development, they must differ
   * from those of the agent.
   */
  declares?(): readonly string[];
  /** Returns the strategy that replaces it in a loop whose memories have this key. */
  under?(key: string): InjectionStrategy;
  /** Returns the fact that resets the memory of a loop with this key. */
  forget?(key: string): MemoryFact;
}

/** The seam `offer`: the tools that a loop offers. */
export const OFFERS = defineSeam<OfferSeam>();

/**
 * Returns the strategies of these uses that run only in this loop, in order. `key`: the key of the loop's
 * memories.
 */
export const listOwnOffers = (
  uses: readonly ModuleUse[] | undefined,
  place: OfferSeam['own'],
  key?: string,
): readonly InjectionStrategy[] =>
  (uses ?? []).flatMap((use) => {
    const seam = OFFERS.of(use);
    if (seam?.own !== place) return [];
    return (key === undefined ? undefined : seam?.under?.(key)) ?? seam ?? [];
  });

/** Returns the facts that reset the memories of a loop with these uses and this key. */
export const listFactsToForget = (
  uses: readonly ModuleUse[] | undefined,
  key: string,
): readonly MemoryFact[] => (uses ?? []).flatMap((use) => OFFERS.of(use)?.forget?.(key) ?? []);
