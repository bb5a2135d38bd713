import { REDUCER_VERSION } from './journal/reduce.ts';
import { CHAINING } from './kinds/chaining/memory.ts';
import { PLAYBOOK } from './kinds/playbook/memory.ts';
import { AGENT_PROCESS } from './kinds/process/memory.ts';
import { STATE_MACHINES } from './kinds/state-machine/memory.ts';
import { UNFOLDING } from './kinds/unfolding/strategy.ts';
import { ConfigurationError } from './model/configuration-error.ts';
import { APP_MEMORY, type ToolKind } from './tool/define-tool-kind.ts';
import { hash32 } from './tool/json.ts';
import { LISTED_TOOLS } from './tool/listings.ts';
import type { InjectionStrategy } from './tool/tool.ts';
import type { ToolMemory } from './tool/tool-memory.ts';

/** The kinds of an app: what the fold and the loop receive, which know none of them. */
export interface ToolKinds {
  readonly memories: readonly ToolMemory[];
  readonly strategies: readonly InjectionStrategy[];
  /** Stamps snapshots: one that other kinds have made hides facts from these, and is left out. */
  readonly reducer: number;
}

/** The only list of the library's own kinds. */
const OURS: readonly ToolKind[] = [
  CHAINING,
  UNFOLDING,
  STATE_MACHINES,
  PLAYBOOK,
  AGENT_PROCESS,
  LISTED_TOOLS,
];

/**
 * The library's kinds and those of an app.
 *
 * @throws ConfigurationError when two have the same name, or one has a name that only the library's may have.
 */
export function toolKinds(ofApp: readonly ToolKind[] = []): ToolKinds {
  const names = new Set<string>();
  for (const { name } of ofApp) {
    if (names.has(name))
      throw new ConfigurationError(`Two kinds are called '${name}': facts of one would count for the other.`);
    if (name.includes(':'))
      throw new ConfigurationError(`The kind '${name}' has a name of the library's own: leave out the ':'.`);
    names.add(name);
  }
  const kinds = [...OURS, ...ofApp];
  const memories = kinds.flatMap(({ memory }) => memory ?? []);
  return {
    memories,
    strategies: kinds.flatMap(({ strategy }) => strategy ?? []),
    reducer: reducerOf(memories),
  };
}

/** Of an app without kinds of its own it is the reducer's version, as it always was. */
function reducerOf(memories: readonly ToolMemory[]): number {
  const ofApp = memories.filter(({ name }) => name.startsWith(APP_MEMORY));
  if (ofApp.length === 0) return REDUCER_VERSION;
  const stamps = ofApp.map(({ name, version = 1, when, scope }) => `${name}@${version} ${when} ${scope}`);
  return REDUCER_VERSION + STEP * (1 + hash32(stamps.toSorted().join()));
}

/** More than any version of the reducer; times 2^32 it is still a safe integer. */
const STEP = 1_000_000;

/** The kinds of an app that has none of its own. */
export const BUILT_IN_KINDS = toolKinds();
