import { generateText, stepCountIs } from 'ai';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import {
  artifact,
  defineAgent,
  defineTool,
  error,
  providerTool,
  type ToolSource,
  toolProvider,
} from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { AiToolError, type ToAiToolsOptions, toAiTools } from '../../../../src/modules/ai-sdk-tools/entry.ts';
import { requireApproval, withUsageNote } from '../../../../src/modules/decorators/entry.ts';
import { callLimits } from '../../../../src/modules/limits/entry.ts';
import { listings } from '../../../../src/modules/listings/entry.ts';
import { defineToolGroup, toolGroup } from '../../../../src/modules/tool-groups/entry.ts';
import { createCallingModel, getShownResults, type ScriptedCalls } from './scene.ts';

const find = defineTool({
  name: 'find',
  description: 'Finds.',
  input: v.object({ what: v.pipe(v.string(), v.toUpperCase()), more: v.record(v.string(), v.any()) }),
  effect: 'read',
  run: ({ what }) => artifact(`Found ${what}.`, { what }),
});

/** Lets a model of the AI SDK call these tools. */
async function playModel(
  sources: Parameters<typeof defineAgent>[0]['tools'] & object,
  replies: readonly ScriptedCalls[],
  options?: ToAiToolsOptions,
) {
  const model = createCallingModel(...replies);
  const tools = toAiTools(sources, options);
  const result = await generateText({ model, tools, prompt: 'Go.', stopWhen: stepCountIs(9) });
  return { model, result, shown: getShownResults(model) };
}

describe('toAiTools', () => {
  it('keeps the schema, and returns text to the model and a value to the program (S3-11)', async () => {
    const { model, result, shown } = await playModel(
      [withUsageNote(find, 'Use it.')],
      [[{ name: 'find', input: { what: 'kelp', more: { a: 1 } } }]],
    );
    expect(model.doGenerateCalls[0]?.tools).toEqual([
      {
        type: 'function',
        name: 'find',
        description: expect.stringContaining('Use it.'),
        inputSchema: find.inputSchema,
      },
    ]);
    expect(shown).toEqual([{ type: 'text', value: 'Found KELP.' }]);
    expect(result.steps[0]?.toolResults[0]?.output).toEqual({
      text: 'Found KELP.',
      value: { what: 'KELP' },
    });
    expect(result.text).toBe('Done.');
  });

  it('shows the model the texts of invalid inputs and failures', async () => {
    const fails = defineTool({ name: 'fails', description: 'Fails.', run: () => error('The shop is shut.') });
    const { shown, result } = await playModel(
      [find, fails],
      [
        [
          { name: 'find', input: { what: 1 } },
          { name: 'fails', input: {} },
        ],
      ],
    );
    expect(shown).toEqual([
      {
        type: 'error-text',
        value:
          "Error: The input of tool 'find' is not valid:\n- what: Invalid type: Expected string but received 1\n" +
          '- more: Invalid key: Expected "more" but received undefined\nCall it again with a corrected input.',
      },
      { type: 'error-text', value: 'Error: The shop is shut.' },
    ]);
    expect(result.steps[0]?.content.at(-1)).toMatchObject({
      type: 'tool-error',
      error: expect.objectContaining({
        constructor: AiToolError,
        tool: 'fails',
        message: 'The shop is shut.',
      }),
    });
  });

  it('passes context and secrets to the tools, and formats their errors with the exception processor', async () => {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      run: (_, { context, secrets }) => {
        throw new Error(`${context.get('tenant')} ${secrets.get('KEY')}`);
      },
    });
    const { shown } = await playModel([look], [[{ name: 'look', input: {} }]], {
      context: { tenant: 'acme' },
      secrets: { KEY: 'k' },
      exceptionProcessor: ({ tool, thrown }) => `${tool}: ${thrown}`,
    });
    expect(shown).toEqual([{ type: 'error-text', value: 'Error: look: Error: acme k' }]);
  });

  it('runs calls with the same serial key one after another, and other calls in parallel', async () => {
    let now = 0;
    let most = 0;
    const createStepTool = (name: string, serial?: string) =>
      defineTool({
        name,
        description: 'Steps.',
        ...(serial !== undefined && { serial }),
        async run() {
          now += 1;
          most = Math.max(most, now);
          for (let turns = 0; turns < 50; turns += 1) await Promise.resolve();
          await new Promise((resolve) => setTimeout(resolve, 0));
          now -= 1;
        },
      });
    const both = [
      { name: 'a', input: {} },
      { name: 'b', input: {} },
    ];
    await playModel([createStepTool('a', 'one'), createStepTool('b', 'one')], [both]);
    expect(most).toBe(1);
    await playModel([createStepTool('a'), createStepTool('b')], [both]);
    expect(most).toBe(2);
  });

  it('counts the calls of the conversation toward limits', async () => {
    const call = [{ name: 'find', input: { what: 'kelp', more: {} } }];
    const { shown } = await playModel([find], [call, call], { limits: { callsPerTool: 1 } });
    expect(shown).toEqual([
      { type: 'text', value: 'Found KELP.' },
      { type: 'error-text', value: expect.stringContaining("'find'") },
    ]);
  });

  it('passes the conversation to the tools as messages of Holdfast', async () => {
    const seen: unknown[] = [];
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      run: (_, { history }) => {
        seen.push(
          history().map((one) =>
            one.role === 'user' ? one.text : one.calls.map(({ result }) => result?.type),
          ),
        );
        return 'Seen.';
      },
    });
    const call = [{ name: 'look', input: {} }];
    await playModel([look], [call, call]);
    expect(seen).toEqual([
      ['Go.', [undefined]],
      ['Go.', ['text'], [undefined]],
    ]);
  });

  it('does not run a tool that requires approval, but returns and logs the reason', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const run = vi.fn(() => 'Paid.');
    const pay = requireApproval(defineTool({ name: 'pay', description: 'Pays.', run }), 'Pay?');
    const { shown } = await playModel([pay], [[{ name: 'pay', input: {} }]]);
    const told =
      "Tool 'pay' requires approval but no ReviewHandler is configured. Run it in a session, where a person can decide, or review it with withReview.";
    expect(shown).toEqual([{ type: 'error-text', value: `Error: ${told}` }]);
    expect(log.mock.calls).toContainEqual([`holdfast: ${told}`]);
    expect(run).not.toHaveBeenCalled();
    log.mockRestore();
  });

  it("converts the tools of an agent, with the agent's context and limits (S3-11)", async () => {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      run: (_, { context }) => `${context.get('a')} ${context.get('b')}`,
    });
    const agent = defineAgent({
      name: 'scout',
      description: 'Looks.',
      instructions: 'Look.',
      tools: [look, toolProvider({ toolsNow: () => [find] })],
      context: { a: 'agent', b: 'agent' },
      use: [callLimits({ callsPerTool: 1 })],
    });
    const tools = toAiTools(agent, { context: { b: 'call' } });
    expect(Object.keys(tools)).toEqual(['look', 'find']);
    const call = [{ name: 'look', input: {} }];
    const model = createCallingModel(call, call);
    await generateText({ model, tools, prompt: 'Go.', stopWhen: stepCountIs(9) });
    expect(getShownResults(model)).toEqual([
      { type: 'text', value: 'agent call' },
      { type: 'error-text', value: expect.any(String) },
    ]);
  });

  const web = defineToolGroup({ role: 'web', description: 'Web.', tools: [find] });
  const createTestAgent = (more: { tools?: readonly ToolSource[] }) =>
    defineAgent({ name: 'scout', description: 'Looks.', instructions: 'Look.', ...more });
  it.each([
    [
      'an unfolding tool',
      () => toAiTools([defineUnfolding({ name: 'shop', description: 'The shop.', tools: web.tools })]),
      "Tool 'shop': it unfolds into others, which the AI SDK cannot add later. Pass those directly.",
    ],
    [
      'a tool that the provider of the model runs',
      () => toAiTools([providerTool({ type: 'provider', id: 'openai.web_search', args: {} })]),
      "Tool 'web_search': the model's provider runs it. Give the AI SDK its own 'openai.web_search'.",
    ],
    [
      'an agent that asks for groups by role',
      () => toAiTools(createTestAgent({ tools: [toolGroup('web')] })),
      "Agent 'scout' uses tool groups, which an app fills. Pass toAiTools a list of tools.",
    ],
    [
      'an agent with a provider that discovers its tools',
      () =>
        toAiTools(
          createTestAgent({
            tools: [toolProvider({ toolsNow: () => [], uses: [listings], discover: async () => [] })],
          }),
        ),
      "Agent 'scout' has a provider that discovers its tools in a turn. Pass toAiTools a list of tools.",
    ],
  ])('refuses %s', (_, give, message) => {
    expect(give).toThrow(expect.objectContaining({ message }));
  });
});
