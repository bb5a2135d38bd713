/** Defines disturbances and the invocations that they strike. */
import { ModelError } from '../../model/chat-model.ts';
import type { CrashableSession, Progress } from './crashable-session.ts';

/**
 * An operation of an invocation: requesting a lease, appending, renewing, calling the model, running a tool,
 * or reporting an external effect.
 */
export type Operation = 'lease' | 'append' | 'renew' | 'model' | 'run' | 'effect';

/** A point just before or after an operation at which a crash can happen. */
export interface Position {
  readonly side: 'before' | 'after';
  readonly operation: Operation;
  /** The tool that runs, or the external effect. */
  readonly of?: string | undefined;
}

/** Formats the position as text. */
export const formatPosition = ({ side, operation, of }: Position): string =>
  `${side} ${of === undefined ? operation : `${operation} of '${of}'`}`;

/** A disturbance of an invocation at one of its positions, or from there on. */
export type Mode =
  /**
   * The invocation releases the turn at its next boundary, and the object loses its memory. Another
   * invocation then folds the journal.
   */
  | 'cold-fold'
  /** The object restarts during the next message to it, which is sent again. */
  | 'lost-acknowledgement'
  /** The object loses its memory, and the invocation continues. */
  | 'restart'
  /** From there on, calls reject. */
  | 'rejects'
  /** From there on, calls never settle. */
  | 'hangs'
  /** From there on, calls are delayed and arrive as soon as another invocation has taken over. */
  | 'zombie-at-once'
  /** Like `zombie-at-once`, but the calls arrive between operations of the other invocation. */
  | 'zombie-amid'
  /**
   * Like `zombie-at-once`, but the calls arrive an eighth of a lease term later, just before they may be
   * reconciled.
   */
  | 'zombie-later';

export interface Disturbance {
  /** The index of the position in the undisturbed play, from 0. */
  readonly at: number;
  readonly mode: Mode;
}

/** The disturbances of a crash matrix by name, each with its modes. */
export const DISTURBANCES = {
  'cold fold': ['cold-fold'],
  'lost acknowledgement': ['lost-acknowledgement'],
  restart: ['restart'],
  abandoned: ['rejects', 'hangs'],
  zombie: ['zombie-at-once', 'zombie-amid', 'zombie-later'],
} as const satisfies Readonly<Record<string, readonly Mode[]>>;

/** The name of a disturbance in the table. */
export type DisturbanceName = keyof typeof DISTURBANCES;

/** Every mode, in the order of the table. */
export const MODES: readonly Mode[] = Object.values(DISTURBANCES).flat();

const DISTURBANCE_NAMES = Object.keys(DISTURBANCES) as DisturbanceName[]; // `Object.keys` returns strings

export function getDisturbanceName(mode: Mode): DisturbanceName {
  const name = DISTURBANCE_NAMES.find((one) => (DISTURBANCES[one] as readonly Mode[]).includes(mode)); // each mode belongs to one disturbance
  if (!name) throw new Error(`There is no mode '${mode}'.`);
  return name;
}

/** Returns whether a mode interrupts no call, so that repeated or unknown effects are not allowed. */
export const isGentle = (mode: Mode): boolean =>
  mode === 'cold-fold' || mode === 'lost-acknowledgement' || mode === 'restart';

/**
 * Returns whether a mode has an effect at a position. Only appends and leases have acknowledgements to lose.
 */
export const hasEffectAt = (mode: Mode, { operation }: Pick<Position, 'operation'>): boolean =>
  mode !== 'lost-acknowledgement' || operation === 'append' || operation === 'lease';

/**
 * An invocation of the Worker that can be interrupted. It performs all its operations through this object.
 */
export class CrashableInvocation implements Progress {
  readonly #positions: Positions;
  readonly #session: Pick<CrashableSession, 'restart'>;
  readonly #leave = new AbortController();
  readonly #held: (() => void)[] = [];
  readonly #gone = Promise.withResolvers<'gone'>();
  #struck: Disturbance | undefined;
  #isDelivered = false;
  #isDropped = false;
  #movesToWait: number | undefined;
  #running = 0;
  moves = 0;

  constructor(positions: Positions, session: Pick<CrashableSession, 'restart'>) {
    this.#positions = positions;
    this.#session = session;
  }

  get isBusy(): boolean {
    return this.#running > 0 && !this.isCutOff;
  }

  /** `true` if it no longer receives the results of its operations. */
  get isCutOff(): boolean {
    return this.#struck !== undefined && isGone(this.#struck.mode);
  }

  /** Resolves when the invocation is lost, even if its calls still settle. */
  get gone(): Promise<'gone'> {
    return this.#gone.promise;
  }

  /** Aborts when the invocation must release its turn. */
  get leave(): AbortSignal {
    return this.#leave.signal;
  }

  get isHeldUp(): boolean {
    return this.#struck?.mode.startsWith('zombie') === true && !this.#isDelivered && !this.#isDropped;
  }

  get mode(): Mode | undefined {
    return this.#struck?.mode;
  }

  /**
   * Delivers the delayed calls after one to seven operations of other invocations, depending on the position
   * of the disturbance.
   */
  deliverAmid(): void {
    this.#movesToWait = 1 + ((this.#struck?.at ?? 0) % 7);
  }

  /** Counts an operation of another invocation. */
  othersMoved(): void {
    if (this.#movesToWait === undefined) return;
    this.#movesToWait -= 1;
    if (this.#movesToWait <= 0) this.deliver();
  }

  deliver(): void {
    if (this.#isDropped) return;
    this.#isDelivered = true;
    for (const go of this.#held.splice(0)) go();
  }

  drop(): void {
    this.#isDropped = true;
    this.#held.length = 0;
  }

  /** Runs an operation between two positions. A failed operation also passes the second position. */
  async through<T>(operation: Operation, work: () => T | Promise<T>, of?: string): Promise<T> {
    await this.#gate({ side: 'before', operation, of });
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      await this.#gate({ side: 'after', operation, of });
    }
  }

  /** Runs code that waits for a person, and so for time to pass. */
  async waiting<T>(work: () => Promise<T>): Promise<T> {
    this.#running -= 1;
    try {
      return await work();
    } finally {
      this.#running += 1;
    }
  }

  /** Sends a message to the object. Sends it again if the response is lost. */
  async send<T>(operation: 'append' | 'lease', message: () => Promise<T>): Promise<T> {
    const isInFlight = (await this.#gate({ side: 'before', operation })) === 'lost';
    const [answer] = await Promise.all([message(), isInFlight && this.#session.restart(true)]);
    if ((await this.#gate({ side: 'after', operation })) !== 'lost') return answer;
    await this.#session.restart(true);
    return message();
  }

  async #gate(position: Position): Promise<'lost' | undefined> {
    this.moves += 1;
    if (this.isCutOff) {
      await this.#isGone();
      return undefined;
    }
    const struck = this.#positions.pass(position);
    if (!struck) return undefined;
    this.#struck = struck;
    if (isGone(struck.mode)) this.#gone.resolve('gone');
    switch (struck.mode) {
      case 'lost-acknowledgement':
        return 'lost';
      case 'restart':
        await this.#session.restart(false);
        return undefined;
      case 'cold-fold':
        this.#leave.abort();
        await this.#session.restart(false);
        return undefined;
      default:
        await this.#isGone();
        return undefined;
    }
  }

  /** Rejects, never settles or settles late, depending on the mode of the lost invocation. */
  async #isGone(): Promise<void> {
    switch (this.#struck?.mode) {
      case 'rejects':
        throw new ModelError('unreachable', 'The invocation is gone.'); // models throw this error
      case 'hangs':
        return new Promise(() => {});
      default:
        if (!this.#isDelivered) await new Promise<void>((resolve) => this.#held.push(resolve));
    }
  }
}

const isGone = (mode: Mode): boolean => mode === 'rejects' || mode === 'hangs' || mode.startsWith('zombie');

/**
 * The positions of one play in order, over all its invocations. A disturbance strikes the invocation at its
 * position. The position of the next disturbance is counted from there.
 */
export class Positions {
  /** The positions passed so far. */
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

  /** Creates the next invocation. */
  invoke(): CrashableInvocation {
    const invocation = new CrashableInvocation(this, this.#session);
    this.#invocations.push(invocation);
    return invocation;
  }

  /** `true` if every disturbance has struck an invocation. */
  get hasStruck(): boolean {
    return this.#left.length === 0;
  }

  /** The invocations with delayed calls. */
  get held(): readonly CrashableInvocation[] {
    return this.#invocations.filter(({ isHeldUp }) => isHeldUp);
  }

  /** Stops counting and disturbing. */
  end(): void {
    this.#isOver = true;
    for (const invocation of this.#invocations) invocation.deliver();
  }

  /** Passes one position of an undisturbed invocation. Returns the disturbance there, if any. */
  pass(position: Position): Disturbance | undefined {
    if (this.#isOver) return undefined;
    this.passed.push(position);
    for (const invocation of this.held) invocation.othersMoved();
    const at = this.#sinceStruck;
    this.#sinceStruck += 1;
    const [next] = this.#left;
    if (!next || at < next.at || !hasEffectAt(next.mode, position)) return undefined;
    this.#left.shift();
    this.#sinceStruck = 0;
    return next;
  }
}
