import { type Agent, type AgentConfig, defineAgent } from '../../../src/agent/define-agent.ts';
import type { InputDeclaration } from '../../../src/tools/input-schema.ts';
import type { ToolSource } from '../../../src/tools/resolution/tool-source.ts';

type More = Pick<
  AgentConfig<'survivor', InputDeclaration>,
  'output' | 'chaining' | 'limits' | 'strategies' | 'compaction'
>;

/** The agent of every scenario. */
export const survivor = (tools: readonly ToolSource[], more: More = {}): Agent =>
  defineAgent({
    name: 'survivor',
    description: 'Acts.',
    instructions: 'You act.',
    tools,
    ...more,
  });
