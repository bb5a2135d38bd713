/**
 * Runs the plays. Must be imported after `prepareImports`, so that Node can resolve the library. Its first
 * import replaces the globals.
 */
import '../machine/globals.ts';
import { realTime } from '../machine/globals.ts';
import { playMatrix } from './matrix.ts';
import { type Figures, type Library, play } from './play.ts';

/** The plays to run. */
export interface PlayAllOptions {
  readonly seed: number;
  readonly count: number;
  readonly isTraced: boolean;
  readonly bails: boolean;
}

/** The results of all plays. */
export interface PlaysReport {
  /** The number of plays. */
  readonly played: number;
  /** The seeds of plays with findings. */
  readonly failed: readonly number[];
  readonly figures: Figures;
  readonly seconds: number;
}

/** Not a literal, so that the compiler does not check Worker code with the types of Node. */
const APP_PATH: string = '../app/app.ts';

const importLibrary = async (): Promise<Library> => (await import(APP_PATH)) as Library; // the exports of the app's module

/** Loads the library and runs `playMatrix`. */
export const playEach = async (isWhole: boolean, say: (line: string) => void) =>
  playMatrix(await importLibrary(), { isWhole }, say);

const MAX_FINDINGS_PER_RULE = 3;

/** Plays consecutive seeds from `seed`. */
export async function playAll(
  { seed, count, isTraced, bails }: PlayAllOptions,
  say: (line: string) => void,
): Promise<PlaysReport> {
  const library = await importLibrary();
  const began = realTime();
  const failed: number[] = [];
  const all: Figures[] = [];
  for (let index = 0; index < count; index += 1) {
    const played = await play(library, { seed: seed + index, isTraced });
    all.push(played.figures);
    if (played.findings.length > 0) {
      failed.push(played.seed);
      const byRule = Map.groupBy(played.findings, ({ rule }) => rule);
      for (const [rule, all] of byRule)
        for (const { where, what } of all.slice(0, MAX_FINDINGS_PER_RULE))
          say(`seed ${played.seed}: ${rule}: ${where}: ${what}`);
    }
    for (const line of played.lines) say(line);
    if (bails && failed.length > 0) break;
  }
  return { played: all.length, failed, figures: sumFigures(all), seconds: (realTime() - began) / 1000 };
}

function sumFigures(all: readonly Figures[]): Figures {
  const sum = (of: (one: Figures) => number): number => all.reduce((total, one) => total + of(one), 0);
  return {
    answered: sum(({ answered }) => answered),
    messages: sum(({ messages }) => messages),
    turns: sum(({ turns }) => turns),
    calls: sum(({ calls }) => calls),
    effects: sum(({ effects }) => effects),
    forks: sum(({ forks }) => forks),
    retries: sum(({ retries }) => retries),
    refusals: sum(({ refusals }) => refusals),
    sent: sum(({ sent }) => sent),
    deaths: sum(({ deaths }) => deaths),
    takeOvers: sum(({ takeOvers }) => takeOvers),
    unknown: sum(({ unknown }) => unknown),
    longest: Math.max(0, ...all.map(({ longest }) => longest)),
  };
}
