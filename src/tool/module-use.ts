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

/** Returns whether `useOf` has made a value: seams know no copy of it. */
export const isMade = (use: object): boolean => MADE.has(use);

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
