import { methodIn } from './tool-entry.ts';

/**
 * Names the fields of an instance that its own methods change, as far as their source shows it: a field is assigned to, counted up
 * or down, or a list, map or set in it is added to. What only the constructor sets is not among them, nor what is made when it is
 * first needed (`??=`), what other objects do, and any of a frozen object. It decides what is said on the console and
 * nothing else, so it may miss some; minifiers keep the names of fields.
 */
export function stateFields(object: object): readonly string[] {
  if (typeof object === 'function' || Object.isFrozen(object)) return [];
  const fields = methodsOf(object).flatMap((method) => changedIn(object, sourceOf(method)));
  return [...new Set(fields)];
}

const sourceOf = (code: unknown): string =>
  typeof code === 'function' ? Function.prototype.toString.call(code) : '';

/** `this.count++`, `this.total += 1`, `this.lines[at] = line`, but not `this.client ??= connect()`. */
const ASSIGNED =
  /\bthis\.(#?[\w$]+)(?:\s*(?:\+\+|--)|(?:\[[^\]]*\])*\s*(?:[-+*/%&|^]|\*\*|<<|>>>?)?=(?![=>]))/g;

/** `++this.count`. */
const COUNTED = /(?:\+\+|--)\s*this\.(#?[\w$]+)/g;

/** `this.lines.push(line)`. */
const ADDED =
  /\bthis\.(#?[\w$]+)\.(?:push|unshift|pop|shift|splice|sort|reverse|fill|set|add|delete|clear)\s*\(/g;

function changedIn(object: object, source: string): readonly string[] {
  const named = (pattern: RegExp): string[] => [...source.matchAll(pattern)].map(([, name = '']) => name);
  return [
    ...[...named(ASSIGNED), ...named(COUNTED)].filter((name) => name.startsWith('#') || isData(object, name)),
    ...named(ADDED).filter((name) => holdsCollection(object, name)),
  ];
}

/** An accessor, or something that is inherited, may lead elsewhere. */
function isData(object: object, name: string): boolean {
  const own = Object.getOwnPropertyDescriptor(object, name);
  return own?.writable === true && typeof own.value !== 'function';
}

/** A repository has an `add` too. What a private field holds is only known from how its class begins it. */
function holdsCollection(object: object, name: string): boolean {
  if (name.startsWith('#')) {
    const begins = new RegExp(
      `${name.replaceAll('$', '\\$')}\\s*=\\s*(?:\\[|new\\s+(?:Weak)?(?:Map|Set)\\b)`,
    );
    return begins.test(sourceOf(object.constructor));
  }
  const value: unknown = Object.getOwnPropertyDescriptor(object, name)?.value;
  return [Array, Map, Set, WeakMap, WeakSet].some((kind) => value instanceof kind) && !Object.isFrozen(value);
}

/** Its methods and accessors but for constructors, and functions in its fields, those inside of objects there too. */
function methodsOf(object: object): readonly unknown[] {
  const found = new Set<unknown>();
  const collect = (holder: object, depth: number): void => {
    for (const key of Reflect.ownKeys(holder)) {
      if (key === 'constructor') continue;
      const { value, get, set } = Object.getOwnPropertyDescriptor(holder, key) ?? {};
      for (const one of [value, get, set]) if (typeof one === 'function') found.add(methodIn(one));
      if (depth > 0 && typeof value === 'object' && value !== null) collect(value, depth - 1);
    }
  };
  collect(object, 1);
  let parent: object | null = Object.getPrototypeOf(object);
  for (; parent !== null && parent !== Object.prototype; parent = Object.getPrototypeOf(parent)) {
    collect(parent, 0);
  }
  return [...found];
}
