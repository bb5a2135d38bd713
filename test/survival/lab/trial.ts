import type { Deed, Disturbance, Mode } from './course.ts';
import { memoryStage } from './memory-stage.ts';
import { type Aftermath, play } from './play.ts';
import { type Portrait, portraitOf } from './portrait.ts';
import type { Sabotage } from './sabotage.ts';
import type { Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';
import { type Comparison, type Verdict, verdictOf } from './verdict.ts';

/** One scenario as it goes undisturbed, and what disturbances make of it. */
export class Trial {
  readonly scenario: Scenario;
  readonly aftermath: Aftermath;
  /** As it goes when the connections of these calls break; of none, undisturbed. */
  readonly #expected = new Map<string, Promise<Portrait>>();

  private constructor(scenario: Scenario, aftermath: Aftermath) {
    this.scenario = scenario;
    this.aftermath = aftermath;
    this.#expected.set('', Promise.resolve(portraitOf(aftermath)));
  }

  static async of(scenario: Scenario): Promise<Trial> {
    return new Trial(scenario, await play(scenario, memoryStage()));
  }

  /** What is done at each moment of the scenario. */
  get moments(): readonly Deed[] {
    return this.aftermath.moments;
  }

  /** A disturbance of this mode at each moment where it does something of its own. */
  disturbances(mode: Mode): Disturbance[] {
    const isIts = (deed: Deed): boolean =>
      mode !== 'lost-acknowledgement' || deed === 'append' || deed === 'lease';
    return this.moments.flatMap((deed, at) => (isIts(deed) ? { at, mode } : []));
  }

  /**
   * Plays it disturbed, each time on a fresh stage, and compares. A play that breaks down has failed. One that is over
   * before its disturbances is played again with earlier ones.
   */
  async verdict(
    makeStage: () => Stage,
    disturbances: readonly Disturbance[],
    sabotage?: Sabotage,
  ): Promise<Verdict> {
    try {
      const seen = await play(this.scenario, makeStage(), { disturbances, sabotage });
      if (!seen.disturbed) return await this.verdict(makeStage, disturbances.map(earlier), sabotage);
      const portrait = portraitOf(seen);
      const modes = disturbances.map(({ mode }) => mode);
      const verdict = verdictOf(portrait, { modes, ...(await this.#comparison(portrait.unknown)) });
      if (seen.timersLeft === 0 || verdict.is === 'failed') return verdict;
      return { is: 'failed', why: [`${seen.timersLeft} timers are left`] };
    } catch (broken) {
      return {
        is: 'failed',
        why: [broken instanceof Error ? (broken.stack ?? broken.message) : String(broken)],
      };
    }
  }

  /** Whoever was cut off may have known of any of the calls what became of it. */
  async #comparison(unknown: ReadonlySet<string>): Promise<Omit<Comparison, 'modes'>> {
    const known = await Promise.all(subsetsOf([...unknown]).map((doubts) => this.#expect(doubts)));
    const undisturbed = await this.#expect([]);
    const expected = await this.#expect([...unknown]);
    return { undisturbed, expected, alsoShown: known.flatMap(({ shown }) => shown) };
  }

  #expect(doubts: readonly string[]): Promise<Portrait> {
    const key = doubts.toSorted().join();
    const known = this.#expected.get(key);
    if (known) return known;
    const expected = play(this.scenario, memoryStage(), { doubts: new Set(doubts) }).then(portraitOf);
    this.#expected.set(key, expected);
    return expected;
  }
}

const earlier = ({ at, mode }: Disturbance): Disturbance => ({ at: Math.floor(at / 2), mode });

function subsetsOf([first, ...rest]: readonly string[]): string[][] {
  if (first === undefined) return [[]];
  const without = subsetsOf(rest);
  return [...without, ...without.map((subset) => [first, ...subset])];
}
