import { formatPath } from './json-text.ts';

/** Takes the place of an object that is not there yet. */
export interface StandIn {
  /** Its properties may be read, and those of their values; nothing else may be done with it. */
  readonly value: unknown;
  /** The first thing that something else was done with, as a path from the root; also when whoever did it went on. */
  readonly misused: () => string | undefined;
}

/**
 * Stands in for an object while code is asked what it would make of one. What only hands the object on, or reads
 * properties in order to hand them on, works; what needs a value (a text, a list, a call) throws a TypeError.
 * Comparisons cannot be seen: they are false, and everything is truthy.
 */
export function standIn(root: string): StandIn {
  let misused: string | undefined;
  const at = (path: readonly string[]): unknown => {
    const refuse = (): never => {
      const what = formatPath(path, root);
      misused ??= what;
      throw new TypeError(`There is no ${root} yet: the value of \`${what}\` is not known.`);
    };
    return new Proxy(() => undefined, {
      get: (_, key) => (typeof key === 'symbol' ? refuse() : at([...path, key])),
      ...Object.fromEntries(REFUSED.map((trap) => [trap, refuse])),
    });
  };
  return { value: at([]), misused: () => misused };
}

/** Everything that may be done with an object but reading a property. */
const REFUSED = [
  'apply',
  'construct',
  'has',
  'ownKeys',
  'getOwnPropertyDescriptor',
  'getPrototypeOf',
  'isExtensible',
  'set',
  'defineProperty',
  'deleteProperty',
  'setPrototypeOf',
  'preventExtensions',
];
