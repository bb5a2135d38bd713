/**
 * Checks the uses of modules in an app and its agents. Runs in development only: other files reach it through
 * `literals.ts`.
 */
import type { ModuleIdentity, ModuleUse } from './module-use.ts';
import { describeValue } from './shown.ts';

/**
 * Returns why these uses conflict, or `undefined`. `scopes`: the uses that apply together, such as an agent's
 * and its app's. `all`: the uses of all scopes.
 */
export function findUsesProblem(
  scopes: readonly (readonly ModuleUse[])[],
  { all, isMade }: { readonly all: readonly ModuleUse[]; isMade(use: object): boolean },
): string | undefined {
  const modules = new Map<string, ModuleIdentity>();
  for (const use of [...scopes, all].flat()) {
    if (typeof use !== 'object' || !isMade(use)) return describeCopiedUse(use);
    const { module } = use;
    const { name } = module;
    if ((modules.get(name) ?? module) !== module)
      return `Two modules are called '${name}'. Rename one${SECOND_COPY}`;
    modules.set(name, module);
  }
  return scopes.map(findSharedKeyProblem).find((problem) => problem !== undefined);
}

/** Returns an error for two uses of one module with the same key, or `undefined`. */
function findSharedKeyProblem(uses: readonly ModuleUse[]): string | undefined {
  const distinct = new Map<string, ModuleUse>();
  for (const use of uses) {
    const { module, key } = use;
    const id = `${module.name} ${key}`;
    if ((distinct.get(id) ?? use) !== use) return describeDuplicateUse(module.name, key);
    distinct.set(id, use);
  }
  return undefined;
}

/** Returns the error for a value that is not a use. */
function describeCopiedUse(use: unknown): string {
  const { name } = Object(Object(use).module);
  return typeof name === 'string'
    ? `A use of the module '${name}' is a copy. Pass the object that the module returned${SECOND_COPY}`
    : '`use` has a value that no module returned. Use the result of a module, such as openApi().';
}

const SECOND_COPY = ', or look for a second copy of holdfast (npm ls holdfast).';

const describeDuplicateUse = (name: string, key: string): string =>
  `The module '${name}' is used twice ` +
  (key === ''
    ? 'with different settings. Use it once.'
    : `under the key '${key}'. Give one of them another key.`);

/**
 * Returns the problem of the entries of `chaining`, or `undefined`. `isMade`: returns whether an entry comes
 * from a function of the module.
 */
export function findChainsProblem(given: unknown, isMade: (entry: object) => boolean): string | undefined {
  if (!Array.isArray(given))
    return `chaining() received ${describeValue(given)}. Pass a list, as in chaining([chainFrom(Customer)]).`;
  const at = given.findIndex((entry) => !isMade(Object(entry)));
  if (at < 0) return undefined;
  return `chaining() has ${describeValue(given[at])} at [${at}]. Use the result of chainFrom, discover or chainAny, as in chaining([chainFrom(Customer)]).`;
}

/** The error for an agent or a tool without a type to chain, as the text after its name. */
export const NOTHING_TO_CHAIN_MESSAGE =
  'has chainAny(), but none of its tools declares a type whose objects have tools. Define one with ' +
  'defineDomainType({ name, schema, tools }), and declare it as the `output` of the tool that returns the object, or name it, as in ' +
  'chainAny(Customer)';
