import type { Disturbance, Moment } from '../../../src/testing/crash-matrix/course.ts';
import { type Damage, damageOf } from '../../../src/testing/crash-matrix/damage.ts';
import type { Aftermath, Production } from '../../../src/testing/crash-matrix/play.ts';
import { playDisturbed } from '../../../src/testing/crash-matrix/play-disturbed.ts';
import { isOpenEnded } from '../../../src/testing/crash-matrix/script.ts';
import type { Stage } from '../../../src/testing/crash-matrix/stage.ts';
import { Undisturbed, unknownIn } from '../../../src/testing/crash-matrix/undisturbed.ts';
import type { LabWorld } from './kit.ts';
import { type Portrait, portraitOf } from './portrait.ts';
import { type Scenario, toProduction } from './scenario.ts';
import { type Verdict, verdictOf } from './verdict.ts';

/** What disturbances made of a scenario: for whoever uses it, and for whoever knows what it is made of. */
export interface Finding {
  readonly damage: Damage;
  readonly verdict: Verdict;
}

/** One scenario as it goes undisturbed, and what disturbances make of it. */
export class Trial {
  readonly scenario: Scenario;
  readonly #production: Production<LabWorld>;
  readonly #undisturbed: Undisturbed<LabWorld>;
  readonly #portraits = new Map<Aftermath, Portrait>();

  private constructor(
    scenario: Scenario,
    production: Production<LabWorld>,
    undisturbed: Undisturbed<LabWorld>,
  ) {
    this.scenario = scenario;
    this.#production = production;
    this.#undisturbed = undisturbed;
  }

  /** @throws Error when it cannot be played undisturbed. */
  static async of(scenario: Scenario): Promise<Trial> {
    const production = toProduction(scenario);
    return new Trial(scenario, production, await Undisturbed.of(production));
  }

  get aftermath(): Aftermath {
    return this.#undisturbed.aftermath;
  }

  /** What is done at each moment of the scenario. */
  get moments(): readonly Moment[] {
    return this.aftermath.moments;
  }

  /** Plays it disturbed, each time on a fresh stage, and compares. */
  async find(makeStage: () => Stage, disturbances: readonly Disturbance[]): Promise<Finding> {
    const seen = await playDisturbed(this.#production, makeStage, { disturbances });
    const modes = disturbances.map(({ mode }) => mode);
    const unknown = unknownIn(seen.events);
    const expected = await this.#undisturbed.when(unknown);
    const isOpen = isOpenEnded(this.#production.script);
    const damage = damageOf(seen, { expected, modes, isOpen });
    if (isOpen && damage.problems.length === 0) {
      return { damage, verdict: { is: unknown.size > 0 ? 'unknown' : 'equal' } };
    }
    if (seen.broken || isOpen) return { damage, verdict: { is: 'failed', why: damage.problems } };
    const known = await Promise.all(subsetsOf([...unknown]).map((some) => this.#undisturbed.when(some)));
    const alsoShown = known.flatMap((one) => this.#portraitOf(one).shown);
    const verdict = verdictOf(portraitOf(seen), { modes, expected: this.#portraitOf(expected), alsoShown });
    const why = [...damage.problems, ...(verdict.is === 'failed' ? verdict.why : [])];
    return { damage, verdict: why.length > 0 ? { is: 'failed', why } : verdict };
  }

  /** Many plays are compared with the same few. */
  #portraitOf(aftermath: Aftermath): Portrait {
    const portrait = this.#portraits.get(aftermath) ?? portraitOf(aftermath);
    this.#portraits.set(aftermath, portrait);
    return portrait;
  }
}

/** Whoever was cut off may have known of any of the calls what became of it. */
function subsetsOf([first, ...rest]: readonly string[]): string[][] {
  if (first === undefined) return [[]];
  const without = subsetsOf(rest);
  return [...without, ...without.map((subset) => [first, ...subset])];
}
