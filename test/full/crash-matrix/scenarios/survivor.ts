import {
  type Agent,
  type AgentConfig,
  defineAgent,
  type InputDeclaration,
  type ToolSource,
} from '../../../../src/index.ts';

type SurvivorOptions = Pick<AgentConfig<'survivor', InputDeclaration>, 'output' | 'limits' | 'use'>;

/** Defines the agent of a scenario. */
export const defineSurvivor = (tools: readonly ToolSource[], more: SurvivorOptions = {}): Agent =>
  defineAgent({
    name: 'survivor',
    description: 'Acts.',
    instructions: 'You act.',
    tools,
    ...more,
  });
