import { isTool, ToolDefinitionError } from '../../tool/check-definition.ts';
import { defineTool, type ToolConfig } from '../../tool/define-tool.ts';
import type { InputDeclaration } from '../../tool/input-schema.ts';
import { shorten } from '../../tool/json.ts';
import { getClass, getClassName, getPrototypeChain, isPlain, isPlainTool } from '../../tool/object-class.ts';
import { describeValue, isClass } from '../../tool/shown.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { withCoercion } from '../../tool/with.ts';
import { type AnyToolEntry, findMarkedMethod } from './tool-entry.ts';

/**
 * Returns the tools of an object: its own fields and static fields of its class that `toolMethod` created,
 * the methods that the static `tools` of its class describes, or the entries of a plain object.
 *
 * @throws ToolObjectError if there are no tools, the object is a list, a name in the table is not a method,
 * or two tools have the same name.
 * @throws ToolDefinitionError if a tool is invalid.
 */
export function getDeclaredTools(object: object): AnyTool[] {
  const { name, table } = toToolObject(object);
  if (Symbol.iterator in object) {
    const problem = `An iterable (${name}) is not a tool object. Use toolsOfAll for a list of objects.`;
    throw new ToolObjectError(name, problem);
  }
  if (table.size === 0) throw new ToolObjectError(name, formatNoTools(name, object));
  return [...table.values()].map((make) => withCoercion(make()));
}

const formatNoTools = (name: string, object: object): string =>
  isClass(object)
    ? `The class ${name} has no static tools. For those of its instances take one: new ${name}().`
    : `No tools found on ${name}. Make its methods tools with toolMethod, in fields that are not #private, ` +
      "or describe them in a static 'tools' table.";

/** An object, or a class with static tools, and its tools. */
interface ToolObject {
  /** The name of its class, for messages. */
  readonly name: string;
  /** Functions that create its tools, by tool name. Empty if it has no tools. */
  readonly table: ReadonlyMap<string, () => AnyTool>;
}

/**
 * Reads the tools of an object. Finds the class by the prototype, so that it works through a proxy.
 *
 * @throws ToolObjectError if two of its tools have the same name.
 */
export function toToolObject(object: object): ToolObject {
  const owner = getClass(object);
  const name = getClassName(owner);
  const looked = { object, owner, name };
  const described = findDescribedTools(looked);
  const all = [
    ...findFieldTools(object, name),
    ...(owner === object ? [] : findFieldTools(owner, name)),
    ...(described.length > 0 ? described : findEntryTools(looked)),
  ];
  const byName = new Map<string, FoundTool>();
  for (const one of all) {
    const other = byName.get(one.tool);
    byName.set(one.tool, one);
    if (!other) continue;
    const both = `two tools named '${shorten(one.tool, 80)}': ${other.place} and ${one.place}`;
    throw new ToolObjectError(name, `${name} has ${both}. Give one of them another name.`);
  }
  return { name, table: new Map([...byName].map(([tool, { make }]) => [tool, make])) };
}

interface ReadTarget {
  readonly object: object;
  /** The object with the table: the class of an instance, or the object itself. */
  readonly owner: object;
  readonly name: string;
}

/** A tool of an object, before it is created. */
interface FoundTool {
  readonly tool: string;
  /** Its place in the object, for messages. */
  readonly place: string;
  make(): AnyTool;
}

/**
 * Returns the fields of an object and its prototypes that `toolMethod` created. The nearest field takes
 * precedence. Runs no getters.
 */
function findFieldTools(holder: object, name: string): FoundTool[] {
  const fields = new Map<string, unknown>();
  for (const one of getPrototypeChain(holder)) {
    for (const [field, { value }] of Object.entries(Object.getOwnPropertyDescriptors(one))) {
      if (!fields.has(field)) fields.set(field, value);
    }
  }
  const kind = typeof holder === 'function' ? 'static field' : 'field';
  return [...fields].flatMap(([field, value]) => {
    const mark = findMarkedMethod(value);
    if (!mark) return [];
    const { name: tool = field, reconcile, ...entry } = mark;
    const act: ToolFunctions = {
      run: createMethodCall(field, { among: [holder], name }),
      reconcile: reconcile && ((...given) => Reflect.apply(reconcile, holder, given)),
    };
    return [{ tool, place: `its ${kind} '${field}'`, make: () => toTool(tool, entry, act) }];
  });
}

/** Returns the methods that the static `tools` of the object's class and its superclasses describe. */
function findDescribedTools({ object, owner, name }: ReadTarget): FoundTool[] {
  const among = [object, owner];
  const createCheckedRun = (method: string): ToolFunctions['run'] => {
    if (findHolder(method, among)) return createMethodCall(method, { among, name });
    const isOfInstances = typeof Object(Reflect.get(object, 'prototype'))[method] === 'function';
    const hint = isOfInstances ? ` Its instances have it. Use new ${name}().` : '';
    const problem = `The static 'tools' of ${name} list '${method}', which is not one of its methods.${hint}`;
    throw new ToolObjectError(name, problem);
  };
  return [...getToolTable(owner)].map(([method, { name: tool = method, reconcile, ...entry }]) => ({
    tool,
    place: `'${method}' of its static 'tools'`,
    make: () =>
      toTool(tool, entry, {
        run: createCheckedRun(method),
        reconcile: reconcile === undefined ? undefined : createCheckedRun(reconcile),
      }),
  }));
}

/** Returns the entries of a plain object if one of them has a `run`. */
function findEntryTools({ object, name }: ReadTarget): FoundTool[] {
  const entries = isPlain(object) ? Object.entries(object) : [];
  if (!entries.some(([, entry]) => isPlainTool(entry))) return [];
  return entries.flatMap(([tool, entry]: [string, unknown]) => {
    if (findMarkedMethod(entry)) return [];
    if (typeof entry !== 'object' || entry === null || isTool(entry)) {
      const what = isTool(entry)
        ? 'already a tool. List it by itself'
        : `${describeValue(entry)}. Use { description, run }`;
      throw new ToolObjectError(name, `'${shorten(tool, 80)}' of a plain object of tools is ${what}.`);
    }
    return [{ tool, place: `its '${tool}'`, make: () => toPlainTool(tool, entry) }];
  });
}

function toPlainTool(tool: string, entry: object): AnyTool {
  if (!('name' in entry)) return toTool(tool, entry);
  throw new ToolDefinitionError(tool, 'name', 'it has a `name`, but its key is its name. Remove `name`.');
}

interface ToolFunctions {
  readonly run?: ((...given: readonly unknown[]) => unknown) | undefined;
  readonly reconcile?: ((...given: readonly unknown[]) => unknown) | undefined;
}

function toTool(
  name: string,
  { category, metadata = {}, ...entry }: Partial<AnyToolEntry>,
  act: ToolFunctions = {},
): AnyTool {
  const config = {
    ...entry,
    ...act,
    name,
    metadata: category === undefined ? metadata : { ...metadata, category },
  };
  // At run time, `defineTool` checks that only a `once` tool reconciles, and the loop checks the result of
  // the reconciler.
  return defineTool(config as ToolConfig<string, InputDeclaration, unknown>);
}

/**
 * Calls the current value of a method on the object itself, so that a proxy sees the call, or else on its
 * class.
 */
const createMethodCall =
  (method: string, { among, name }: { readonly among: readonly object[]; readonly name: string }) =>
  (...given: readonly unknown[]): unknown => {
    const holder = findHolder(method, among);
    if (holder) return Reflect.get(holder, method).apply(holder, given);
    throw new ToolObjectError(name, `'${method}' is no longer a method of ${name}.`);
  };

const findHolder = (method: string, among: readonly object[]): object | undefined =>
  among.find((holder) => typeof Reflect.get(holder, method) === 'function');

/**
 * Merges the tables along the prototype chain, starting at its end, so that a class overrides its superclass.
 */
function getToolTable(owner: object): ReadonlyMap<string, AnyToolEntry> {
  const tables: Readonly<Record<string, AnyToolEntry | undefined>>[] = [];
  for (const one of getPrototypeChain(owner)) {
    const table: unknown = Reflect.get(one, 'tools');
    // Skips a list, which tool groups and agents have, and a plain tool with this name.
    if (!Array.isArray(table) && !isPlainTool(table)) tables.unshift(Object(table));
  }
  const entries = tables.flatMap((table) => Object.entries(table));
  return new Map(entries.flatMap(([method, entry]) => (entry ? [[method, entry]] : [])));
}

/** Thrown if an object has no valid tools, when the tools are created, never in a turn. */
export class ToolObjectError extends Error {
  override readonly name = 'ToolObjectError';
  /** The name of the object's class. */
  readonly object: string;

  constructor(object: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.object = object;
  }
}
