import { ModelError } from '../../../src/model/chat-model.ts';

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

export interface Disturbance {
  /** Which moment, from 0: there is one before and one after everything that an invocation does to the world. */
  readonly at: number;
  readonly mode: Mode;
}

/** What an invocation does at a moment: it asks for a lease, appends, renews, asks the model, or runs a tool. */
export type Deed = 'lease' | 'append' | 'renew' | 'model' | 'run';

/** What the object and the invocation do when they are disturbed. */
export interface Hands {
  /** The object loses its memory; `abruptly`: and whatever it was about to answer. */
  restart(abruptly: boolean): Promise<void>;
}

/**
 * Everything that happens in one play, moment by moment, over all its invocations. The first disturbance strikes whoever
 * is at its moment; the next one counts from there.
 */
export class Course {
  /** The deeds of all moments so far. */
  readonly moments: Deed[] = [];
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
  pass(deed: Deed): Disturbance | undefined {
    if (this.#isOver) return undefined;
    this.moments.push(deed);
    for (const line of this.held) line.othersMoved();
    const at = this.#passed;
    this.#passed += 1;
    const [next] = this.#left;
    if (!next || at < next.at || (next.mode === 'lost-acknowledgement' && !isMessage(deed))) return undefined;
    this.#left.shift();
    this.#passed = 0;
    return next;
  }
}

const isMessage = (deed: Deed): boolean => deed === 'append' || deed === 'lease';

/** Everything that one invocation does to the world goes through its line. */
export class Line {
  readonly #course: Course;
  readonly #hands: Hands;
  readonly #leave = new AbortController();
  readonly #held: (() => void)[] = [];
  readonly #gone = Promise.withResolvers<'gone'>();
  #struck: Disturbance | undefined;
  #isDelivered = false;
  #isDropped = false;
  #movesToWait: number | undefined;
  /** Counts what the invocation did, for whoever waits until it does nothing more. */
  moves = 0;

  constructor(course: Course, hands: Hands) {
    this.#course = course;
    this.#hands = hands;
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

  async through<T>(deed: Deed, work: () => T | Promise<T>): Promise<T> {
    await this.#gate(deed);
    const value = await work();
    await this.#gate(deed);
    return value;
  }

  /** A message to the object, which takes it again when the answer was lost. */
  async send<T>(deed: 'append' | 'lease', message: () => Promise<T>): Promise<T> {
    const isInFlight = (await this.#gate(deed)) === 'lost';
    const [answer] = await Promise.all([message(), isInFlight && this.#hands.restart(true)]);
    if ((await this.#gate(deed)) !== 'lost') return answer;
    await this.#hands.restart(true);
    return message();
  }

  async #gate(deed: Deed): Promise<'lost' | undefined> {
    this.moves += 1;
    if (this.#struck && isGone(this.#struck.mode)) {
      await this.#isGone();
      return undefined;
    }
    const struck = this.#course.pass(deed);
    if (!struck) return undefined;
    this.#struck = struck;
    if (isGone(struck.mode)) this.#gone.resolve('gone');
    switch (struck.mode) {
      case 'lost-acknowledgement':
        return 'lost';
      case 'restart':
        await this.#hands.restart(false);
        return undefined;
      case 'cold-fold':
        this.#leave.abort();
        await this.#hands.restart(false);
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
