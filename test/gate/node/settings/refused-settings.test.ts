/** Tests that unsupported settings throw where they are declared. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import {
  AgentDefinitionError,
  type AgentSettings,
  type ChatModel,
  defineAgent,
  defineTool,
} from '../../../../src/index.ts';
import { defineAgenticTool, defineInjectionStrategy, noChange } from '../../../../src/kinds/entry.ts';
import { fromAiSdk } from '../../../../src/model/ai-sdk/entry.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { workersAi } from '../../../../src/model/workers-ai/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { toolGroup } from '../../../../src/modules/tool-groups/entry.ts';
import { createTestSession, scriptedModel } from '../../../../src/testing/entry.ts';
import { TASK_SCHEMA } from '../agentic/scenes.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });
const base = { name: 'clerk', description: 'Works.', instructions: 'Work.', tools: [look] };

/** Returns a model of the AI SDK that is never called. */
const createSdkModel = (provider: string): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider,
  modelId: 'claude',
  supportedUrls: {},
  doGenerate: async () => Promise.reject(new Error('Asked.')),
  doStream: async () => Promise.reject(new Error('Asked.')),
});

const CHOICES = "'auto', 'required', 'none' or { tool: 'name' }, or one of these as { first } or { every }";
const EFFORTS = "one of 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'";

const WRONG_SETTINGS: readonly [settings: object, said: string, value: string, use: string][] = [
  [{ temperature: 3 }, 'temperature', '3', 'a number from 0 to 2'],
  [{ temperature: -0.1 }, 'temperature', '-0.1', 'a number from 0 to 2'],
  [{ temperature: Number.NaN }, 'temperature', 'NaN', 'a number from 0 to 2'],
  [{ topP: 1.1 }, 'topP', '1.1', 'a number from 0 to 1'],
  [{ topK: 0 }, 'topK', '0', 'a positive whole number'],
  [{ seed: 0.5 }, 'seed', '0.5', 'a whole number'],
  [{ stop: [] }, 'stop', '[]', 'a list of one or more strings, none of them empty'],
  [{ stop: ['a', ''] }, 'stop', '["a",""]', 'a list of one or more strings, none of them empty'],
  [{ reasoning: 'lots' }, 'reasoning', '"lots"', EFFORTS],
  [{ parallelToolCalls: 'no' }, 'parallelToolCalls', '"no"', 'true or false'],
  [
    { providerOptions: { openai: true } },
    'providerOptions',
    '{"openai":true}',
    'objects by the name of their provider, such as { openai: { store: false } }',
  ],
  [{ toolChoice: 'any' }, 'toolChoice', '"any"', CHOICES],
  [{ toolChoice: { tool: '' } }, 'toolChoice', '{"tool":""}', CHOICES],
];

const isDevelopment = process.env.NODE_ENV !== 'production';

const LOOP_SETTINGS: typeof WRONG_SETTINGS = [
  ...WRONG_SETTINGS,
  [{ maxOutputTokens: 0 }, 'maxOutputTokens', '0', 'a positive whole number'],
  [{ toolChoice: { first: 'any' } }, 'toolChoice', '{"first":"any"}', CHOICES],
  [
    { toolChoice: { first: 'none', every: 'auto' } },
    'toolChoice',
    '{"first":"none","every":"auto"}',
    CHOICES,
  ],
  [{ toolChoice: { tool: 'look', first: 'none' } }, 'toolChoice', '{"tool":"look","first":"none"}', CHOICES],
];

/** Settings that name a missing tool. */
const TOOL_SETTINGS: typeof WRONG_SETTINGS = [
  [{ toolChoice: { tool: 'fly' } }, 'toolChoice', '{"tool":"fly"}', "one of its tools: 'look'"],
  [
    { toolChoice: { every: { tool: 'fly' } } },
    'toolChoice',
    '{"every":{"tool":"fly"}}',
    "one of its tools: 'look'",
  ],
];

/** Returns the name and message of the thrown error. */
function catchMessage(define: () => unknown) {
  try {
    define();
    return 'nothing';
  } catch (thrown) {
    return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : thrown;
  }
}

// Production does not check literals.
describe.runIf(isDevelopment)('an unsupported setting', () => {
  it.each([...LOOP_SETTINGS, ...TOOL_SETTINGS])(
    'makes defineAgent throw: %j',
    (settings, path, value, use) => {
      expect(catchMessage(() => defineAgent({ ...base, settings }))).toBe(
        `AgentDefinitionError: Agent 'clerk' has a setting '${path}' of ${value}. Use ${use}.`,
      );
    },
  );

  it.each([...LOOP_SETTINGS, ...TOOL_SETTINGS])(
    'makes defineAgenticTool throw: %j',
    (settings, path, value, use) => {
      const tool = { name: 'dig', description: 'Digs.', input: jsonSchema(TASK_SCHEMA), tools: [look] };
      expect(catchMessage(() => defineAgenticTool({ ...tool, settings }))).toBe(
        `ToolDefinitionError: Tool 'dig': it has a setting '${path}' of ${value}. Use ${use}.`,
      );
    },
  );

  describe.each<[string, (settings: object) => ChatModel]>([
    ['openaiCompatible', (settings) => openaiCompatible({ baseURL: 'https://a.test', model: 'm', settings })],
    ['workersAi', (settings) => workersAi({ run: async () => ({}) }, { model: 'm', settings })],
    ['fromAiSdk', (settings) => fromAiSdk(createSdkModel('any'), { settings })],
  ])('%s', (_, make) => {
    it.each(WRONG_SETTINGS)('throws for the settings %j', (settings, path, value, use) => {
      expect(catchMessage(() => make(settings))).toBe(
        `TypeError: 'settings.${path}' is ${value}. Use ${use}.`,
      );
    });

    it('keeps valid settings unchanged', () => {
      expect(make({ temperature: 0, seed: 1 }).settings).toEqual({ temperature: 0, seed: 1 });
    });
  });

  it('is reported in the `field` of the error', () => {
    expect(() => defineAgent({ ...base, settings: { topK: 0.5 } })).toThrow(
      expect.objectContaining({ agent: 'clerk', field: 'settings.topK' }),
    );
  });
});

describe('a tool choice', () => {
  it.runIf(isDevelopment)('throws if it forces a call and there are no tools', () => {
    const settings = { toolChoice: 'required' } as const;
    expect(catchMessage(() => defineAgent({ ...base, tools: [], settings }))).toBe(
      "AgentDefinitionError: Agent 'clerk' has a setting 'toolChoice' of \"required\". Use it only together with tools.",
    );
  });

  it.each<[string, object]>([
    ['a group', { tools: [toolGroup('web')] }],
    ['a strategy', { use: [defineInjectionStrategy({ name: 'more', evaluate: () => noChange })] }],
  ])('can name a tool that %s can offer later', (_, more) => {
    const settings = { toolChoice: { tool: 'fly' } };
    expect(defineAgent({ ...base, ...more, settings }).settings).toEqual(settings);
  });

  it('can name an inner tool of another tool', () => {
    const outer = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: jsonSchema(TASK_SCHEMA),
      tools: [look],
    });
    const settings = { toolChoice: { tool: 'look' } };
    expect(defineAgent({ ...base, tools: [outer], settings }).settings).toEqual(settings);
  });
});

describe.runIf(isDevelopment)('a combination of settings that the provider refuses', () => {
  const claude = fromAiSdk(createSdkModel('anthropic.messages'));
  const refused =
    "has settings that its model 'claude' refuses: Anthropic cannot require a tool while a model thinks. Use the toolChoice 'auto', " +
    "or the reasoning 'none'";

  it.each<AgentSettings>([
    { reasoning: 'high', toolChoice: 'required' },
    { reasoning: 'low', toolChoice: { every: { tool: 'look' } } },
    {
      toolChoice: { first: 'required' },
      providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
    },
  ])('throws if the model is known: %j', (settings) => {
    expect(() => defineAgent({ ...base, model: claude, settings })).toThrow(AgentDefinitionError);
    expect(catchMessage(() => defineAgent({ ...base, model: claude, settings }))).toBe(
      `AgentDefinitionError: Agent 'clerk' ${refused}.`,
    );
    const tool = {
      name: 'dig',
      description: 'Digs.',
      input: jsonSchema(TASK_SCHEMA),
      tools: [look],
      model: claude,
    };
    expect(catchMessage(() => defineAgenticTool({ ...tool, settings }))).toBe(
      `ToolDefinitionError: Tool 'dig': it ${refused}.`,
    );
  });

  it.each<AgentSettings>([
    { reasoning: 'high' },
    { reasoning: 'high', toolChoice: 'none' },
    { reasoning: 'none', toolChoice: 'required' },
    { toolChoice: 'required', providerOptions: { anthropic: { thinking: { type: 'disabled' } } } },
  ])('is accepted if the provider supports it: %j', (settings) => {
    expect(defineAgent({ ...base, model: claude, settings }).settings).toEqual(settings);
  });

  it('throws even if the adapter has one of the settings', () => {
    const model = fromAiSdk(createSdkModel('anthropic.messages'), {
      settings: { reasoning: 'max' },
    });
    const settings = { toolChoice: 'required' } as const;
    expect(() => defineAgent({ ...base, model, settings })).toThrow(refused);
  });

  it('makes the turn fail as misconfigured if the model is known only then, even in a nested loop', async () => {
    const model = { ...scriptedModel([]), name: 'claude', refuses: claude.refuses };
    const settings = { reasoning: 'high', toolChoice: 'required' } as const;
    const session = createTestSession(defineAgent({ ...base, settings }), { model });
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'failed',
      error: { type: 'misconfigured', message: `Agent 'clerk' ${refused}.` },
    });
    const dig = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: jsonSchema(TASK_SCHEMA),
      tools: [look],
      settings,
    });
    const boss = createTestSession(defineAgent({ ...base, tools: [dig] }), {
      model: {
        ...scriptedModel([{ calls: [{ name: 'dig', input: { task: 'Go.' } }] }]),
        name: 'claude',
        refuses: claude.refuses,
      },
    });
    expect(await boss.send('Go.')).toMatchObject({
      outcome: 'failed',
      error: { type: 'misconfigured', message: `The loop of 'dig' ${refused}.` },
    });
  });
});
