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
