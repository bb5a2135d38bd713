import { type LoopPolicies, policyProblem } from '../tool-loop/policies.ts';
import type { CallLimit, Limits } from '../tools/tool.ts';
import { AgentDefinitionError } from './agent-definition-error.ts';

/** @throws AgentDefinitionError when a limit is neither a positive whole number nor, of calls, `unlimited`. */
export function checkLimits(agent: string, { callsPerTool, ...limits }: Limits = {}): void {
  const declared: [string, CallLimit | undefined][] = Object.entries(limits);
  if (typeof callsPerTool !== 'object') declared.push(['callsPerTool', callsPerTool]);
  else for (const [tool, most] of Object.entries(callsPerTool)) declared.push([`callsPerTool.${tool}`, most]);
  for (const [limit, value] of declared) {
    if (value === undefined || (Number.isInteger(value) && Number(value) > 0)) continue;
    if (value === 'unlimited' && limit !== 'iterations') continue;
    const problem = `has a limit '${limit}' of ${value}: use a positive whole number`;
    throw new AgentDefinitionError(agent, `limits.${limit}`, problem);
  }
}

/** @throws AgentDefinitionError when a policy has a number that it cannot work with. */
export function checkPolicies(agent: string, policies: LoopPolicies): void {
  const problem = policyProblem(policies);
  if (!problem) return;
  const { path, value, use } = problem;
  throw new AgentDefinitionError(agent, `policies.${path}`, `has a policy '${path}' of ${value}: use ${use}`);
}
