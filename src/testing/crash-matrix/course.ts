import { Line } from './line.ts';

/** What may befall an invocation at one of its moments, or from there on. */
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

/** Modes in which nothing is cut off, so that nothing may be done twice or be in doubt. */
export const isGentle = (mode: Mode): boolean =>
  mode === 'cold-fold' || mode === 'lost-acknowledgement' || mode === 'restart';

/** One thing that befalls an invocation, at one moment. */
export interface Disturbance {
  /** Which moment, from 0: there is one before and one after everything that an invocation does to the world. */
  readonly at: number;
  readonly mode: Mode;
}

/**
 * What an invocation does to the world: it asks for a lease, appends, renews, asks the model, runs a tool, or reports what
 * happened outside.
 */
export type Deed = 'lease' | 'append' | 'renew' | 'model' | 'run' | 'effect';

/** The time just before or just after a deed. */
export interface Moment {
  readonly side: 'before' | 'after';
  readonly deed: Deed;
  /** The tool that runs, or what happens outside. */
  readonly of?: string | undefined;
}

/** The moment in words. */
export const momentText = ({ side, deed, of }: Moment): string =>
  `${side} ${of === undefined ? deed : `${deed} of '${of}'`}`;

/** A moment at which a disturbance of this mode does something of its own. */
export const isFor = (mode: Mode, { deed }: Pick<Moment, 'deed'>): boolean =>
  mode !== 'lost-acknowledgement' || deed === 'append' || deed === 'lease';

/** What the object does when it is disturbed. */
export interface Hands {
  /** It loses its memory; `abruptly`: and whatever it was about to answer. */
  restart(abruptly: boolean): Promise<void>;
}

/**
 * Everything that happens in one play, moment by moment, over all its invocations. The first disturbance strikes whoever
 * is at its moment; the next one counts from there.
 */
export class Course {
  /** All moments so far. */
  readonly moments: Moment[] = [];
  readonly #left: Disturbance[];
  readonly #hands: Hands;
  readonly #lines: Line[] = [];
  #passed = 0;
  #isOver = false;

  constructor(disturbances: readonly Disturbance[], hands: Hands) {
    this.#left = [...disturbances];
    this.#hands = hands;
  }

  /** The line of one more invocation. */
  open(): Line {
    const line = new Line(this, this.#hands);
    this.#lines.push(line);
    return line;
  }

  /** Every disturbance has found somebody. */
  get hasStruck(): boolean {
    return this.#left.length === 0;
  }

  /** Lines whose calls are held up. */
  get held(): readonly Line[] {
    return this.#lines.filter(({ isHeldUp }) => isHeldUp);
  }

  /** Nothing is counted, or disturbed, from now on. */
  end(): void {
    this.#isOver = true;
    for (const line of this.#lines) line.deliver();
  }

  /** One more moment of an undisturbed line; answers what strikes it there. */
  pass(moment: Moment): Disturbance | undefined {
    if (this.#isOver) return undefined;
    this.moments.push(moment);
    for (const line of this.held) line.othersMoved();
    const at = this.#passed;
    this.#passed += 1;
    const [next] = this.#left;
    if (!next || at < next.at || !isFor(next.mode, moment)) return undefined;
    this.#left.shift();
    this.#passed = 0;
    return next;
  }
}
