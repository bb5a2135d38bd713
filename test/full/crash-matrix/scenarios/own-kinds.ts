import { rateLimits, withRateLimit } from '../../../../src/examples/rate-limited/with-rate-limit.ts';
import { type AnyTool, defineAgent } from '../../../../src/index.ts';
import { defineSubagent } from '../../../../src/kinds/entry.ts';
import { decorate, mapContent } from '../../../../src/modules/decorators/entry.ts';
import type { RepeatEffect } from '../../../doors/testing.ts';
import type { Kit } from '../lab/kit.ts';
import type { Scenario } from '../lab/scenario.ts';
import { defineSurvivor } from './survivor.ts';

/** A rate-limited tool. The remaining time is removed from its texts, because disturbances take time. */
const createLimitedTool = (kit: Kit, care: RepeatEffect, perHour: number): AnyTool => {
  const tool = withRateLimit({ perHour })(kit.tool({ name: 'act', care }));
  return decorate(tool, {
    call: async (input, call) =>
      mapContent(await tool.call(input, call), (content) => content.replace(/ in \d+ min/, ' later')),
  });
};

/**
 * Calls that reach a limit, one by one and in parallel. Further calls are refused, including in the next
 * turn.
 */
const createRateLimitScenario = (care: RepeatEffect): Scenario => ({
  kind: `rate-limited-${care}`,
  refuses: 2,
  kinds: [rateLimits.use()],
  tells: 'app:rate-limits',
  agent: (kit) => defineSurvivor([createLimitedTool(kit, care, 2)]),
  script: [
    { to: 'Go.', replies: [{ calls: ['act'] }, { calls: ['act', 'act'] }, 'Acted.'] },
    { to: 'Again.', replies: [{ calls: ['act'] }, 'Refused.'] },
  ],
  steps: [{ send: 'Go.' }, { send: 'Again.' }],
});

/** The calls of a subagent count for the agent that called it. */
const countedScenario: Scenario = {
  kind: 'rate-limited-subagent',
  refuses: 1,
  kinds: [rateLimits.use()],
  tells: 'app:rate-limits',
  agent(kit) {
    const act = createLimitedTool(kit, 'reconciled', 2);
    const helper = defineAgent({
      name: 'helper',
      description: 'Helps.',
      instructions: 'You help.',
      tools: [act],
    });
    return defineSurvivor([act, defineSubagent({ agent: helper })]);
  },
  script: [
    {
      to: 'Go.',
      replies: [
        { calls: [{ name: 'helper', input: { message: 'Help.' } }] },
        { calls: ['act', 'act'] },
        'Acted.',
      ],
    },
    { to: 'Help.', replies: [{ calls: ['act'] }, 'Helped.'] },
  ],
  steps: [{ send: 'Go.' }],
};

export const ownKinds: readonly Scenario[] = [
  createRateLimitScenario('read'),
  createRateLimitScenario('idempotent'),
  createRateLimitScenario('once'),
  createRateLimitScenario('reconciled'),
  countedScenario,
];
