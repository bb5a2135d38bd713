/** Measures durations over several runs. */
export interface Timing {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/**
 * Runs once to warm up and `rounds` times to measure, with a preparation before each run. Returns the time of
 * one of the `units` units in a run.
 */
export async function measure(
  run: (round: number) => Promise<unknown>,
  { units = 1, rounds = 7, prepare = async () => {} }: MeasureOptions = {},
): Promise<Timing> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    await prepare(round);
    const began = performance.now();
    await run(round);
    if (round > 0) times.push((performance.now() - began) / units);
  }
  times.sort((a, b) => a - b);
  const getQuantile = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
  return { median: getQuantile(0.5), least: getQuantile(0), most: getQuantile(1) };
}

export interface MeasureOptions {
  readonly units?: number;
  readonly rounds?: number;
  readonly prepare?: (round: number) => Promise<unknown>;
}
