import * as v from 'valibot';
import { defineDomainType } from '../../../../src/index.ts';
import { after, allOf, definePlaybook, onArtifact, onBlackboard, when } from '../../../../src/kinds/entry.ts';
import { publishToBlackboard } from '../../../../src/modules/decorators/entry.ts';
import type { Scenario } from '../lab/scenario.ts';
import { defineSurvivor } from './survivor.ts';

const Finding = defineDomainType({ name: 'Finding', schema: v.object({ id: v.string() }) });

/**
 * A playbook that unlocks tools step by step, separately for each topic. A later turn restarts the playbook for
 * one topic.
 */
const playbook: Scenario = {
  kind: 'playbook',
  agent: (kit) => {
    const search = kit.tool({ name: 'search', care: 'read', output: Finding, answer: () => ({ id: 'f1' }) });
    const analyze = kit.tool({ name: 'analyze', care: 'idempotent' });
    return defineSurvivor([
      definePlaybook({
        name: 'research',
        description: 'Researches.',
        input: v.object({ topic: v.string(), anew: v.optional(v.boolean()) }),
        key: ({ topic }) => topic,
        reset: ({ anew }) => anew ?? false,
        tools: [publishToBlackboard(search, { name: 'finding' })],
        locked: [
          { tool: analyze, unlockedBy: after(search) },
          {
            tool: kit.tool({ name: 'report', care: 'reconciled' }),
            unlockedBy: allOf(after(search), after(analyze), onArtifact(Finding)),
          },
          { tool: kit.tool({ name: 'archive', care: 'reconciled' }), unlockedBy: onBlackboard(Finding) },
          {
            tool: kit.tool({ name: 'finish', care: 'idempotent' }),
            unlockedBy: when(({ toolExecutions }) => toolExecutions >= 3),
          },
        ],
      }),
    ]);
  },
  script: [
    {
      to: 'Go.',
      replies: [{ calls: [createResearchCall('kelp'), createResearchCall('tides')] }, 'Researched.'],
    },
    {
      to: 'Again.',
      replies: [
        { calls: [createResearchCall('kelp', false)] },
        { calls: [createResearchCall('kelp', true)] },
        'Researched again.',
      ],
    },
    {
      to: '{"topic":"kelp"}',
      replies: [
        { calls: ['report', 'search'] },
        { calls: ['analyze', 'archive'] },
        { calls: ['report'] },
        'Kelp.',
      ],
    },
    { to: '{"topic":"tides"}', replies: [{ calls: ['analyze'] }, { calls: ['search'] }, 'Tides.'] },
    { to: '"anew":false', replies: [{ calls: ['finish', 'report'] }, 'Still known.'] },
    { to: '"anew":true', replies: [{ calls: ['report'] }, 'Locked again.'] },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
};

function createResearchCall(topic: string, anew?: boolean) {
  return { name: 'research', input: { topic, ...(anew !== undefined && { anew }) } };
}

export const playbooks: readonly Scenario[] = [playbook];
