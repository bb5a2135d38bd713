import { assertFoldable } from '../journal/memories.ts';
import { REDUCER_VERSION } from '../journal/reduce.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { hash32 } from '../tool/json.ts';
import { literals } from '../tool/literals.ts';
import { isMadeUse, type ModuleUse } from '../tool/module-use.ts';
import type { InjectionStrategy } from '../tool/tool.ts';
import type { ToolMemory } from '../tool/tool-memory.ts';
import { OFFERS } from '../tool/uses.ts';
import { type FileKeeper, findFileKeeper } from './loop-files.ts';

/**
 * All modules of an app, composed once for its fold and its loops, which do not depend on specific modules.
 */
export interface Modules {
  readonly uses: readonly ModuleUse[];
  /** The uses of the app itself, which apply to all its agents. */
  readonly appWide: readonly ModuleUse[];
  /** The memories that they fold from a session. */
  readonly memories: readonly ToolMemory[];
  /** The strategies that they add to every loop, in order. */
  readonly strategies: readonly InjectionStrategy[];
  /** The file keeper, if the app uses one. */
  readonly files?: FileKeeper | undefined;
  /** The version in snapshots. A snapshot made with other memories lacks facts of these, and is ignored. */
  readonly reducer: number;
}

/**
 * Composes the modules of an app: its own, those of its agents, and those of nested loops.
 *
 * @throws ConfigurationError in development, if two modules share a name, or if two uses of a module in the
 * scope of one agent share a key.
 */
export function composeModules(
  own: readonly ModuleUse[],
  ofAgents: readonly (readonly ModuleUse[])[] = [],
  inside: readonly ModuleUse[] = [],
): Modules {
  const uses = [...new Set([...own, ...ofAgents.flat(), ...inside])];
  const scopes = [...ofAgents.map((ofAgent) => [...own, ...ofAgent]), own];
  literals?.refuse(ConfigurationError, literals.usesProblem(scopes, { all: uses, isMade: isMadeUse }));
  const memories = [...new Set(uses.map(({ module }) => module))].flatMap(({ state }) => state);
  assertFoldable(memories);
  return {
    uses,
    appWide: [...new Set(own)],
    memories,
    strategies: uses.flatMap((use) => {
      const seam = OFFERS.of(use);
      return seam && (seam.own === undefined || own.includes(use)) ? seam : [];
    }),
    files: findFileKeeper(own),
    reducer: computeReducerVersion(memories),
  };
}

/** Returns the reducer's own version for an app whose modules have no memories. */
function computeReducerVersion(memories: readonly ToolMemory[]): number {
  if (memories.length === 0) return REDUCER_VERSION;
  const stamps = memories.map(
    ({ name, version = 1, when = 'batch', scope = 'session' }) => `${name}@${version} ${when} ${scope}`,
  );
  return REDUCER_VERSION + VERSION_STEP * (1 + hash32(stamps.toSorted().join()));
}

/** A number above any version of the reducer. Multiplied by 2^32, it is still a safe integer. */
const VERSION_STEP = 1_000_000;

/** The modules of an app without modules. */
export const NO_MODULES = composeModules([]);
