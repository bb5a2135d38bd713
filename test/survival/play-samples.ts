import type { Mode } from './lab/course.ts';
import { objectStage } from './lab/object-stage.ts';
import { type Guard, SABOTAGES } from './lab/sabotage.ts';
import type { Cell, Played } from './matrix.ts';

/** How many samples are played at once: most of their time they wait for a lease to expire. */
const AT_ONCE = 50;

/** Where a lease has to expire, in ms. Another invocation that stalls as long is only one more disturbance. */
const SHORT_LEASE = 1_500;
/** Where nobody is abandoned: no machine is so busy that it runs out. */
const LONG_LEASE = 20_000;

const GENTLE: readonly Mode[] = ['cold-fold', 'lost-acknowledgement'];

/** Plays cells in real Durable Objects. */
export async function playSamples(
  cells: readonly Cell[],
  {
    without,
    onPlayed = () => {},
  }: { without?: Guard | undefined; onPlayed?: ((count: number) => void) | undefined } = {},
): Promise<Played[]> {
  const played: Played[] = [];
  const left = cells.values();
  const work = async (): Promise<void> => {
    for (const { trial, disturbance } of left) {
      const leaseMs = GENTLE.includes(disturbance.mode) ? LONG_LEASE : SHORT_LEASE;
      const sabotage = without && SABOTAGES[without];
      const verdict = await trial.verdict(() => objectStage(leaseMs), [disturbance], sabotage);
      onPlayed(played.push({ kind: trial.scenario.kind, disturbance, verdict }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return played;
}
