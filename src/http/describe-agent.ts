import type { Agent } from '../agent/define-agent.ts';

/** What `GET /agents` tells of an agent: not its instructions. */
export const describeAgent = ({ name, description, tools, limits }: Agent): unknown => ({
  name,
  description,
  limits,
  tools: tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    effect: tool.effect,
    inputSchema: tool.inputSchema,
  })),
});
