import { expect, it } from 'vitest';
import {
  AgentDefinitionError,
  defineAgent,
  defineTool,
  type Limits,
  type Policies,
} from '../../../../src/index.ts';

const base = { name: 'clerk', description: 'Pays.', instructions: 'Pay.', tools: [] };
const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });

it('has the documented limits unless it declares others', () => {
  expect(defineAgent(base).limits).toEqual({ iterations: 20, toolCalls: 150, callsPerTool: 40 });
  expect(defineAgent({ ...base, limits: { toolCalls: 3 } }).limits).toEqual({
    iterations: 20,
    toolCalls: 3,
    callsPerTool: 40,
  });
});

it('may have a limit for some tools only, and none for others', () => {
  const limits: Limits = { toolCalls: 'unlimited', callsPerTool: { look: 1, list: 'unlimited' } };
  expect(defineAgent({ ...base, limits }).limits).toEqual({
    iterations: 20,
    toolCalls: 'unlimited',
    callsPerTool: { '*': 'unlimited', look: 1, list: 'unlimited' },
  });
  expect(defineAgent({ ...base, limits: { callsPerTool: { look: 1 } } }).limits).toMatchObject({
    toolCalls: 150,
    callsPerTool: { '*': 40, look: 1 },
  });
});

it.each<[Limits, Limits['callsPerTool']]>([
  [{ toolCalls: 200 }, 200],
  [{ toolCalls: 'unlimited' }, 'unlimited'],
  [{ toolCalls: 40 }, 40],
  [{ toolCalls: 39 }, 40],
  [
    { toolCalls: 200, callsPerTool: { look: 1 } },
    { '*': 200, look: 1 },
  ],
  [
    { toolCalls: 200, callsPerTool: { '*': 5, look: 1 } },
    { '*': 5, look: 1 },
  ],
  [{ toolCalls: 200, callsPerTool: 50 }, 50],
  [{ iterations: 90 }, 40],
])('lifts the default of calls per tool to the tool calls that it declares: %j', (limits, callsPerTool) => {
  expect(defineAgent({ ...base, limits }).limits.callsPerTool).toEqual(callsPerTool);
});

it('has the documented policies unless it declares others', () => {
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

it('does not change with the list of tools that it was given', () => {
  const tools = [look];
  const agent = defineAgent({ ...base, tools });
  tools.pop();
  expect(agent.tools).toEqual([look]);
});

it.each<[string, object, string]>([
  ['name', { name: 'a/b' }, "Agent 'a/b' is not a name: use 1 to 64 of the characters A-Z a-z 0-9 _ -."],
  [
    'tools',
    { tools: [look, { ...look }] },
    "Agent 'clerk' cannot have these tools: Duplicate tool name: 'look'.",
  ],
  [
    'limits.iterations',
    { limits: { iterations: 0 } satisfies Limits },
    "Agent 'clerk' has a limit 'iterations' of 0: use a positive whole number.",
  ],
  [
    'limits.callsPerTool.look',
    { limits: { callsPerTool: { '*': 'unlimited', look: 1.5 } } satisfies Limits },
    "Agent 'clerk' has a limit 'callsPerTool.look' of 1.5: use a positive whole number.",
  ],
  [
    'limits.callsPerTool',
    { limits: { callsPerTool: 0 } satisfies Limits },
    "Agent 'clerk' has a limit 'callsPerTool' of 0: use a positive whole number.",
  ],
  ['loopIds', { loopIds: 'no' }, "Agent 'clerk' has loopIds of 'no': use 'stamped' or 'as-sent'."],
  [
    'retention',
    { retention: { days: -1 } },
    `Agent 'clerk' has a retention of {"days":-1}: use 'forever', or { days }, { fileDays } or both, with more than 0 and at most 36525.`,
  ],
  ['description', { description: ' ' }, "Agent 'clerk' has a description that is blank."],
  [
    'tools',
    { tools: [null as unknown as typeof look] }, // as callers without types may
    "Agent 'clerk' cannot have these tools: Tool at index 0 must not be null.",
  ],
])('names what is wrong: %s', (field, config, message) => {
  let thrown: unknown;
  try {
    defineAgent({ ...base, ...config });
  } catch (failure) {
    thrown = failure;
  }
  expect(thrown).toBeInstanceOf(AgentDefinitionError);
  expect(thrown).toMatchObject({ field, message });
});

it('keeps the media types that it accepts, none included', () => {
  const accepts = ['image/*', 'application/pdf', 'application/vnd.ms-excel'];
  expect(defineAgent({ ...base, accepts }).accepts).toEqual(accepts);
  expect(defineAgent({ ...base, accepts: [] }).accepts).toEqual([]);
  expect(defineAgent(base)).not.toHaveProperty('accepts');
});
