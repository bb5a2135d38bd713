import { expect, it } from 'vitest';
import { defineAgent } from '../../src/agent/define-agent.ts';
import { AgentDefinitionError, type Limits } from '../../src/index.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

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

it('does not change with the list of tools that it was given', () => {
  const tools = [look];
  const agent = defineAgent({ ...base, tools });
  tools.pop();
  expect(agent.tools).toEqual([look]);
});

it.each<[string, object, string]>([
  ['name', { name: 'a/b' }, "Agent 'a/b' is not a name: use 1 to 64 of the characters A-Z a-z 0-9 _ -."],
  ['tools', { tools: [look, look] }, "Agent 'clerk' has two tools of the name 'look'."],
  [
    'limits.iterations',
    { limits: { iterations: 0 } satisfies Limits },
    "Agent 'clerk' has a limit 'iterations' of 0: use a positive whole number.",
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
