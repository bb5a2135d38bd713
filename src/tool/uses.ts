import { literals } from './literals.ts';
import { defineSeam, type ModuleUse } from './module-use.ts';
import type { AnyTool, InjectionStrategy } from './tool.ts';
import type { MemoryFact } from './tool-memory.ts';

/** What brings modules along: tools, and what adds tools to a loop. */
export type Carrier = Pick<AnyTool, 'uses' | 'usesInside' | 'delegate' | 'inner'> &
  Pick<InjectionStrategy, 'discover'>;

/**
 * The modules that these bring along, each once: their own, those of tools inside them, of what decorators were put
 * around, and of the strategies that modules bring.
 *
 * @throws TypeError in development, if something finds tools outside (`discover`) and does not bring the module for it.
 */
export const usesOf = (carriers: readonly Carrier[]): readonly ModuleUse[] => collected(carriers, ownUses);

function ownUses({ uses = [], discover }: Pick<Carrier, 'uses' | 'discover'>): readonly ModuleUse[] {
  if (discover) literals?.refuse(TypeError, literals.discoverProblem(uses));
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

/** What a use brings for the seam `offer`. */
export interface OfferSeam extends InjectionStrategy {
  /**
   * Has it asked only in the loops that have the use themselves: `before` the strategies of every loop, so that what it adds unfolds,
   * or `after` them. A use of the app holds in every loop all the same. By default it is asked in every loop of the app.
   */
  readonly own?: 'before' | 'after' | undefined;
  /**
   * In development: returns why it can add nothing in a loop of these tools, to follow the name of an agent or a tool; `undefined` if it can.
   * It is not asked where tools come later.
   */
  refuses?(tools: readonly AnyTool[]): string | undefined;
  /** Returns the names of tools that it adds and that are known before a turn: in development, none may be that of a tool of the agent. */
  declares?(): readonly string[];
  /** Returns what is asked in its place in a loop that keeps what it remembers under a key. */
  under?(key: string): InjectionStrategy;
  /** Returns the fact with which a loop of this key restarts. */
  forget?(key: string): MemoryFact;
}

/** The seam `offer`: which tools a loop offers. */
export const OFFERS = defineSeam<OfferSeam>();

/** Returns what these uses of a loop have asked in it alone, in their order. `key`: under which the loop keeps what it remembers. */
export const ownOffers = (
  uses: readonly ModuleUse[] | undefined,
  place: OfferSeam['own'],
  key?: string,
): readonly InjectionStrategy[] =>
  (uses ?? []).flatMap((use) => {
    const seam = OFFERS.of(use);
    if (seam?.own !== place) return [];
    return (key === undefined ? undefined : seam?.under?.(key)) ?? seam ?? [];
  });

/** Returns the facts with which a loop of these uses restarts under a key. */
export const forgettingUnder = (uses: readonly ModuleUse[] | undefined, key: string): readonly MemoryFact[] =>
  (uses ?? []).flatMap((use) => OFFERS.of(use)?.forget?.(key) ?? []);
