import type { ChatModel } from '../model/chat-model.ts';
import { noPrices } from '../tool-loop/budget.ts';
import type { Compaction } from '../tool-loop/compaction.ts';
import { limitProblem } from '../tool-loop/loop-limits.ts';
import { type LoopPolicies, policyProblem } from '../tool-loop/policies.ts';
import type { Limits } from '../tools/limits.ts';
import { AgentDefinitionError } from './agent-definition-error.ts';
import { type Retention, retentionProblem } from './retention.ts';

/** @throws AgentDefinitionError when a limit cannot be one, or is on the cost of a model without prices. */
export function checkLimits(agent: string, limits: Limits | undefined, model: ChatModel | undefined): void {
  const bad = limitProblem(limits);
  if (!bad) {
    if (limits?.cost === undefined || !model || model.prices) return;
    throw new AgentDefinitionError(agent, 'limits.cost', noPrices(model));
  }
  const problem = `has a limit '${bad.path}' of ${bad.value}: use ${bad.use}`;
  throw new AgentDefinitionError(agent, `limits.${bad.path}`, problem);
}

/** @throws AgentDefinitionError when a policy has a value that it cannot work with. */
export function checkPolicies(agent: string, policies: LoopPolicies): void {
  const problem = policyProblem(policies);
  if (!problem) return;
  const { path, value, use } = problem;
  throw new AgentDefinitionError(agent, `policies.${path}`, `has a policy '${path}' of ${value}: use ${use}`);
}

/** @throws AgentDefinitionError when a compaction is none; what it is made with is checked by what makes it. */
export function checkCompaction(agent: string, compaction: Compaction): void {
  // Callers without types may give the options themselves.
  const { compact }: { readonly compact?: unknown } = Object(compaction);
  if (typeof compact === 'function') return;
  throw new AgentDefinitionError(
    agent,
    'compaction',
    'has a compaction that is none: use summarised({ overTokens })',
  );
}

/** @throws AgentDefinitionError when a retention is no time. */
export function checkRetention(agent: string, retention: Retention): void {
  const problem = retentionProblem(retention);
  if (!problem) return;
  const { value, use } = problem;
  throw new AgentDefinitionError(agent, 'retention', `has a retention of ${value}: use ${use}`);
}
