/** What may befall an invocation, and the invocation that it befalls. */
import { ModelError } from '../../model/chat-model.ts';
import type { CrashableSession, Progress } from './crashable-session.ts';

/**
 * What an invocation does to the world: it asks for a lease, appends, renews, asks the model, runs a tool, or reports what
 * happened outside.
 */
export type Operation = 'lease' | 'append' | 'renew' | 'model' | 'run' | 'effect';

/** The time just before or just after an operation: where a crash may fall. */
export interface Position {
  readonly side: 'before' | 'after';
  readonly operation: Operation;
  /** The tool that runs, or what happens outside. */
  readonly of?: string | undefined;
}

/** The position in words. */
export const positionText = ({ side, operation, of }: Position): string =>
  `${side} ${of === undefined ? operation : `${operation} of '${of}'`}`;

/** What may befall an invocation at one of its positions, or from there on. */
export type Mode =
  /** It gives the turn back at its next boundary, and the object loses its memory: another folds the journal. */
  | 'cold-fold'
  /** The object is reset around the next message to it, which is sent again. */
  | 'lost-acknowledgement'
  /** The object loses its memory, and the invocation goes on. */
  | 'restart'
  /** From there on every call rejects. */
  | 'rejects'
  /** From there on no call is answered, ever. */
  | 'hangs'
  /** From there on calls are held up, and arrive when another invocation has taken the session over. */
  | 'zombie-at-once'
  /** The same, but they arrive while the other one is at work. */
  | 'zombie-amid'
  /** The same, but they arrive an eighth of a term later: just before anybody may ask what they did. */
  | 'zombie-later';

/** One thing that befalls an invocation, at one position. */
export interface Disturbance {
  /** Which position, from 0, in the order of the undisturbed play. */
  readonly at: number;
  readonly mode: Mode;
}

/** What a crash matrix does to invocations, by name, and the ways in which each is done. */
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

const NAMES = Object.keys(DISTURBANCES) as DisturbanceName[]; // the keys of the literal

/** The disturbance that a mode is a way of. */
export function nameOf(mode: Mode): DisturbanceName {
  const name = NAMES.find((one) => (DISTURBANCES[one] as readonly Mode[]).includes(mode)); // of one of them alone
  if (!name) throw new Error(`There is no mode '${mode}'.`);
  return name;
}

/** Modes in which nothing is cut off, so that nothing may be done twice or be in doubt. */
export const isGentle = (mode: Mode): boolean =>
  mode === 'cold-fold' || mode === 'lost-acknowledgement' || mode === 'restart';

/** A position at which a disturbance of this mode does something of its own. */
export const isFor = (mode: Mode, { operation }: Pick<Position, 'operation'>): boolean =>
  mode !== 'lost-acknowledgement' || operation === 'append' || operation === 'lease';

/** One invocation of the Worker, and its end: everything that it does to the world goes through here. */
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

  /** Nothing that it does is heard of any more. */
  get isCutOff(): boolean {
    return this.#struck !== undefined && isGone(this.#struck.mode);
  }

  /** Resolves when the invocation is lost, whatever still comes of its calls. */
  get gone(): Promise<'gone'> {
    return this.#gone.promise;
  }

  /** Aborts when the invocation is to give its turn back. */
  get leave(): AbortSignal {
    return this.#leave.signal;
  }

  get isHeldUp(): boolean {
    return this.#struck?.mode.startsWith('zombie') === true && !this.#isDelivered && !this.#isDropped;
  }

  get mode(): Mode | undefined {
    return this.#struck?.mode;
  }

  /** What is held up arrives when others have done a few things: how many, depends on where it was struck. */
  deliverAmid(): void {
    this.#movesToWait = 1 + ((this.#struck?.at ?? 0) % 7);
  }

  /** Another invocation has done something. */
  othersMoved(): void {
    if (this.#movesToWait === undefined) return;
    this.#movesToWait -= 1;
    if (this.#movesToWait <= 0) this.deliver();
  }

  /** Lets go of everything that was held up. */
  deliver(): void {
    if (this.#isDropped) return;
    this.#isDelivered = true;
    for (const go of this.#held.splice(0)) go();
  }

  /** Nothing that was held up ever arrives. */
  drop(): void {
    this.#isDropped = true;
    this.#held.length = 0;
  }

  /** Does it between two positions; what fails has been done as well. */
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

  /** Code that runs waits for somebody meanwhile, and so for the clock. */
  async waiting<T>(work: () => Promise<T>): Promise<T> {
    this.#running -= 1;
    try {
      return await work();
    } finally {
      this.#running += 1;
    }
  }

  /** A message to the object, which takes it again when the answer was lost. */
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

  /** What a call of an abandoned invocation comes to. */
  async #isGone(): Promise<void> {
    switch (this.#struck?.mode) {
      case 'rejects':
        throw new ModelError('unreachable', 'The invocation is gone.'); // what a model has to throw; others may
      case 'hangs':
        return new Promise(() => {});
      default:
        if (!this.#isDelivered) await new Promise<void>((resolve) => this.#held.push(resolve));
    }
  }
}

const isGone = (mode: Mode): boolean => mode === 'rejects' || mode === 'hangs' || mode.startsWith('zombie');

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
