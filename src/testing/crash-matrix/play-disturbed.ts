import type { CrashableSession } from './crashable-session.ts';
import { type Disturbance, isFor, type Mode } from './disturbances.ts';
import { type PlayOptions, type PlayResult, playScript } from './play-script.ts';
import type { Position } from './position.ts';
import type { Subject } from './subject.ts';

/** A disturbance of this mode at each position where it does something of its own. */
export const disturbancesAt = (positions: readonly Position[], mode: Mode): Disturbance[] =>
  positions.flatMap((position, at) => (isFor(mode, position) ? { at, mode } : []));

/** Plays it disturbed, on a fresh session. One that is over before its disturbances is played again with earlier ones. */
export async function playDisturbed<World>(
  subject: Subject<World>,
  makeSession: () => CrashableSession,
  options: PlayOptions & { readonly disturbances: readonly Disturbance[] },
): Promise<PlayResult> {
  for (let { disturbances } = options; ; disturbances = disturbances.map(earlier)) {
    const seen = await playScript(subject, makeSession(), { ...options, disturbances });
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
