import { withCoercion } from '../../decorators/with.ts';
import { defineTool, type ToolConfig } from '../../tool/define-tool.ts';
import type { InputDeclaration } from '../../tool/input-schema.ts';
import { shorten } from '../../tool/json.ts';
import type { AnyTool } from '../../tool/tool.ts';
import type { AnyToolEntry } from './tool-table.ts';

/**
 * The tools that the static `tools` of an object's class declares, in the table's order.
 *
 * @throws ToolObjectError when there is no such table, for a list, and for a name in it that is no method;
 *   ToolDefinitionError when one of the tools cannot work.
 */
export function declaredTools(object: object): AnyTool[] {
  const source = toToolObject(object);
  if (Symbol.iterator in object) {
    const problem = `An iterable (${source.name}) is not a tool object: use toolsOfAll for a list of objects.`;
    throw new ToolObjectError(source.name, problem);
  }
  if (source.table.size === 0) {
    const problem =
      `No methods annotated with @LlmTool found on ${source.name}: ` +
      "a class says which of its methods are tools by a static 'tools' table.";
    throw new ToolObjectError(source.name, problem);
  }
  return [...source.table].map(([method, entry]) => withCoercion(toTool({ source, object }, method, entry)));
}

interface Looked {
  readonly source: ToolObject;
  readonly object: object;
}

function toTool({ source, object }: Looked, method: string, entry: AnyToolEntry): AnyTool {
  const { name = method, category, metadata = {}, reconcile, ...more } = entry;
  for (const needed of reconcile === undefined ? [method] : [method, reconcile]) {
    if (source.has(needed)) continue;
    const isOfInstances = typeof Object(Reflect.get(object, 'prototype'))[needed] === 'function';
    const hint = isOfInstances ? ` Its instances have it: use new ${source.name}().` : '';
    const problem = `The static 'tools' of ${source.name} name '${needed}', which is not a method of it.${hint}`;
    throw new ToolObjectError(source.name, problem);
  }
  const config = {
    ...more,
    name,
    metadata: category === undefined ? metadata : { ...metadata, category },
    run: (input: unknown, call: unknown) => source.call(method, input, call),
    reconcile: reconcile && ((input: unknown, call: unknown) => source.call(reconcile, input, call)),
  };
  // `defineTool` checks at run time that only a `once` tool reconciles, and the loop what a reconciler answers.
  return defineTool(config as ToolConfig<string, InputDeclaration, unknown>);
}

/** An object, or a class with static methods, as it is looked into for tools. */
interface ToolObject {
  /** Of its class, for messages. */
  readonly name: string;
  /** The entries by method, those of a subclass over those of what it extends. Empty: there is no table. */
  readonly table: ReadonlyMap<string, AnyToolEntry>;
  has(method: string): boolean;
  /**
   * Calls a method as it is found now: on the object itself, so that a proxy sees it, else on its class.
   *
   * @throws ToolObjectError when there is none.
   */
  call(method: string, ...given: readonly unknown[]): unknown;
}

/** Looks into an object. A proxy is seen through: the class is asked of the prototype. */
export function toToolObject(object: object): ToolObject {
  const owner = ownerOf(object);
  const name = nameOf(owner);
  const find = (method: string) =>
    [object, owner].find((holder) => typeof Reflect.get(holder, method) === 'function');
  return {
    name,
    table: tableOf(owner),
    has: (method) => find(method) !== undefined,
    call(method, ...given) {
      const holder = find(method);
      if (holder) return Reflect.get(holder, method).apply(holder, given);
      throw new ToolObjectError(name, `'${method}' is not a method of ${name} any more.`);
    },
  };
}

/** Answers whose `tools` are read: the class of an instance, else the object itself. */
export function ownerOf(object: object): object {
  if (typeof object === 'function') return object;
  const parent: unknown = Object.getPrototypeOf(object)?.constructor;
  return typeof parent === 'function' && parent !== Object ? parent : object;
}

const nameOf = (owner: object): string =>
  typeof owner === 'function' ? shorten(String(owner.name), 80) || 'an anonymous class' : 'Object';

/** The tables along the chain, from its end, so that a class changes what it extends. */
function tableOf(owner: object): ReadonlyMap<string, AnyToolEntry> {
  const tables: Readonly<Record<string, AnyToolEntry | undefined>>[] = [];
  for (let one: object | null = owner; one !== null; one = Object.getPrototypeOf(one)) {
    const table: unknown = Reflect.get(one, 'tools');
    // A list is none: tool groups and agents have one.
    if (!Array.isArray(table)) tables.unshift(Object(table));
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
