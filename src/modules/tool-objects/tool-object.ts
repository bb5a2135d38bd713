import { isTool, ToolDefinitionError } from '../../tool/check-definition.ts';
import { defineTool, type ToolConfig } from '../../tool/define-tool.ts';
import type { InputDeclaration } from '../../tool/input-schema.ts';
import { shorten } from '../../tool/json.ts';
import { chainOf, isPlain, isPlainTool, nameOf, ownerOf } from '../../tool/object-class.ts';
import { isClass, shown } from '../../tool/shown.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { withCoercion } from '../../tool/with.ts';
import { type AnyToolEntry, markOf } from './tool-entry.ts';

/**
 * The tools of an object: its fields and the static ones of its class that `toolMethod` made, the methods that the static
 * `tools` of its class describes, or the entries of a plain object.
 *
 * @throws ToolObjectError when there are none, for a list, for a name in the table that is no method, and when two come to
 *   one name; ToolDefinitionError when one of the tools cannot work.
 */
export function declaredTools(object: object): AnyTool[] {
  const { name, table } = toToolObject(object);
  if (Symbol.iterator in object) {
    const problem = `An iterable (${name}) is not a tool object: use toolsOfAll for a list of objects.`;
    throw new ToolObjectError(name, problem);
  }
  if (table.size === 0) throw new ToolObjectError(name, noTools(name, object));
  return [...table.values()].map((make) => withCoercion(make()));
}

const noTools = (name: string, object: object): string =>
  isClass(object)
    ? `The class ${name} has no static tools. For those of its instances take one: new ${name}().`
    : `No tools found on ${name}: make its methods tools with toolMethod, in fields that are not #private, ` +
      "or describe them in a static 'tools' table.";

/** An object, or a class with static tools, as it is looked into for tools. */
interface ToolObject {
  /** Of its class, for messages. */
  readonly name: string;
  /** Makes each of its tools, by the tool's name. Empty: there are none. */
  readonly table: ReadonlyMap<string, () => AnyTool>;
}

/**
 * Looks into an object. A proxy is seen through: the class is asked of the prototype.
 *
 * @throws ToolObjectError when two of its tools come to one name.
 */
export function toToolObject(object: object): ToolObject {
  const owner = ownerOf(object);
  const name = nameOf(owner);
  const looked = { object, owner, name };
  const described = describedIn(looked);
  const all = [
    ...fieldsOf(object, name),
    ...(owner === object ? [] : fieldsOf(owner, name)),
    ...(described.length > 0 ? described : entriesOf(looked)),
  ];
  const byName = new Map<string, Found>();
  for (const one of all) {
    const other = byName.get(one.tool);
    byName.set(one.tool, one);
    if (!other) continue;
    const both = `two tools named '${shorten(one.tool, 80)}': ${other.place} and ${one.place}`;
    throw new ToolObjectError(name, `${name} has ${both}. Give one of them another name.`);
  }
  return { name, table: new Map([...byName].map(([tool, { make }]) => [tool, make])) };
}

/** What an object, or a class, is looked into with. */
interface Looked {
  readonly object: object;
  /** Has the table: the class of an instance, else the object itself. */
  readonly owner: object;
  readonly name: string;
}

/** A tool of an object, before it is made. */
interface Found {
  readonly tool: string;
  /** Where it stands, for messages. */
  readonly place: string;
  make(): AnyTool;
}

/** The fields that `toolMethod` made, of a holder or of what that extends; the nearest counts. No getter is asked for one. */
function fieldsOf(holder: object, name: string): Found[] {
  const fields = new Map<string, unknown>();
  for (const one of chainOf(holder)) {
    for (const [field, { value }] of Object.entries(Object.getOwnPropertyDescriptors(one))) {
      if (!fields.has(field)) fields.set(field, value);
    }
  }
  const kind = typeof holder === 'function' ? 'static field' : 'field';
  return [...fields].flatMap(([field, value]) => {
    const mark = markOf(value);
    if (!mark) return [];
    const { name: tool = field, reconcile, ...entry } = mark;
    const act: Act = {
      run: calling(field, { among: [holder], name }),
      reconcile: reconcile && ((...given) => Reflect.apply(reconcile, holder, given)),
    };
    return [{ tool, place: `its ${kind} '${field}'`, make: () => toTool(tool, entry, act) }];
  });
}

/** The methods that the static `tools` describe, of the object's class or of those that this extends. */
function describedIn({ object, owner, name }: Looked): Found[] {
  const among = [object, owner];
  const checked = (method: string): Act['run'] => {
    if (holderOf(method, among)) return calling(method, { among, name });
    const isOfInstances = typeof Object(Reflect.get(object, 'prototype'))[method] === 'function';
    const hint = isOfInstances ? ` Its instances have it: use new ${name}().` : '';
    const problem = `The static 'tools' of ${name} name '${method}', which is not a method of it.${hint}`;
    throw new ToolObjectError(name, problem);
  };
  return [...tableOf(owner)].map(([method, { name: tool = method, reconcile, ...entry }]) => ({
    tool,
    place: `'${method}' of its static 'tools'`,
    make: () =>
      toTool(tool, entry, {
        run: checked(method),
        reconcile: reconcile === undefined ? undefined : checked(reconcile),
      }),
  }));
}

/** The entries of a plain object of tools: of one that has an entry with a `run`. */
function entriesOf({ object, name }: Looked): Found[] {
  const entries = isPlain(object) ? Object.entries(object) : [];
  if (!entries.some(([, entry]) => isPlainTool(entry))) return [];
  return entries.flatMap(([tool, entry]: [string, unknown]) => {
    if (markOf(entry)) return [];
    if (typeof entry !== 'object' || entry === null || isTool(entry)) {
      const mend = isTool(entry)
        ? 'a tool already: list it by itself'
        : `${shown(entry)}: use { description, run }`;
      throw new ToolObjectError(name, `'${shorten(tool, 80)}' of a plain object of tools is ${mend}.`);
    }
    return [{ tool, place: `its '${tool}'`, make: () => plainTool(tool, entry) }];
  });
}

function plainTool(tool: string, entry: object): AnyTool {
  if (!('name' in entry)) return toTool(tool, entry);
  throw new ToolDefinitionError(tool, 'name', 'it has a `name` beside its key: its key is its name.');
}

/** What is done for a tool of an object. */
interface Act {
  readonly run?: ((...given: readonly unknown[]) => unknown) | undefined;
  readonly reconcile?: ((...given: readonly unknown[]) => unknown) | undefined;
}

function toTool(
  name: string,
  { category, metadata = {}, ...entry }: Partial<AnyToolEntry>,
  act: Act = {},
): AnyTool {
  const config = {
    ...entry,
    ...act,
    name,
    metadata: category === undefined ? metadata : { ...metadata, category },
  };
  // `defineTool` checks at run time that only a `once` tool reconciles, and the loop what a reconciler answers.
  return defineTool(config as ToolConfig<string, InputDeclaration, unknown>);
}

/** Calls a method as it is found now: on the object itself, so that a proxy sees it, else on its class. */
const calling =
  (method: string, { among, name }: { readonly among: readonly object[]; readonly name: string }) =>
  (...given: readonly unknown[]): unknown => {
    const holder = holderOf(method, among);
    if (holder) return Reflect.get(holder, method).apply(holder, given);
    throw new ToolObjectError(name, `'${method}' is not a method of ${name} any more.`);
  };

const holderOf = (method: string, among: readonly object[]): object | undefined =>
  among.find((holder) => typeof Reflect.get(holder, method) === 'function');

/** The tables along the chain, from its end, so that a class changes what it extends. */
function tableOf(owner: object): ReadonlyMap<string, AnyToolEntry> {
  const tables: Readonly<Record<string, AnyToolEntry | undefined>>[] = [];
  for (const one of chainOf(owner)) {
    const table: unknown = Reflect.get(one, 'tools');
    // A list is none: tool groups and agents have one. Nor is a plain tool of this name.
    if (!Array.isArray(table) && !isPlainTool(table)) tables.unshift(Object(table));
  }
  const entries = tables.flatMap((table) => Object.entries(table));
  return new Map(entries.flatMap(([method, entry]) => (entry ? [[method, entry]] : [])));
}

/** An object cannot be made tools of. Thrown where they are made, never in a turn. */
export class ToolObjectError extends Error {
  override readonly name = 'ToolObjectError';
  /** The name of the object's class. */
  readonly object: string;

  constructor(object: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.object = object;
  }
}
