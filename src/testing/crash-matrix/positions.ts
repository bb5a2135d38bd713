import { CrashableInvocation } from './crashable-invocation.ts';
import type { CrashableSession } from './crashable-session.ts';
import { type Disturbance, isFor } from './disturbances.ts';
import type { Position } from './position.ts';

/**
 * The positions of one play in order, over all its invocations. The first disturbance strikes whichever invocation is at
 * its position; the next one counts from there.
 */
export class Positions {
  /** All that were passed so far. */
  readonly passed: Position[] = [];
  readonly #left: Disturbance[];
  readonly #session: Pick<CrashableSession, 'restart'>;
  readonly #invocations: CrashableInvocation[] = [];
  #sinceStruck = 0;
  #isOver = false;

  constructor(disturbances: readonly Disturbance[], session: Pick<CrashableSession, 'restart'>) {
    this.#left = [...disturbances];
    this.#session = session;
  }

  /** One more invocation. */
  invoke(): CrashableInvocation {
    const invocation = new CrashableInvocation(this, this.#session);
    this.#invocations.push(invocation);
    return invocation;
  }

  /** Every disturbance has found an invocation. */
  get hasStruck(): boolean {
    return this.#left.length === 0;
  }

  /** Invocations whose calls are held up. */
  get held(): readonly CrashableInvocation[] {
    return this.#invocations.filter(({ isHeldUp }) => isHeldUp);
  }

  /** Nothing is counted, or disturbed, from now on. */
  end(): void {
    this.#isOver = true;
    for (const invocation of this.#invocations) invocation.deliver();
  }

  /** One more position of an undisturbed invocation; answers what strikes it there. */
  pass(position: Position): Disturbance | undefined {
    if (this.#isOver) return undefined;
    this.passed.push(position);
    for (const invocation of this.held) invocation.othersMoved();
    const at = this.#sinceStruck;
    this.#sinceStruck += 1;
    const [next] = this.#left;
    if (!next || at < next.at || !isFor(next.mode, position)) return undefined;
    this.#left.shift();
    this.#sinceStruck = 0;
    return next;
  }
}
