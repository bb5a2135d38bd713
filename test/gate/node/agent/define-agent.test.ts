import { expect, it } from 'vitest';
import {
  AgentDefinitionError,
  defineAgent,
  defineTool,
  type Limits,
  type Policies,
} from '../../../../src/index.ts';
import { RENAME_FIRST_TWO } from '../../../fixtures/rename.ts';

const base = { name: 'clerk', description: 'Pays.', instructions: 'Pay.', tools: [] };
const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });

it('an agent has the documented limits by default', () => {
  expect(defineAgent(base).limits).toEqual({ iterations: 20, maxGenerations: 8, maxScheduled: 20 });
  expect(defineAgent({ ...base, limits: { iterations: 3 } }).limits).toEqual({
    iterations: 3,
    maxGenerations: 8,
    maxScheduled: 20,
  });
});

it('an agent has the documented policies by default', () => {
  const unknownTools = {
    mode: 'feedback',
    retries: 3,
    autoExecute: false,
    similarity: 0.25,
    containment: 0.2,
    suggestions: 3,
  };
  const { exceptions, ...policies } = defineAgent(base).policies;
  expect(policies).toEqual({
    returnDirect: 'all',
    steering: 'requester',
    loopIds: 'stamped',
    unknownTools,
    blankReplies: { retries: 1, end: 'failed' },
    resultCharacters: 65_536,
  });
  const declared: Policies = { unknownTools: { autoExecute: true, retries: undefined } };
  expect(defineAgent({ ...base, policies: declared }).policies).toEqual({
    ...policies,
    unknownTools: { ...unknownTools, autoExecute: true },
    exceptions,
  });
});

it('an agent keeps its tools if the array passed to its definition changes later', () => {
  const tools = [look];
  const agent = defineAgent({ ...base, tools });
  tools.pop();
  expect(agent.tools).toEqual([look]);
});

/** These mistakes are reported only where literals are checked, which production omits. */
const DEVELOPMENT_ERRORS: readonly [string, object, string][] =
  process.env.NODE_ENV === 'production'
    ? []
    : [
        [
          'limits.toolCalls',
          { limits: { toolCalls: 3 } as Limits }, // as untyped callers can
          "Agent 'clerk' has a limit 'toolCalls' of 3. Use 'use: [callLimits({ toolCalls })], with callLimits from holdfast/limits'.",
        ],
        [
          'policies.loopIds',
          { policies: { loopIds: 'no' } },
          "Agent 'clerk' has a policy 'loopIds' of no. Use 'stamped' or 'as-sent'.",
        ],
        [
          'description',
          { description: ' ' },
          "Agent 'clerk' has ' ' as its 'description'. Use a string that is not blank.",
        ],
      ];

it.each<[string, object, string]>([
  [
    'name',
    { name: 'a/b' },
    "Agent 'a/b' is not a valid name. Use 1 to 64 of the characters A-Z a-z 0-9 _ -.",
  ],
  [
    'tools',
    { tools: [look, { ...look }] },
    `Agent 'clerk' cannot have these tools: Duplicate tool name: 'look'${RENAME_FIRST_TWO}.`,
  ],
  [
    'limits.iterations',
    { limits: { iterations: 0 } satisfies Limits },
    "Agent 'clerk' has a limit 'iterations' of 0. Use a positive whole number.",
  ],
  ...DEVELOPMENT_ERRORS,
  [
    'tools',
    { tools: [null as unknown as typeof look] }, // as untyped callers can
    `Agent 'clerk' cannot have these tools: Tool at index 0 ${process.env.NODE_ENV === 'production' ? 'is not a tool and has no tools' : 'must not be null'}.`,
  ],
])(
  'defineAgent throws an AgentDefinitionError that identifies the invalid field: %s',
  (field, config, message) => {
    let thrown: unknown;
    try {
      defineAgent({ ...base, ...config });
    } catch (failure) {
      thrown = failure;
    }
    expect(thrown).toBeInstanceOf(AgentDefinitionError);
    expect(thrown).toMatchObject({ field, message });
  },
);

it('an agent keeps its accepted media types, even if the list is empty', () => {
  const accepts = ['image/*', 'application/pdf', 'application/vnd.ms-excel'];
  expect(defineAgent({ ...base, accepts }).accepts).toEqual(accepts);
  expect(defineAgent({ ...base, accepts: [] }).accepts).toEqual([]);
  expect(defineAgent(base)).not.toHaveProperty('accepts');
});
