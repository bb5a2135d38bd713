import type { Agent } from '../agent/define-agent.ts';
import { ConfigurationError } from '../model/configuration-error.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Env, Host } from './host.ts';

/**
 * What `GET /agents` tells of an agent: not its instructions. Its tools are those that it has in this environment. One
 * that lacks a tool group here is listed with what it lacks, and does not hide the others.
 */
export function describeAgent(host: Host, env: Env, agent: Agent): unknown {
  const { name, description, limits, output } = agent;
  const described = { name, description, limits, ...(output && { output: output.format.schema }) };
  try {
    return { ...described, tools: host.resolve(agent, env).tools.map(describeTool) };
  } catch (failure) {
    if (!(failure instanceof ConfigurationError)) throw failure;
    return { ...described, tools: agent.tools.map(describeTool), misconfigured: failure.message };
  }
}

const describeTool = ({ name, description, effect, inputSchema, metadata }: AnyTool): unknown => ({
  name,
  description,
  effect,
  inputSchema,
  ...(Object.keys(metadata).length > 0 && { metadata }),
});
