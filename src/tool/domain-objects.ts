import { attempt, getErrorMessage } from './async.ts';
import { type CausedProblem, getProblemText, isTool, toErrorOptions } from './check-definition.ts';
import { createRefusedInput } from './input-schema.ts';
import { formatPath, shorten } from './json.ts';
import type { ParsedInput } from './problem-lines.ts';
import { withFullStop } from './shown.ts';
import type { AnyTool } from './tool.ts';

/** The tools of a domain type's objects. */
export interface DomainObjects {
  /**
   * The tools that are created without an object, for names, descriptions and schemas. They must not be
   * called. Tools that only some objects have can be missing. Returns the same array on every read.
   *
   * @throws DomainTypeError if they cannot be made without an object.
   */
  readonly declared: readonly AnyTool[];
  /** The prefix of the names of an object's tools if several objects are known at once. */
  readonly prefix: string;
  /** Returns the id that distinguishes the object from others of its type, or its problems. Never throws. */
  idOf(value: unknown): ParsedInput<string>;
  /** Returns the tools of this object, without duplicate names, or its problems. Never throws. */
  toolsOf(value: unknown): ParsedInput<readonly AnyTool[]>;
}

/**
 * Returns the objects of a type.
 *
 * @throws DomainTypeError if their tools cannot be made without an object.
 */
export function createDomainObjects<Value>(config: ObjectsConfig<Value>): DomainObjects {
  let known = tryDeclareTools(config);
  return {
    get declared() {
      known ??= declareTools(config);
      return known;
    },
    prefix: config.prefix,
    idOf: (value) => parseThen(config, value, (valid) => readObjectId(config, valid)),
    toolsOf: (value) => parseThen(config, value, (valid) => makeTools(config, valid)),
  };
}

/** A domain type's options about its objects. */
interface ObjectsConfig<Value> {
  readonly type: string;
  readonly prefix: string;
  readonly parse: (value: unknown) => ParsedInput<Value>;
  readonly id: ((value: Value) => unknown) | undefined;
  readonly tools: (value: Value) => readonly AnyTool[];
}

/** Thrown if a domain type, or a definition that uses it, is invalid. */
export class DomainTypeError extends Error {
  override readonly name = 'DomainTypeError';
  /** The given name, valid or not. */
  readonly type: string;
  /**
   * The invalid property of the definition. `max` and `chaining` are options of a module that chains the
   * type.
   */
  readonly field: string;

  /** `problem` completes the sentence "Domain type 'x' ...". */
  constructor(type: string, field: string, problem: string | CausedProblem) {
    super(
      `Domain type '${type.slice(0, 80)}' ${withFullStop(getProblemText(problem))}`,
      toErrorOptions(problem),
    );
    this.type = type;
    this.field = field;
  }
}

/**
 * Makes the tools at once if possible. Tools that refer to a type declared later are made on first access.
 */
function tryDeclareTools<Value>(config: ObjectsConfig<Value>): readonly AnyTool[] | undefined {
  try {
    return declareTools(config);
  } catch (failure) {
    if (failure instanceof DomainTypeError && failure.cause instanceof ReferenceError) return undefined;
    throw failure;
  }
}

function declareTools<Value>({ type, tools }: ObjectsConfig<Value>): readonly AnyTool[] {
  const { value, misused } = createStandIn(type);
  const made = attempt(() => tools(value as Value)); // The stand-in allows only reads of properties.
  const read = misused();
  if (read !== undefined) {
    const problem = `has tools that need an object while they are made (\`${read}\`). Use it only inside \`run\`, since the tools are also made without one`;
    throw new DomainTypeError(type, 'tools', made.ok ? problem : { problem, cause: made.thrown });
  }
  if (!made.ok) {
    const problem = `has tools that cannot be made before there is an object: ${getErrorMessage(made.thrown)}`;
    throw new DomainTypeError(type, 'tools', { problem, cause: made.thrown });
  }
  const problem = isToolList(made.value)
    ? findDuplicateNameProblem(made.value)
    : 'has `tools` that do not return a list of tools';
  if (problem) throw new DomainTypeError(type, 'tools', problem);
  return made.value;
}

function makeTools<Value>(
  { type, tools }: ObjectsConfig<Value>,
  value: Value,
): ParsedInput<readonly AnyTool[]> {
  const made = attempt(() => tools(value));
  if (!made.ok) return createInvalidObject(type, `its tools cannot be made: ${getErrorMessage(made.thrown)}`);
  if (!isToolList(made.value)) return createInvalidObject(type, 'its `tools` do not return a list of tools');
  const names = made.value.map(({ name }) => name);
  return { ok: true, value: made.value.filter(({ name }, at) => names.indexOf(name) === at) };
}

/** Checks the return value of `tools`, since plain JavaScript can return anything. */
const isToolList = (made: unknown): boolean => Array.isArray(made) && made.every(isTool);

function findDuplicateNameProblem(tools: readonly AnyTool[]): string | undefined {
  const names = tools.map(({ name }) => name);
  const name = names.find((one, at) => names.indexOf(one) !== at);
  return name === undefined ? undefined : `has two tools named '${name}'`;
}

/** Returns the id of an object, or its problem as a fixed sentence for models. */
function readObjectId<Value>({ type, id }: ObjectsConfig<Value>, value: Value): ParsedInput<string> {
  const read = attempt(() => (id ? id(value) : getOwnId(value)));
  if (!read.ok) return createInvalidObject(type, `its id cannot be read: ${getErrorMessage(read.thrown)}`);
  const found = read.value;
  if (!id && found === undefined)
    return createRefusedInput(`domain type '${type}' missing instanceIdProperty: id`);
  if (found === null || found === undefined || found === '')
    return createRefusedInput('Instance ID cannot be null');
  const text = typeof found === 'number' && Number.isFinite(found) ? String(found) : found;
  if (typeof text !== 'string') return createInvalidObject(type, 'its id is neither a string nor a number');
  if (text.length > MAX_ID_CHARACTERS)
    return createInvalidObject(type, `its id is longer than ${MAX_ID_CHARACTERS} characters`);
  return { ok: true, value: text };
}

/** Returns the property `id`, the default id of an object. */
const getOwnId = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'id') && 'id' in value
    ? value.id
    : undefined;

/** The maximum characters of an id. A longer one would be unreadable in names, logs and states. */
const MAX_ID_CHARACTERS = 256;

function parseThen<Value, Read>(
  { type, parse }: ObjectsConfig<Value>,
  value: unknown,
  read: (valid: Value) => ParsedInput<Read>,
): ParsedInput<Read> {
  const parsed = parse(value);
  return parsed.ok ? read(parsed.value) : createInvalidObject(type, parsed.problems.join(' '));
}

const createInvalidObject = (type: string, reason: string): ParsedInput<never> =>
  createRefusedInput(`domain type '${type}' is invalid: ${shorten(reason, 300)}`);

/** A stand-in for an object that does not exist yet. */
interface StandIn {
  /** Allows reads of its properties, and of theirs, at any depth. Any other operation throws. */
  readonly value: unknown;
  /**
   * Returns the path from the root to the first value that was used in another way, even if the error was
   * caught.
   */
  readonly misused: () => string | undefined;
}

/**
 * Creates a stand-in for an object, to determine the tools that code would create for one. Code may pass the
 * object on, or read properties to pass them on. Code that needs a value (a string, a list, a call) throws a
 * TypeError. Comparisons cannot be detected: they are false, and every value is truthy.
 */
function createStandIn(root: string): StandIn {
  let misused: string | undefined;
  const createProxyAt = (path: readonly string[]): unknown => {
    const refuse = (): never => {
      const what = formatPath(path, root);
      misused ??= what;
      throw new TypeError(`There is no ${root} yet, so the value of \`${what}\` is not known.`);
    };
    return new Proxy(() => undefined, {
      get: (_, key) => (typeof key === 'symbol' ? refuse() : createProxyAt([...path, key])),
      ...Object.fromEntries(REFUSED_TRAPS.map((trap) => [trap, refuse])),
    });
  };
  return { value: createProxyAt([]), misused: () => misused };
}

/** The proxy traps of all operations other than reading a property. */
const REFUSED_TRAPS = [
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
