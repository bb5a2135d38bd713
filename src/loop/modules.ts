import { mustFold } from '../journal/memories.ts';
import { REDUCER_VERSION } from '../journal/reduce.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import { hash32 } from '../tool/json.ts';
import { literals } from '../tool/literals.ts';
import { isMade, type ModuleUse } from '../tool/module-use.ts';
import type { InjectionStrategy } from '../tool/tool.ts';
import type { ToolMemory } from '../tool/tool-memory.ts';
import { OFFERS } from '../tool/uses.ts';
import { type FileKeeper, keeperIn } from './loop-files.ts';

/** All modules of an app, put together once: what the fold and every loop of the app receive, which know none of them. */
export interface Modules {
  readonly uses: readonly ModuleUse[];
  /** Those of the app itself, which hold for all its agents. */
  readonly appWide: readonly ModuleUse[];
  /** What they remember of a session. */
  readonly memories: readonly ToolMemory[];
  /** What they offer in every loop, in order. */
  readonly strategies: readonly InjectionStrategy[];
  /** What keeps files, if the app uses it. */
  readonly files?: FileKeeper | undefined;
  /** Stamps snapshots: one that other memories have made hides facts from these, and is left out. */
  readonly reducer: number;
}

/**
 * Puts the modules of an app together: its own, those that each of its agents brings, and those of loops inside theirs.
 *
 * @throws ConfigurationError in development, if two modules share a name, or two uses of one module that hold for the same agent a key.
 */
export function composeModules(
  own: readonly ModuleUse[],
  ofAgents: readonly (readonly ModuleUse[])[] = [],
  inside: readonly ModuleUse[] = [],
): Modules {
  const uses = [...new Set([...own, ...ofAgents.flat(), ...inside])];
  const scopes = [...ofAgents.map((ofAgent) => [...own, ...ofAgent]), own];
  literals?.refuse(ConfigurationError, literals.usesProblem(scopes, { all: uses, isMade }));
  const memories = [...new Set(uses.map(({ module }) => module))].flatMap(({ state }) => state);
  mustFold(memories);
  return {
    uses,
    appWide: [...new Set(own)],
    memories,
    strategies: uses.flatMap((use) => {
      const seam = OFFERS.of(use);
      return seam && (seam.own === undefined || own.includes(use)) ? seam : [];
    }),
    files: keeperIn(own),
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
