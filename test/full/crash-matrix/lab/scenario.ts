import type { Agent, ModuleUse } from '../../../../src/index.ts';
import type { CrashStep, ScriptedExchange } from '../../../../src/testing/crash-matrix/entry.ts';
import { toolKinds } from '../../../doors/kinds.ts';
import type { Subject } from '../../../doors/testing.ts';
import { type Kit, kitOf, type LabWorld } from './kit.ts';

/** A script for one kind of tool, which goes the same way whenever it is played. */
export interface Scenario {
  /** The kind, as the matrix names it. */
  readonly kind: string;
  /** Part of its journal, without which the script does not show its kind. */
  readonly tells?: string;
  /** Calls that are refused, as they are meant to be; none unless given. */
  readonly refuses?: number;
  /** Made anew for every invocation, as code is. */
  agent(kit: Kit): Agent;
  /** Others of its app, for whoever is given by name. */
  agents?(kit: Kit): readonly Agent[];
  /** Of its app, beside the library's own. */
  readonly kinds?: readonly ModuleUse[];
  readonly script: readonly ScriptedExchange[];
  readonly steps: readonly CrashStep[];
}

/** A subject, and all modules that its agents may have. */
export interface LabSubject extends Subject<LabWorld> {
  readonly known: ReturnType<typeof toolKinds>;
}

/** The scenario as it is played. */
export const toSubject = (scenario: Scenario): LabSubject => ({
  app(crash) {
    const kit = kitOf(crash);
    return [scenario.agent(kit), ...(scenario.agents?.(kit) ?? [])];
  },
  modules: (agents) => toolKinds([...(scenario.kinds ?? []), ...new Set(agents.flatMap(({ uses }) => uses))]),
  known: toolKinds(scenario.kinds),
  script: { steps: scenario.steps, replies: scenario.script },
  reconciles: 'own',
  world: () => ({ isDeployed: false }),
  env: () => ({}),
});
