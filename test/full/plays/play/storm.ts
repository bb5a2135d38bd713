import type { Deployment } from '../machine/invocations.ts';
import { CALM } from '../machine/network.ts';
import type { SimulatedPlatform } from '../machine/platform.ts';
import type { Simulation } from '../machine/simulation.ts';
import type { Storm } from './draw.ts';
import type { OutsideWorld } from './outside.ts';

/** The targets of a storm. */
export interface StormTargets {
  readonly simulation: Simulation;
  readonly platform: SimulatedPlatform;
  readonly outside: OutsideWorld;
  readonly versions: readonly [Deployment, Deployment];
}

const MINUTE = 60_000;
/**
 * The maximum difference between the clocks of two machines, in ms. It is far below a quarter of the shortest
 * lease.
 */
const MAX_CLOCK_SKEW = 400;
/** The range of a pause of code, in ms. */
const FREEZE_RANGE = [500, 70_000] as const;

/** Causes faults for a while. Afterwards, no more faults happen. */
export class FaultInjector {
  readonly #at: StormTargets;
  readonly #storm: Storm;
  isOver = false;
  /** The versions that serve invocations: both during a deployment, and otherwise only the first one. */
  #serving: readonly Deployment[];
  #behind = 0;

  constructor(at: StormTargets, storm: Storm) {
    this.#at = at;
    this.#storm = storm;
    this.#serving = [at.versions[0]];
  }

  /** Returns the version that serves the next invocation. */
  deployed(): Deployment {
    return this.#at.simulation.draw.oneOf(this.#serving);
  }

  /** Returns the delay of the next alarm, in ms. */
  alarmDelay(): number {
    const { draw } = this.#at.simulation;
    const isLate = draw.happens(this.isOver ? 0 : this.#storm.lateAlarms);
    return isLate ? draw.between(MINUTE, 5 * MINUTE) : draw.between(0, 50);
  }

  /** Runs the storm. Resolves when it is over. */
  async blow(): Promise<void> {
    const { simulation, platform, outside } = this.#at;
    const { lasts, weather, queue, kills, freezes, crashes, hibernations, deploys, modelFaults, slowWorld } =
      this.#storm;
    platform.network.weather = weather;
    platform.queueWeather = queue;
    outside.weather = { modelFaults, slowWorld };
    const { draw } = simulation;
    const scheduleStrikes = (rate: number, strike: () => void): void => {
      const scheduleNext = (): void => {
        const ms = -Math.log(1 - draw.fraction()) * (MINUTE / rate);
        simulation.after(ms, () => {
          if (this.isOver) return;
          strike();
          scheduleNext();
        });
      };
      if (rate > 0) scheduleNext();
    };
    scheduleStrikes(kills, () => this.#anyInvocation((one) => one.kill('killed')));
    scheduleStrikes(freezes, () => this.#anyInvocation((one) => one.freeze(draw.between(...FREEZE_RANGE))));
    scheduleStrikes(crashes, () => this.#anyObject((one) => this.#crash(one)));
    scheduleStrikes(hibernations, () => this.#anyObject((one) => one.hibernate()));
    scheduleStrikes(deploys, () => this.#deploy());
    await simulation.pause(lasts);
    this.isOver = true;
    simulation.trace(() => 'the storm is over');
    platform.network.weather = CALM;
    platform.queueWeather = { lost: 0, doubled: 0 };
    outside.calm();
  }

  #anyInvocation(
    strike: (one: SimulatedPlatform['invocations'] extends Set<infer One> ? One : never) => void,
  ): void {
    const all = [...this.#at.platform.invocations];
    if (all.length > 0) strike(this.#at.simulation.draw.oneOf(all));
  }

  #anyObject(strike: (one: ReturnType<SimulatedPlatform['hostOf']>) => void): void {
    const all = [...this.#at.platform.hosts.values()];
    if (all.length > 0) strike(this.#at.simulation.draw.oneOf(all));
  }

  /** Crashes an object. It can restart on a machine with another clock. */
  #crash(host: ReturnType<SimulatedPlatform['hostOf']>): void {
    const { simulation } = this.#at;
    simulation.trace(() => `${host.name} crashes`);
    host.crash(new Error('The Durable Object was reset.'));
    if (this.#storm.clockJump && this.#behind === 0)
      this.#behind = simulation.draw.between(1_000, 20 * MINUTE);
    host.clockAhead = simulation.draw.between(0, MAX_CLOCK_SKEW) - this.#behind;
  }

  /**
   * Starts a deployment. Objects restart, and both versions serve invocations for a while. Running invocations
   * either finish or are killed.
   */
  #deploy(): void {
    const { simulation, platform, versions } = this.#at;
    const { draw } = simulation;
    const [serving] = this.#serving;
    const next = versions.find((one) => one !== serving) ?? versions[0];
    simulation.trace(() => `${next.version} is deployed`);
    this.#serving = [next, ...(serving ? [serving] : [])];
    simulation.after(draw.between(500, 20_000), () => {
      this.#serving = [next];
    });
    for (const host of platform.hosts.values())
      simulation.after(draw.between(0, 3_000), () => this.#crash(host));
    for (const one of platform.invocations) {
      if (draw.happens(0.4))
        simulation.after(draw.between(0, 30_000), () => one.kill('its version is replaced'));
    }
  }
}
