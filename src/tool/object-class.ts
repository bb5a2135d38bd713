import { shorten } from './json.ts';

/** The key that marks members made by `toolMethod` and `toolTable`. */
export const TOOL_MEMBER_KEY: unique symbol = Symbol('holdfast.tool-object');

/**
 * Returns whether an object or a class has a member that `toolMethod` or `toolTable` made. Does not call
 * getters other than `tools`.
 */
export const hasToolMembers = (object: object): boolean => listMembers(object).some(isToolMember);

const isToolMember = (value: unknown): boolean =>
  (typeof value === 'function' || typeof value === 'object') && value !== null && TOOL_MEMBER_KEY in value;

/** Returns the members of an object, or of its class, that can be marked. */
function listMembers(object: object): readonly unknown[] {
  const owner = getClass(object);
  const fields = [...getPrototypeChain(object), ...getPrototypeChain(owner)].flatMap((holder) =>
    Object.values(Object.getOwnPropertyDescriptors(holder)).map(({ value }): unknown => value),
  );
  return [Reflect.get(owner, 'tools'), ...fields.filter((value) => typeof value === 'function')];
}

/** Returns why the tools of a listed object cannot be read, as the text after "Tool x ", or `undefined`. */
export function findUnreadableProblem(object: object): string | undefined {
  const owner = getClass(object);
  const name = getClassName(owner);
  if (isTable(Reflect.get(owner, 'unfolding')))
    return `(${name}) has a static 'unfolding'. List unfoldingOf(...) of it`;
  if (isTable(Reflect.get(owner, 'tools')))
    return `(${name}) has a 'tools' table of plain data. Make it with toolTable<${name}>({ ... })`;
  if (isPlain(object) && Object.values(object).some(isPlainTool))
    return 'is a plain object of tools. List ...toolsOf({ ... })';
  return undefined;
}

/** Returns whether a value is a table. Lists are excluded, since tool groups and agents have one. */
const isTable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

/**
 * Returns whether an entry of a plain object is a tool. Excludes objects of a class, since they can have a
 * `run` method.
 */
export const isPlainTool = (entry: unknown): boolean =>
  typeof entry === 'object' &&
  entry !== null &&
  isPlain(entry) &&
  typeof Reflect.get(entry, 'run') === 'function';

/** Returns whether an object has no class. */
export function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === null || prototype === Object.prototype;
}

/**
 * Returns the object whose `tools` are read: the class of an instance, or the object itself if it has no
 * class.
 */
export function getClass(object: object): object {
  if (typeof object === 'function') return object;
  const parent: unknown = Object.getPrototypeOf(object)?.constructor;
  return typeof parent === 'function' && parent !== Object ? parent : object;
}

/** Returns the name of a class, for messages. */
export const getClassName = (owner: object): string =>
  typeof owner === 'function' ? shorten(String(owner.name), 80) || 'an anonymous class' : 'Object';

/** Returns an object or a class and its prototypes, nearest first. */
export function getPrototypeChain(start: object): object[] {
  const chain: object[] = [];
  for (let one: object | null = start; one !== null; one = Object.getPrototypeOf(one)) chain.push(one);
  return chain;
}
