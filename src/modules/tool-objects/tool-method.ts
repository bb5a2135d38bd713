import type { StandardSchemaV1 } from '@standard-schema/spec';
import { warnOnce } from '../../sources/resolution/tool-source.ts';
import type { CallContext } from '../../tool/call.ts';
import type { ReconcileConfig, RunConfig, ToolConfigBase } from '../../tool/define-tool.ts';
import type { InputDeclaration, InputOf } from '../../tool/input-schema.ts';
import { getClass, getClassName, hasToolMembers, TOOL_MEMBER_KEY } from '../../tool/object-class.ts';
import { type MarkedObject, type ObjectReader, setObjectReader } from '../../tool/object-reader.ts';
import type { CheckedPart, UninferredType } from '../../tool/returned.ts';
import { findMethod, type JsonOutput, markMethod, type ToolTable, type TypedOutput } from './tool-entry.ts';
import { toolsOf } from './tools-of.ts';

/** The options of `toolMethod`: those of `defineTool` without `run`, and with an optional name. */
export type ToolMethodConfig<Declaration extends InputDeclaration = undefined> = Omit<
  ToolConfigBase<string, Declaration>,
  'name'
> &
  Omit<RunConfig<Declaration, unknown>, 'run'> &
  ReconcileConfig<Declaration> & {
    /** The tool's name. Defaults to the name of the field. */
    readonly name?: string | undefined;
    /** The category, which is stored in the metadata for programs that list tools. */
    readonly category?: string | undefined;
  };

/**
 * Creates a method that is also a tool, for a field of a class. `toolsOf(new Calculator())` finds it. Code
 * can call it like any other method. `this` is the object, in a `function` and in an arrow function. A static
 * field is a tool of the class. `toolsOf` also finds fields that are `private` or `protected` in TypeScript,
 * but not `#private` fields.
 *
 * `toolsOf` throws a ToolDefinitionError if the options are invalid.
 *
 * @example
 * ```ts
 * class Prices {
 *   readonly #rate = 1.08;
 *   readonly convert = toolMethod(
 *     { description: 'Converts an amount.', input: v.object({ amount: v.number() }), effect: 'read' },
 *     ({ amount }) => amount * this.#rate,
 *   );
 * }
 * ```
 */
export function toolMethod<
  Method extends (input: InputOf<Declaration>, call: CallContext) => unknown,
  const Declaration extends InputDeclaration = undefined,
  Type extends StandardSchemaV1 = StandardSchemaV1,
>(
  config: ToolMethodConfig<Declaration> & { readonly output?: Type | undefined },
  method: Method &
    JsonOutput<CheckedPart<UninferredType<Type>, Awaited<ReturnType<Method>>>> &
    TypedOutput<Awaited<ReturnType<Method>>, UninferredType<Type>>,
): Method {
  // Each call creates its own function, so that one method can be two tools.
  const callMethod = function (this: unknown, ...given: unknown[]): unknown {
    return Reflect.apply(method, this, given);
  };
  markMethod(markReadable(callMethod), config, method);
  // It forwards its arguments and the result.
  return callMethod as Method;
}

/**
 * Creates the static `tools` table of a class, so that its instances can be in the `tools` of an agent.
 * `toolsOf` works without this call. A mistake in the table is reported where the object is listed.
 *
 * @example
 * ```ts
 * class Calculator {
 *   static readonly tools = toolTable<Calculator>({
 *     add: { description: 'Adds.', input: v.object({ a: v.number(), b: v.number() }), effect: 'read' },
 *   });
 *   add({ a, b }: { a: number; b: number }) { return a + b; }
 * }
 * ```
 */
export const toolTable = <Instance>(table: ToolTable<Instance>): ToolTable<Instance> & MarkedObject =>
  markReadable({ ...table });

/** Attaches the function that reads an object's tools, so that the object can be in a list of tools. */
function markReadable<Of extends object>(value: Of): Of & MarkedObject {
  setObjectReader(readObject);
  return Object.defineProperty(value, TOOL_MEMBER_KEY, { value: true }) as Of & MarkedObject; // now marked
}

const readObject: ObjectReader = (given, { isShared }) => {
  const object = typeof given === 'object' || typeof given === 'function' ? given : null;
  if (!object || !hasToolMembers(object)) return undefined;
  if (isShared) warnOfState(object, getClassName(getClass(object)));
  return toolsOf(object);
};

/** Warns the developer if the methods of an object that sessions share change its fields. */
function warnOfState(object: object, name: string): void {
  const fields = listStateFields(object);
  if (fields.length === 0) return;
  warnOnce(
    `${name} keeps ${fields.map((field) => `'${field}'`).join(' and ')} in fields that its methods change: all sessions share ` +
      `that, and it is lost with the Worker. List toolFactory(() => new ${name}()) in its place, which makes one for each ` +
      'invocation, and keep in `call.state` what must survive.',
  );
}

/**
 * Returns the names of the fields that an instance's own methods change, according to their source: a method
 * assigns, increments or decrements the field, or adds to a list, map or set in it. Skips fields that only
 * the constructor sets, that are initialized on first use (`??=`), or that other objects change, and all
 * fields of a frozen object. The result only decides about a warning, so it can be incomplete. Minifiers keep
 * the names of fields.
 */
function listStateFields(object: object): readonly string[] {
  if (typeof object === 'function' || Object.isFrozen(object)) return [];
  const fields = listMethods(object).flatMap((method) => listChangedFields(object, readSource(method)));
  return [...new Set(fields)];
}

const readSource = (code: unknown): string =>
  typeof code === 'function' ? Function.prototype.toString.call(code) : '';

/**
 * Matches `this.count++`, `this.total += 1` and `this.lines[at] = line`, but not `this.client ??= connect()`.
 */
const FIELD_ASSIGNMENT =
  /\bthis\.(#?[\w$]+)(?:\s*(?:\+\+|--)|(?:\[[^\]]*\])*\s*(?:[-+*/%&|^]|\*\*|<<|>>>?)?=(?![=>]))/g;

/** Matches `++this.count`. */
const PREFIX_UPDATE = /(?:\+\+|--)\s*this\.(#?[\w$]+)/g;

/** Matches `this.lines.push(line)`. */
const MUTATING_CALL =
  /\bthis\.(#?[\w$]+)\.(?:push|unshift|pop|shift|splice|sort|reverse|fill|set|add|delete|clear)\s*\(/g;

function listChangedFields(object: object, source: string): readonly string[] {
  const listMatches = (pattern: RegExp): string[] =>
    [...source.matchAll(pattern)].map(([, name = '']) => name);
  return [
    ...[...listMatches(FIELD_ASSIGNMENT), ...listMatches(PREFIX_UPDATE)].filter(
      (name) => name.startsWith('#') || isData(object, name),
    ),
    ...listMatches(MUTATING_CALL).filter((name) => containsCollection(object, name)),
  ];
}

/**
 * Returns whether a field is an own data property. An accessor or an inherited property can refer to another
 * object.
 */
function isData(object: object, name: string): boolean {
  const own = Object.getOwnPropertyDescriptor(object, name);
  return own?.writable === true && typeof own.value !== 'function';
}

/**
 * Returns whether a field contains a list, map or set, since other objects, such as a repository, can also
 * have an `add`. For a private field, only the initializer in the class source shows this.
 */
function containsCollection(object: object, name: string): boolean {
  if (name.startsWith('#')) {
    const begins = new RegExp(
      `${name.replaceAll('$', '\\$')}\\s*=\\s*(?:\\[|new\\s+(?:Weak)?(?:Map|Set)\\b)`,
    );
    return begins.test(readSource(object.constructor));
  }
  const value: unknown = Object.getOwnPropertyDescriptor(object, name)?.value;
  return [Array, Map, Set, WeakMap, WeakSet].some((kind) => value instanceof kind) && !Object.isFrozen(value);
}

/**
 * Returns the methods and accessors of an object, without constructors, and the functions in its fields and
 * in objects there.
 */
function listMethods(object: object): readonly unknown[] {
  const found = new Set<unknown>();
  const collect = (holder: object, depth: number): void => {
    for (const key of Reflect.ownKeys(holder)) {
      if (key === 'constructor') continue;
      const { value, get, set } = Object.getOwnPropertyDescriptor(holder, key) ?? {};
      for (const one of [value, get, set]) if (typeof one === 'function') found.add(findMethod(one));
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
