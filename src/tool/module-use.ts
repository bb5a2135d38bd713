import type { ToolMemory } from './tool-memory.ts';

/** A feature, as the kernel tells it from others. Made by `defineModule`, once, in the feature's folder. */
export interface ModuleIdentity {
  /** Rows of the journal and of the agenda name it, so it stays. */
  readonly name: string;
  /** What an agent has of it holds in the loops inside its own too. */
  readonly nested: boolean;
  /** What it remembers of a session. */
  readonly state: readonly ToolMemory[];
}

/** Makes the identity of a module. `nested`: false unless given. */
export const createModule = ({
  name,
  nested = false,
  state = [],
}: Pick<ModuleIdentity, 'name'> & Partial<ModuleIdentity>): ModuleIdentity => ({ name, nested, state });

/** Makes a use of a module, with `more` in it. The key defaults to the empty text. A copy of a use is none: seams know the object itself. */
export function useOf<More extends object>(
  module: ModuleIdentity,
  key?: string,
  more?: More,
): ModuleUse & More;
export function useOf(module: ModuleIdentity, key = '', more: object = {}): ModuleUse {
  const use = { ...more, module, key };
  MADE.add(use);
  return use;
}

/** Every use that `useOf` has made. */
const MADE = new WeakSet<object>();

/** A module as it is used in one place, with its configuration: what an app, an agent or a tool carries. */
export interface ModuleUse {
  readonly module: ModuleIdentity;
  /** Tells uses of one module apart; each has its own. */
  readonly key: string;
}

/** A place where modules plug in: whoever owns the place asks it what a use brings for it. */
export interface Seam<Shape extends object> {
  /** What the use brings here; nothing for most. */
  of(use: ModuleUse): Shape | undefined;
  /** Remembers what a use brings here. */
  give(use: ModuleUse, shape: Shape): void;
}

/** Makes a seam. A use that brings nothing for it costs one look-up where uses are put together. */
export function defineSeam<Shape extends object>(): Seam<Shape> {
  const given = new WeakMap<ModuleUse, Shape>();
  return { of: (use) => given.get(use), give: (use, shape) => void given.set(use, shape) };
}

/**
 * The uses of one scope, such as an app's, each once and in their order.
 *
 * @throws TypeError if two modules share a name, or two uses of one module a key.
 */
export function distinctUses(uses: readonly ModuleUse[]): readonly ModuleUse[] {
  distinctModules(uses);
  const distinct = new Map<string, ModuleUse>();
  for (const use of uses) {
    const { module, key } = use;
    const id = `${module.name} ${key}`;
    if ((distinct.get(id) ?? use) !== use) throw new TypeError(twoUses(module.name, key));
    distinct.set(id, use);
  }
  return [...distinct.values()];
}

/**
 * The modules of the uses, each once.
 *
 * @throws TypeError if two share a name, or a use is a copy or was not made by a module.
 */
export function distinctModules(uses: readonly ModuleUse[]): readonly ModuleIdentity[] {
  const modules = new Map<string, ModuleIdentity>();
  for (const use of uses) {
    if (!MADE.has(use)) throw new TypeError(notMade(use));
    const { module } = use;
    const { name } = module;
    if ((modules.get(name) ?? module) !== module) throw new TypeError(twoModules(name));
    modules.set(name, module);
  }
  return [...modules.values()];
}

/** Says so of a value that may be anything. */
function notMade(use: unknown): string {
  const { name } = Object(Object(use).module);
  return typeof name === 'string'
    ? `A use of the module '${name}' is a copy: pass the object that the module returned${SECOND_COPY}`
    : '`use` has a value that no module has made: use what modules return, such as openApi().';
}

const SECOND_COPY = ', or look for a second copy of holdfast (npm ls holdfast).';

const twoModules = (name: string): string => `Two modules are called '${name}': rename one${SECOND_COPY}`;

const twoUses = (name: string, key: string): string =>
  `The module '${name}' is used twice ` +
  (key === ''
    ? 'with different settings: use it once.'
    : `under the key '${key}': give one of them another.`);
