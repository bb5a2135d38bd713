/** Tests the settings that a loop sends to its model. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ModuleUse } from '../../../../src/index.ts';
import { type AgentSettings, defineAgent, defineTool, type Limits } from '../../../../src/index.ts';
import {
  defineAgenticTool,
  definePlaybook,
  defineStateMachine,
  defineSubagent,
} from '../../../../src/kinds/entry.ts';
import type { LoopToolChoice, ModelSettings } from '../../../../src/model/entry.ts';
import { summarize } from '../../../../src/modules/compaction/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import {
  createTestSession,
  type ScriptedModelOptions,
  type ScriptedReply,
  scriptedModel,
} from '../../../../src/testing/entry.ts';
import { askAgents, callTools, createAgent, TASK_SCHEMA } from '../agentic/scenes.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });

interface Scene extends Pick<ScriptedModelOptions, 'maxOutputTokens' | 'heedsToolChoice' | 'prices'> {
  readonly settings?: AgentSettings | undefined;
  readonly defaults?: ModelSettings;
  readonly limits?: Limits;
  readonly use?: readonly ModuleUse[];
  readonly tools?: Parameters<typeof createAgent>[1];
}

async function collectRequests(
  replies: readonly ScriptedReply[],
  { settings, defaults, limits, use, tools = [look], ...options }: Scene = {},
) {
  const model = scriptedModel(replies, { ...options, settings: defaults });
  const session = createTestSession(createAgent('clerk', tools, { settings, limits, use }), { model });
  await session.send('Go.');
  return session.requests;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the settings of an agent', () => {
  it('are sent to its model, except undefined ones', async () => {
    const settings: AgentSettings = {
      temperature: 0.2,
      topP: undefined,
      stop: ['END'],
      reasoning: 'high',
      parallelToolCalls: false,
      providerOptions: { openai: { store: false } },
    };
    const { topP: _, ...set } = settings;
    expect((await collectRequests(['Done.'], { settings })).map((request) => request.settings)).toStrictEqual(
      [set],
    );
  });

  it.each<[string, AgentSettings | undefined]>([
    ['no settings', undefined],
    ['only undefined settings', { topK: undefined, providerOptions: undefined }],
  ])('do not change a request if there are %s', async (_, settings) => {
    const [request] = await collectRequests(['Done.'], { settings });
    expect(Object.keys(request ?? {})).toEqual(['messages', 'tools']);
  });

  it('override the defaults of its model, and merge the options of each provider', async () => {
    const defaults = { temperature: 1, seed: 7, providerOptions: { a: { x: 1, y: 1 }, b: { z: 1 } } };
    const settings = { temperature: 0, providerOptions: { a: { y: 2 }, c: { w: 1 } } };
    expect((await collectRequests(['Done.'], { settings, defaults }))[0]?.settings).toEqual({
      temperature: 0,
      seed: 7,
      providerOptions: { a: { x: 1, y: 2 }, b: { z: 1 }, c: { w: 1 } },
    });
  });

  it('omit the option for parallel calls if there are no tools, because providers would refuse it', async () => {
    const settings = { parallelToolCalls: false, toolChoice: 'auto', seed: 1 } as const;
    expect((await collectRequests(['Done.'], { settings, tools: [] }))[0]?.settings).toEqual({ seed: 1 });
  });

  it("also apply to a summary, except limits and choices for the agent's own replies", async () => {
    const settings = { maxOutputTokens: 9, stop: ['END'], toolChoice: 'none', seed: 1 } as const;
    const compaction = summarize({ overTokens: 1, keepTurns: 0 });
    const session = createTestSession(createAgent('clerk', [look], { settings, use: [compaction] }), {
      replies: ['A long answer.', 'A sum.', 'Done.'],
    });
    await session.send('Go on, and on, and on, and on, and on.');
    await session.send('Go.');
    const [, summary] = session.requests;
    expect([summary?.settings, summary?.maxOutputTokens, summary?.tools]).toEqual([
      { seed: 1 },
      undefined,
      [],
    ]);
  });
});

describe('the maximum output tokens', () => {
  it.each([
    [300, undefined, 300],
    [300, 200, 200],
    [300, 400, 300],
  ])('are the smaller of the setting %i and the limit %s of the model', async (most, ofModel, expected) => {
    const [request] = await collectRequests(['Done.'], {
      settings: { maxOutputTokens: most },
      maxOutputTokens: ofModel,
    });
    expect([request?.maxOutputTokens, request?.settings]).toEqual([expected, undefined]);
  });

  it.each([
    [300, 300],
    [8_000, 8_000],
    [undefined, 4_096],
  ])('are reserved in a budget: %s', async (maxOutputTokens, expected) => {
    const use = [budget({ tokens: 100_000 })];
    const [request] = await collectRequests(['Done.'], { settings: { maxOutputTokens }, use });
    expect(request?.maxOutputTokens).toBe(expected);
  });
});

describe('the tool choice', () => {
  const script = [callTools('look'), callTools('look'), 'Done.'];

  it.each<[LoopToolChoice, readonly unknown[]]>([
    ['required', ['required', undefined, undefined]],
    [{ tool: 'look' }, [{ tool: 'look' }, undefined, undefined]],
    ['auto', ['auto', 'auto', 'auto']],
    ['none', ['none', 'none', 'none']],
    [{ first: 'none' }, ['none', undefined, undefined]],
    [{ first: { tool: 'look' } }, [{ tool: 'look' }, undefined, undefined]],
    [{ every: 'required' }, ['required', 'required', 'required']],
    [{ every: { tool: 'look' } }, [{ tool: 'look' }, { tool: 'look' }, { tool: 'look' }]],
  ])('%j leads to the expected choice in each of three model calls', async (toolChoice, expected) => {
    const requests = await collectRequests(script, { settings: { toolChoice } });
    expect(requests.map(({ settings }) => settings?.toolChoice)).toEqual(expected);
  });

  it('is `none` at the iteration limit, even if every reply must call a tool', async () => {
    const settings = { toolChoice: { every: 'required' } } as const;
    const requests = await collectRequests(script, { settings, limits: { iterations: 2 } });
    expect(requests.map((request) => request.settings?.toolChoice)).toEqual(['required', 'required', 'none']);
  });

  it('is sent as an empty list of tools if it is `none` and the model ignores tool choices', async () => {
    const settings = { toolChoice: 'none' } as const;
    const [request] = await collectRequests(['Done.'], { settings, heedsToolChoice: false });
    expect([request?.tools, request?.settings]).toEqual([[], undefined]);
  });

  it('is omitted if its tool is not offered yet, and a warning is logged', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const inner = defineAgenticTool({
      name: 'dig',
      description: 'Digs.',
      input: jsonSchema(TASK_SCHEMA),
      tools: [look],
    });
    const [request] = await collectRequests(['Done.'], {
      settings: { toolChoice: { tool: 'look' } },
      tools: [inner],
    });
    expect(request?.settings).toBeUndefined();
    expect(warn.mock.calls).toEqual([
      ["holdfast: the tool choice 'look' is not offered now, so the model chooses freely"],
    ]);
  });
});

describe('the settings of a nested loop', () => {
  const settings = { temperature: 0.5, maxOutputTokens: 50 } as const;
  const outer = { temperature: 1, seed: 7, toolChoice: 'required' } as const;
  const dig = { name: 'dig', description: 'Digs.', input: jsonSchema(TASK_SCHEMA) };
  const script = [callTools(['dig', { task: 'Go.' }]), 'Dug.', 'Done.'];

  it.each([
    ['an agentic tool', (own?: AgentSettings) => defineAgenticTool({ ...dig, tools: [look], settings: own })],
    [
      'a playbook',
      (own?: AgentSettings) => definePlaybook({ ...dig, tools: [look], locked: [], settings: own }),
    ],
    [
      'a state machine',
      (own?: AgentSettings) =>
        defineStateMachine({ ...dig, initial: 'only', states: { only: [look] }, settings: own }),
    ],
  ])('override the outer settings in %s, except the tool choice', async (_, define) => {
    const [, own] = await collectRequests(script, { settings: outer, tools: [define(settings)] });
    expect([own?.settings, own?.maxOutputTokens]).toEqual([{ temperature: 0.5, seed: 7 }, 50]);
    const [, inherited] = await collectRequests(script, { settings: outer, tools: [define()] });
    expect(inherited?.settings).toEqual({ temperature: 1, seed: 7 });
  });

  it('are not merged with outer settings if the loop has its own model', async () => {
    const own = scriptedModel(['Dug.'], { settings: { topK: 3 } });
    const tool = defineAgenticTool({ ...dig, tools: [look], settings, model: own });
    await collectRequests([callTools(['dig', { task: 'Go.' }]), 'Done.'], { settings: outer, tools: [tool] });
    expect(own.requests.map((request) => request.settings)).toEqual([{ temperature: 0.5, topK: 3 }]);
  });

  it('are those of the subagent that runs in it', async () => {
    const helper = createAgent('helper', [], { settings });
    const plain = createAgent('plain');
    const tools = [helper, plain].map((one) => defineSubagent({ agent: one }));
    const requests = await collectRequests(
      [askAgents('helper'), 'Yes.', askAgents('plain'), 'Yes.', 'Done.'],
      {
        settings: outer,
        tools,
      },
    );
    expect([requests[1]?.settings, requests[3]?.settings]).toEqual([{ temperature: 0.5 }, undefined]);
  });

  it('apply to the model of a test session, which replaces the model from the environment', async () => {
    const model = () => {
      throw new Error('A test must not use the model of the environment.');
    };
    const tool = defineAgenticTool({ ...dig, tools: [look], settings, model });
    const requests = await collectRequests(script, { settings: outer, tools: [tool] });
    expect(requests[1]?.settings).toEqual({ temperature: 0.5 });
    const boss = defineAgent({ name: 'boss', description: 'B.', instructions: '', model, settings });
    const session = createTestSession(boss, { replies: ['Done.'] });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
  });
});
