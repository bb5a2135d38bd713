import { limitProblem } from '../tool-loop/limit-problem.ts';
import { type LoopPolicies, policyProblem } from '../tool-loop/policies.ts';
import type { Limits } from '../tools/tool.ts';
import { AgentDefinitionError } from './agent-definition-error.ts';

/** @throws AgentDefinitionError when a limit is neither a positive whole number nor, of calls, `unlimited`. */
export function checkLimits(agent: string, limits: Limits | undefined): void {
  const bad = limitProblem(limits);
  if (!bad) return;
  const problem = `has a limit '${bad.path}' of ${bad.value}: use a positive whole number`;
  throw new AgentDefinitionError(agent, `limits.${bad.path}`, problem);
}

/** @throws AgentDefinitionError when a policy has a value that it cannot work with. */
export function checkPolicies(agent: string, policies: LoopPolicies): void {
  const problem = policyProblem(policies);
  if (!problem) return;
  const { path, value, use } = problem;
  throw new AgentDefinitionError(agent, `policies.${path}`, `has a policy '${path}' of ${value}: use ${use}`);
}
