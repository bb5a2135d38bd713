/** Checks the uses of modules that an app and its agents name. Runs in development only: other files reach it through `literals.ts`. */
import type { ModuleIdentity, ModuleUse } from './module-use.ts';
import { shown } from './shown.ts';

/**
 * Returns why these uses cannot hold together, or `undefined`. `scopes`: those that hold in one place, such as an agent's with its app's;
 * `all`: those of all scopes.
 */
export function usesProblem(
  scopes: readonly (readonly ModuleUse[])[],
  { all, isMade }: { readonly all: readonly ModuleUse[]; isMade(use: object): boolean },
): string | undefined {
  const modules = new Map<string, ModuleIdentity>();
  for (const use of [...scopes, all].flat()) {
    if (typeof use !== 'object' || !isMade(use)) return notMade(use);
    const { module } = use;
    const { name } = module;
    if ((modules.get(name) ?? module) !== module)
      return `Two modules are called '${name}': rename one${SECOND_COPY}`;
    modules.set(name, module);
  }
  return scopes.map(sharedKey).find((problem) => problem !== undefined);
}

/** Returns which two uses of one module have the same key, or `undefined`. */
function sharedKey(uses: readonly ModuleUse[]): string | undefined {
  const distinct = new Map<string, ModuleUse>();
  for (const use of uses) {
    const { module, key } = use;
    const id = `${module.name} ${key}`;
    if ((distinct.get(id) ?? use) !== use) return twoUses(module.name, key);
    distinct.set(id, use);
  }
  return undefined;
}

/** Says so of a value that may be anything. */
function notMade(use: unknown): string {
  const { name } = Object(Object(use).module);
  return typeof name === 'string'
    ? `A use of the module '${name}' is a copy: pass the object that the module returned${SECOND_COPY}`
    : '`use` has a value that no module has made: use what modules return, such as openApi().';
}

const SECOND_COPY = ', or look for a second copy of holdfast (npm ls holdfast).';

const twoUses = (name: string, key: string): string =>
  `The module '${name}' is used twice ` +
  (key === ''
    ? 'with different settings: use it once.'
    : `under the key '${key}': give one of them another.`);

/** Returns what is wrong with the entries of `chaining`, or `undefined`. `isMade`: whether a function of the module has made one. */
export function chainsProblem(given: unknown, isMade: (entry: object) => boolean): string | undefined {
  if (!Array.isArray(given))
    return `chaining() is made of ${shown(given)}: use a list, as in chaining([chainFrom(Customer)]).`;
  const at = given.findIndex((entry) => !isMade(Object(entry)));
  if (at < 0) return undefined;
  return `chaining() has ${shown(given[at])} at [${at}]: use what chainFrom, discover or chainAny returns, as in chaining([chainFrom(Customer)]).`;
}

/** What is wrong with an agent or a tool, after its name, that can know no type to chain. */
export const nothingToChain =
  'has chainAny(), and none of its tools declares a type whose objects have tools: make one with ' +
  'defineDomainType({ name, schema, tools }), and declare it as the `output` of the tool that returns the object, or name it, as in ' +
  'chainAny(Customer)';
