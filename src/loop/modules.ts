import { REDUCER_VERSION } from '../journal/reduce.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { attempt } from '../tool/async.ts';
import { hash32 } from '../tool/json.ts';
import { distinctUses, type ModuleUse } from '../tool/module-use.ts';
import { OFFERS } from '../tool/offers.ts';
import type { InjectionStrategy } from '../tool/tool.ts';
import type { ToolMemory } from '../tool/tool-memory.ts';

/** All modules of an app, put together once: what the fold and every loop of the app receive, which know none of them. */
export interface Modules {
  readonly uses: readonly ModuleUse[];
  /** What they remember of a session. */
  readonly memories: readonly ToolMemory[];
  /** What they offer in every loop, in order. */
  readonly strategies: readonly InjectionStrategy[];
  /** Stamps snapshots: one that other memories have made hides facts from these, and is left out. */
  readonly reducer: number;
}

/**
 * Puts the uses of modules together: those of the app, then those of its agents, each once.
 *
 * @throws ConfigurationError when two modules share a name, or two uses of one module a key.
 */
export function composeModules(uses: readonly ModuleUse[]): Modules {
  const distinct = attempt(() => distinctUses(uses));
  if (!distinct.ok) throw new ConfigurationError(String(Object(distinct.thrown).message));
  const modules = new Set(distinct.value.map(({ module }) => module));
  const memories = [...modules].flatMap(({ state }) => state);
  return {
    uses: distinct.value,
    memories,
    strategies: distinct.value.flatMap((use) => OFFERS.of(use) ?? []),
    reducer: reducerOf(memories),
  };
}

/** Of an app whose modules remember nothing it is the reducer's version. */
function reducerOf(memories: readonly ToolMemory[]): number {
  if (memories.length === 0) return REDUCER_VERSION;
  const stamps = memories.map(
    ({ name, version = 1, when = 'batch', scope = 'session' }) => `${name}@${version} ${when} ${scope}`,
  );
  return REDUCER_VERSION + STEP * (1 + hash32(stamps.toSorted().join()));
}

/** More than any version of the reducer; times 2^32 it is still a safe integer. */
const STEP = 1_000_000;

/** An app without any module. */
export const NO_MODULES = composeModules([]);
