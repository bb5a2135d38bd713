import type { Outside } from '../app/port.ts';
import type { Simulation } from '../machine/simulation.ts';

/** An effect, as the external services recorded it. */
export interface Effect {
  readonly key: string;
  /** The id of the session that made the call. */
  readonly session: string;
  readonly call: string;
  readonly label: string;
  /** The simulated time, in ms. */
  readonly at: number;
}

/** The probability of each fault of the external services. */
export interface OutsideWeather {
  readonly modelFaults: number;
  readonly slowWorld: number;
}

const FAIR_WEATHER: OutsideWeather = { modelFaults: 0, slowWorld: 0 };

/** The maximum delay of a request to the external services, in ms. */
const MAX_DELAY_MS = 60_000;

/** The external services. They record effects by key, independently of all journals. */
export class OutsideWorld implements Outside {
  readonly effects: Effect[] = [];
  weather = FAIR_WEATHER;
  readonly #simulation: Simulation;
  /** The number of recalls of each key. Requests from before the last recall are refused. */
  readonly #tickets = new Map<string, number>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  calm(): void {
    this.weather = FAIR_WEATHER;
  }

  pause(ms: number): Promise<void> {
    return this.#simulation.pause(ms);
  }

  ticket(key: string): number {
    return this.#tickets.get(key) ?? 0;
  }

  act({ key, session, call, label, ticket }: Parameters<Outside['act']>[0]): Promise<void> {
    const simulation = this.#simulation;
    const { owner } = simulation;
    return new Promise((resolve, reject) => {
      const recordArrival = (): void => {
        const isLate = ticket < this.ticket(key);
        simulation.trace(
          () => `effect of ${label} (${call})${isLate ? ' refused' : ''}, sent by ${owner?.name}`,
        );
        if (!isLate) this.effects.push({ key, session, call, label, at: simulation.now });
        const settle = (): void =>
          isLate ? reject(new Error('The request was refused because its key was recalled.')) : resolve();
        simulation.after(this.#way(), settle, owner ?? null);
      };
      simulation.after(this.#way(), recordArrival, null);
    });
  }

  async recall(key: string): Promise<'done' | 'not-done'> {
    const simulation = this.#simulation;
    const { owner } = simulation;
    return new Promise((resolve) => {
      const recordArrival = (): void => {
        const isDone = this.effects.some((effect) => effect.key === key);
        if (!isDone) this.#tickets.set(key, this.ticket(key) + 1);
        simulation.trace(() => `recall of ${key.slice(0, 8)}: ${isDone ? 'done' : 'not-done'}`);
        simulation.after(this.#way(), () => resolve(isDone ? 'done' : 'not-done'), owner ?? null);
      };
      simulation.after(this.#way(), recordArrival, null);
    });
  }

  modelFate(): ReturnType<Outside['modelFate']> {
    const { draw } = this.#simulation;
    const isFaulty = draw.happens(this.weather.modelFaults);
    const fault = draw.oneOf(['error', 'breaks', 'silent'] as const);
    return isFaulty ? fault : 'fine';
  }

  #way(): number {
    const { draw } = this.#simulation;
    const isSlow = draw.happens(this.weather.slowWorld);
    return isSlow ? draw.between(1_000, MAX_DELAY_MS) : draw.between(1, 40);
  }
}
