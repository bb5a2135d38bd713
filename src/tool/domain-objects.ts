import { attempt, reasonOf } from './async.ts';
import { type CausedProblem, causeOf, isTool, problemText } from './check-definition.ts';
import { refused } from './input-schema.ts';
import { formatPath, shorten } from './json.ts';
import type { ParsedInput } from './problem-lines.ts';
import { ended } from './shown.ts';
import type { AnyTool } from './tool.ts';

/** What the objects of a domain type bring with them, for whoever offers their tools. */
export interface DomainObjects {
  /**
   * Their tools as they are made before there is an object: for names, descriptions and schemas, and never to be called.
   * Tools that only some objects have may be missing. The same list on every read.
   *
   * @throws DomainTypeError when they cannot be told before there is an object.
   */
  readonly declared: readonly AnyTool[];
  /** Begins the names of an object's tools where several objects are known at once. */
  readonly prefix: string;
  /** What tells the object from others of its type; or what is wrong with it. Never throws. */
  idOf(value: unknown): ParsedInput<string>;
  /** The tools of this object, each name once, made anew; or what is wrong with it. Never throws. */
  toolsOf(value: unknown): ParsedInput<readonly AnyTool[]>;
}

/** The objects of a type. @throws DomainTypeError when their tools cannot be told before there is one. */
export function domainObjects<Value>(config: ObjectsConfig<Value>): DomainObjects {
  let known = declaredNow(config);
  return {
    get declared() {
      known ??= declaredTools(config);
      return known;
    },
    prefix: config.prefix,
    idOf: (value) => ifValid(config, value, (valid) => idOf(config, valid)),
    toolsOf: (value) => ifValid(config, value, (valid) => toolsOf(config, valid)),
  };
}

/** What a domain type says of its objects. */
interface ObjectsConfig<Value> {
  readonly type: string;
  readonly prefix: string;
  readonly parse: (value: unknown) => ParsedInput<Value>;
  readonly id: ((value: Value) => unknown) | undefined;
  readonly tools: (value: Value) => readonly AnyTool[];
}

/** A domain type was declared, or is used, wrongly; thrown where that is defined. */
export class DomainTypeError extends Error {
  override readonly name = 'DomainTypeError';
  /** The name that was given, valid or not. */
  readonly type: string;
  /** The property of the definition that is wrong; `max` and `chaining` are said of a type by those who chain it. */
  readonly field: string;

  /** `problem` is a sentence that goes on after "Domain type 'x' ". */
  constructor(type: string, field: string, problem: string | CausedProblem) {
    super(`Domain type '${type.slice(0, 80)}' ${ended(problemText(problem))}`, causeOf(problem));
    this.type = type;
    this.field = field;
  }
}

/** Tools that name a type which is declared further down cannot be made yet: they are, when they are first asked for. */
function declaredNow<Value>(config: ObjectsConfig<Value>): readonly AnyTool[] | undefined {
  try {
    return declaredTools(config);
  } catch (failure) {
    if (failure instanceof DomainTypeError && failure.cause instanceof ReferenceError) return undefined;
    throw failure;
  }
}

function declaredTools<Value>({ type, tools }: ObjectsConfig<Value>): readonly AnyTool[] {
  const { value, misused } = standIn(type);
  const made = attempt(() => tools(value as Value)); // a stand-in: only its properties are read
  const read = misused();
  if (read !== undefined) {
    const problem = `has tools that need an object while they are made (\`${read}\`): use it inside \`run\` only, so that the model can be told of them before there is one`;
    throw new DomainTypeError(type, 'tools', made.ok ? problem : { problem, cause: made.thrown });
  }
  if (!made.ok) {
    const problem = `has tools that cannot be made before there is an object: ${reasonOf(made.thrown)}`;
    throw new DomainTypeError(type, 'tools', { problem, cause: made.thrown });
  }
  const problem = isToolList(made.value) ? twice(made.value) : 'has `tools` that answer no list of tools';
  if (problem) throw new DomainTypeError(type, 'tools', problem);
  return made.value;
}

function toolsOf<Value>(
  { type, tools }: ObjectsConfig<Value>,
  value: Value,
): ParsedInput<readonly AnyTool[]> {
  const made = attempt(() => tools(value));
  if (!made.ok) return invalid(type, `its tools cannot be made: ${reasonOf(made.thrown)}`);
  if (!isToolList(made.value)) return invalid(type, 'its `tools` answer no list of tools');
  const names = made.value.map(({ name }) => name);
  return { ok: true, value: made.value.filter(({ name }, at) => names.indexOf(name) === at) };
}

/** Plain JavaScript may return anything. */
const isToolList = (made: unknown): boolean => Array.isArray(made) && made.every(isTool);

function twice(tools: readonly AnyTool[]): string | undefined {
  const names = tools.map(({ name }) => name);
  const name = names.find((one, at) => names.indexOf(one) !== at);
  return name === undefined ? undefined : `has two tools named '${name}'`;
}

/** Reads the id of an object, or says in a fixed sentence what is wrong with it, since models learn those. */
function idOf<Value>({ type, id }: ObjectsConfig<Value>, value: Value): ParsedInput<string> {
  const read = attempt(() => (id ? id(value) : ownId(value)));
  if (!read.ok) return invalid(type, `its id cannot be read: ${reasonOf(read.thrown)}`);
  const found = read.value;
  if (!id && found === undefined) return refused(`domain type '${type}' missing instanceIdProperty: id`);
  if (found === null || found === undefined || found === '') return refused('Instance ID cannot be null');
  const text = typeof found === 'number' && Number.isFinite(found) ? String(found) : found;
  if (typeof text !== 'string') return invalid(type, 'its id is neither a text nor a number');
  if (text.length > MAX_ID) return invalid(type, `its id is longer than ${MAX_ID} characters`);
  return { ok: true, value: text };
}

/** The property `id`, which tells an object from others unless its type says otherwise. */
const ownId = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'id') && 'id' in value
    ? value.id
    : undefined;

/** More is no id that anybody would want to read in a name, a log or a state. */
const MAX_ID = 256;

function ifValid<Value, Read>(
  { type, parse }: ObjectsConfig<Value>,
  value: unknown,
  read: (valid: Value) => ParsedInput<Read>,
): ParsedInput<Read> {
  const parsed = parse(value);
  return parsed.ok ? read(parsed.value) : invalid(type, parsed.problems.join(' '));
}

const invalid = (type: string, reason: string): ParsedInput<never> =>
  refused(`domain type '${type}' is invalid: ${shorten(reason, 300)}`);

/** Takes the place of an object that is not there yet. */
interface StandIn {
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
function standIn(root: string): StandIn {
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
