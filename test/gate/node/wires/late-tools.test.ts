import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { fromAiSdk } from '../../../../src/model/ai-sdk/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { createAnthropicWire } from '../../../wires/anthropic.ts';
import { createResponsesWire } from '../../../wires/responses.ts';
import { createFetch, type Script, type Wire } from '../../../wires/wire.ts';

/** Each turn opens an unfolding tool, and calls its inner tool. */
const script: Script = {
  turns: ['first', 'second'].map((name) => ({
    steps: [
      { calls: [{ name: 'look', input: {} }] },
      { calls: [{ name: 'files', input: {} }] },
      {
        calls: [
          { name: 'read', input: {} },
          { name: 'look', input: {} },
        ],
      },
    ],
    answer: `The ${name} answer.`,
  })),
};

const createTool = (name: string) =>
  defineTool({ name, description: `Does ${name}.`, effect: 'read', run: () => name });
const files = defineUnfolding({
  name: 'files',
  description: 'Files.',
  tools: [createTool('read'), createTool('a_write')],
});

const models = {
  'Claude with a checked prefix': () => {
    const wire = createAnthropicWire({ script, preserved: true });
    const sdk = createAnthropic({ apiKey: 'key', fetch: createFetch(wire) })('claude-opus-5-5');
    return {
      wire,
      model: fromAiSdk(sdk),
      thinking: { anthropic: { thinking: { type: 'adaptive' } } },
    };
  },
  'OpenAI with a growing list of tools': () => {
    const wire = createResponsesWire({ script });
    const sdk = createOpenAI({ apiKey: 'key', fetch: createFetch(wire) })('gpt-5.5');
    return { wire, model: fromAiSdk(sdk), thinking: {} };
  },
};

const getToolLists = ({ requests }: Wire): unknown[] =>
  requests.map((body) => (body as { tools?: unknown }).tools);

describe.each(Object.entries(models))('%s', (_, modelWith) => {
  it('receives the same list of tools in each request, and late tools outside that list', async () => {
    const { wire, model, thinking } = modelWith();
    const agent = defineAgent({
      name: 'tester',
      description: 'Tests.',
      instructions: 'Be brief.',
      tools: [createTool('look'), files],
      settings: { providerOptions: thinking },
      model,
    });
    const session = createTestSession(agent, { model });
    expect([wire.refused, (await session.send('Begin.')).outcome]).toEqual([[], 'completed']);
    expect([wire.refused, (await session.send('Again.')).text]).toEqual([[], 'The second answer.']);
    expect(new Set(getToolLists(wire).map((tools) => JSON.stringify(tools))).size).toBe(1);
  });
});
