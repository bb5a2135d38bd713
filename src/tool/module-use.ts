import type { ToolMemory } from './tool-memory.ts';

/** The identity of a feature in the kernel. Created once, by `defineModule`, in the feature's folder. */
export interface ModuleIdentity {
  /** The name in rows of the journal and of the agenda. It must not change. */
  readonly name: string;
  /** `true` if an agent's use also applies to loops nested in the agent's own. */
  readonly nested: boolean;
  /** The memories that it keeps of a session. */
  readonly state: readonly ToolMemory[];
}

/** Makes the identity of a module. `nested` defaults to `false`. */
export const createModule = ({
  name,
  nested = false,
  state = [],
}: Pick<ModuleIdentity, 'name'> & Partial<ModuleIdentity>): ModuleIdentity => ({ name, nested, state });

/**
 * Creates a use of a module, with the properties of `more`. `key` defaults to the empty string. Do not copy a
 * use: seams recognize only the original object.
 */
export function createUse<More extends object>(
  module: ModuleIdentity,
  key?: string,
  more?: More,
): ModuleUse & More;
export function createUse(module: ModuleIdentity, key = '', more: object = {}): ModuleUse {
  const use = { ...more, module, key };
  MADE_USES.add(use);
  return use;
}

/** All uses that `createUse` made. */
const MADE_USES = new WeakSet<object>();

/** Returns whether `createUse` created this object. Returns `false` for a copy. */
export const isMadeUse = (use: object): boolean => MADE_USES.has(use);

/** The use of a module in one place, with its configuration. It belongs to an app, an agent or a tool. */
export interface ModuleUse {
  readonly module: ModuleIdentity;
  /** Distinguishes the uses of one module. */
  readonly key: string;
}

/** A place where modules plug in. The code that owns the seam reads the part that a use provides. */
export interface Seam<Shape extends object> {
  /** Returns the part that a use provides for this seam, or `undefined`. */
  of(use: ModuleUse): Shape | undefined;
  /** Stores the part that a use provides for this seam. */
  give(use: ModuleUse, shape: Shape): void;
}

/** Defines a seam. For a use without a part, it costs one lookup when uses are composed. */
export function defineSeam<Shape extends object>(): Seam<Shape> {
  const given = new WeakMap<ModuleUse, Shape>();
  return { of: (use) => given.get(use), give: (use, shape) => void given.set(use, shape) };
}
