import type { Agent, ModuleUse } from '../../../../src/index.ts';
import type { CrashStep, ScriptedExchange } from '../../../../src/testing/crash-matrix/entry.ts';
import { createToolKinds } from '../../../doors/kinds.ts';
import type { Subject } from '../../../doors/testing.ts';
import { createKit, type Kit, type LabWorld } from './kit.ts';

/** A deterministic script for one kind of tool. */
export interface Scenario {
  /** The kind's name in the matrix. */
  readonly kind: string;
  /** A text that must be in the journal. Otherwise, the script does not exercise its kind. */
  readonly tells?: string;
  /** The number of calls that are refused on purpose. Defaults to 0. */
  readonly refuses?: number;
  /** Builds the agent. It is called for every invocation, like the code of a deployment. */
  agent(kit: Kit): Agent;
  /** Builds the other agents of the app, which can be addressed by name. */
  agents?(kit: Kit): readonly Agent[];
  /** The app's own modules. */
  readonly kinds?: readonly ModuleUse[];
  readonly script: readonly ScriptedExchange[];
  readonly steps: readonly CrashStep[];
}

/** A subject, and all modules that its agents may have. */
export interface LabSubject extends Subject<LabWorld> {
  readonly known: ReturnType<typeof createToolKinds>;
}

/** Converts a scenario to a subject that can be played. */
export const toSubject = (scenario: Scenario): LabSubject => ({
  app(crash) {
    const kit = createKit(crash);
    return [scenario.agent(kit), ...(scenario.agents?.(kit) ?? [])];
  },
  modules: (agents) =>
    createToolKinds([...(scenario.kinds ?? []), ...new Set(agents.flatMap(({ uses }) => uses))]),
  known: createToolKinds(scenario.kinds),
  script: { steps: scenario.steps, replies: scenario.script },
  reconciles: 'own',
  world: () => ({ isDeployed: false }),
  env: () => ({}),
});
