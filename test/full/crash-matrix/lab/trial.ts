import {
  type CrashableSession,
  collectUnknownCalls,
  computeDamage,
  type Damage,
  type Disturbance,
  isOpenEnded,
  type PlayResult,
  type Position,
  playDisturbed,
  UndisturbedPlays,
} from '../../../doors/testing.ts';
import { type ComparableResult, toComparable } from './comparable-result.ts';
import type { LabWorld } from './kit.ts';
import { type LabSubject, type Scenario, toSubject } from './scenario.ts';
import { computeVerdict, type Verdict } from './verdict.ts';

/**
 * The result of a disturbed play: the damage that users can observe, and the comparison with the undisturbed
 * play.
 */
export interface Finding {
  readonly damage: Damage;
  readonly verdict: Verdict;
}

/** A scenario's undisturbed play. Disturbed plays are compared with it. */
export class Trial {
  readonly scenario: Scenario;
  readonly #subject: LabSubject;
  readonly #undisturbed: UndisturbedPlays<LabWorld>;
  readonly #comparables = new Map<PlayResult, ComparableResult>();

  private constructor(scenario: Scenario, subject: LabSubject, undisturbed: UndisturbedPlays<LabWorld>) {
    this.scenario = scenario;
    this.#subject = subject;
    this.#undisturbed = undisturbed;
  }

  /** @throws Error if the undisturbed play fails. */
  static async of(scenario: Scenario): Promise<Trial> {
    const subject = toSubject(scenario);
    return new Trial(scenario, subject, await UndisturbedPlays.of(subject));
  }

  get result(): PlayResult {
    return this.#undisturbed.result;
  }

  /** The positions of the scenario. */
  get positions(): readonly Position[] {
    return this.result.positions;
  }

  /** Plays the scenario on a new session with these disturbances, and compares the result. */
  async find(makeSession: () => CrashableSession, disturbances: readonly Disturbance[]): Promise<Finding> {
    const seen = await playDisturbed(this.#subject, makeSession, { disturbances });
    const modes = disturbances.map(({ mode }) => mode);
    const unknown = collectUnknownCalls(seen.events);
    const expected = await this.#undisturbed.when(unknown);
    const isOpen = isOpenEnded(this.#subject.script);
    const damage = computeDamage(seen, { expected, modes, isOpen });
    if (isOpen && damage.problems.length === 0) {
      return { damage, verdict: { is: unknown.size > 0 ? 'unknown' : 'equal' } };
    }
    if (seen.broken || isOpen) return { damage, verdict: { is: 'failed', why: damage.problems } };
    const known = await Promise.all(listSubsets([...unknown]).map((some) => this.#undisturbed.when(some)));
    const alsoShown = known.flatMap((one) => this.#toComparable(one).shown);
    const verdict = computeVerdict(toComparable(seen, this.#subject.known), {
      modes,
      expected: this.#toComparable(expected),
      alsoShown,
    });
    const why = [...damage.problems, ...(verdict.is === 'failed' ? verdict.why : [])];
    return { damage, verdict: why.length > 0 ? { is: 'failed', why } : verdict };
  }

  /** Converts a result and caches it, because many plays are compared with the same results. */
  #toComparable(result: PlayResult): ComparableResult {
    const comparable = this.#comparables.get(result) ?? toComparable(result, this.#subject.known);
    this.#comparables.set(result, comparable);
    return comparable;
  }
}

/** Returns all subsets. An interrupted invocation may have known the outcome of any subset of the calls. */
function listSubsets([first, ...rest]: readonly string[]): string[][] {
  if (first === undefined) return [[]];
  const without = listSubsets(rest);
  return [...without, ...without.map((subset) => [first, ...subset])];
}
