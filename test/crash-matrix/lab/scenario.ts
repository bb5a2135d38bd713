import type { Agent } from '../../../src/agent/define-agent.ts';
import type { Production } from '../../../src/testing/crash-matrix/play.ts';
import type { CrashStep, Exchange } from '../../../src/testing/crash-matrix/script.ts';
import { type Kit, kitOf, type LabWorld } from './kit.ts';

/** A story of one kind of tool, the same whenever it is told. */
export interface Scenario {
  /** The kind, as the matrix names it. */
  readonly kind: string;
  /** Part of its journal, without which the story is not one of its kind. */
  readonly tells?: string;
  /** Made anew for every invocation, as code is. */
  agent(kit: Kit): Agent;
  /** Others of its app, for whoever is given by name. */
  agents?(kit: Kit): readonly Agent[];
  readonly script: readonly Exchange[];
  readonly steps: readonly CrashStep[];
}

/** The scenario as it is played. */
export const toProduction = (scenario: Scenario): Production<LabWorld> => ({
  app(crash) {
    const kit = kitOf(crash);
    return [scenario.agent(kit), ...(scenario.agents?.(kit) ?? [])];
  },
  script: { steps: scenario.steps, replies: scenario.script },
  reconciles: 'own',
  world: () => ({ isDeployed: false }),
});
