import type { Disturbance, Mode, Moment } from './course.ts';
import { isFor } from './course.ts';
import { type Aftermath, type PlayOptions, type Production, play } from './play.ts';
import type { Stage } from './stage.ts';

/** A disturbance of this mode at each moment where it does something of its own. */
export const disturbancesAt = (moments: readonly Moment[], mode: Mode): Disturbance[] =>
  moments.flatMap((moment, at) => (isFor(mode, moment) ? { at, mode } : []));

/** Plays it disturbed, on a fresh stage. One that is over before its disturbances is played again with earlier ones. */
export async function playDisturbed<World>(
  production: Production<World>,
  makeStage: () => Stage,
  options: PlayOptions & { readonly disturbances: readonly Disturbance[] },
): Promise<Aftermath> {
  for (let { disturbances } = options; ; disturbances = disturbances.map(earlier)) {
    const seen = await play(production, makeStage(), { ...options, disturbances });
    if (seen.disturbed || seen.broken || disturbances.every(({ at }) => at === 0)) return seen;
  }
}

const earlier = ({ at, mode }: Disturbance): Disturbance => ({ at: Math.floor(at / 2), mode });

/** How many plays are under way at once: they wait for the event loop more than they compute. */
const AT_ONCE = 48;

/** Does the work for each of a list, many at once, and answers in order. */
export async function manyAtOnce<Item, Done>(
  items: readonly Item[],
  work: (item: Item) => Promise<Done>,
): Promise<Done[]> {
  const done: Done[] = [];
  const left = items.entries();
  const next = async (): Promise<void> => {
    for (const [index, item] of left) done[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return done;
}
