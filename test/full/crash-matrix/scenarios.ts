import type { Scenario } from './lab/scenario.ts';
import { agents } from './scenarios/agents.ts';
import { chains } from './scenarios/chains.ts';
import { compactions } from './scenarios/compactions.ts';
import { discoveries } from './scenarios/discoveries.ts';
import { everything } from './scenarios/everything.ts';
import { interruptions } from './scenarios/interruptions.ts';
import { leaves } from './scenarios/leaves.ts';
import { machines } from './scenarios/machines.ts';
import { memories } from './scenarios/memories.ts';
import { ownKinds } from './scenarios/own-kinds.ts';
import { parts } from './scenarios/parts.ts';
import { playbooks } from './scenarios/playbooks.ts';
import { processes } from './scenarios/processes.ts';
import { unfoldings } from './scenarios/unfoldings.ts';
import { waitScenarios } from './scenarios/waits.ts';

/** A scenario for every kind of tool. */
export const SCENARIOS: readonly Scenario[] = [
  ...leaves,
  ...memories,
  ...waitScenarios,
  ...unfoldings,
  ...agents,
  ...playbooks,
  ...machines,
  ...chains,
  ...processes,
  ...interruptions,
  ...compactions,
  ...discoveries,
  ...parts,
  ...ownKinds,
  everything,
];
