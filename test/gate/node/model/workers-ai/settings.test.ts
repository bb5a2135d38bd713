import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../../../src/model/entry.ts';
import { hello } from '../openai-compatible/fake-server.ts';
import { getFailure } from '../settle.ts';
import { ask } from './fake-binding.ts';

const look = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
const messages = [{ role: 'user', content: 'hello' }];

const askWithSettings = (settings: ModelRequest['settings'], more: Partial<ModelRequest> = {}) =>
  ask(() => ({ response: 'hi' }), { request: { ...hello, ...more, settings } });

describe('settings', () => {
  it('are passed as inputs of the run', async () => {
    const { runs } = await askWithSettings(
      {
        temperature: 0,
        topP: 0.9,
        topK: 40,
        seed: 7,
        stop: [],
        reasoning: 'low',
        toolChoice: 'auto',
        parallelToolCalls: true,
        providerOptions: { workersAi: { chat_template_kwargs: { enable_thinking: false } }, other: { x: 1 } },
      },
      { maxOutputTokens: 300 },
    );
    expect(runs[0]?.inputs).toEqual({
      messages,
      max_tokens: 300,
      temperature: 0,
      top_p: 0.9,
      top_k: 40,
      seed: 7,
      reasoning_effort: 'low',
      chat_template_kwargs: { enable_thinking: false },
      stream: true,
    });
  });

  it('omit the tools if the tool choice is none', async () => {
    const { runs } = await askWithSettings({ toolChoice: 'none' }, { tools: [look] });
    expect(runs[0]?.inputs).toEqual({ messages, stream: true });
  });

  it.each<[NonNullable<ModelRequest['settings']>, string]>([
    [
      { stop: ['END'] },
      "Many models of Workers AI silently ignore 'stop'. If this one supports it, pass it as 'providerOptions: { workersAi: { stop: ['...'] } }'.",
    ],
    [
      { parallelToolCalls: false },
      "Many models of Workers AI silently ignore 'parallelToolCalls'. If this one supports it, pass it as 'providerOptions: { workersAi: { parallel_tool_calls: false } }'.",
    ],
    [
      { toolChoice: 'required' },
      "Many models of Workers AI silently ignore 'toolChoice'. If this one supports it, pass it as 'providerOptions: { workersAi: { tool_choice: 'required' } }'.",
    ],
    [
      { toolChoice: { tool: 'look' } },
      "Many models of Workers AI silently ignore 'toolChoice'. If this one supports it, pass it as 'providerOptions: { workersAi: { tool_choice: 'required' } }'.",
    ],
    [{ providerOptions: { workersAi: 'x' } }, "'providerOptions.workersAi' must be an object."],
    [
      { providerOptions: { workersAi: { stream: false } } },
      "'providerOptions.workersAi.stream' is set by the adapter. Omit it.",
    ],
  ])('cause an error before the run: %j', async (settings, message) => {
    const { runs, ...outcome } = await askWithSettings(settings, { tools: [look] });
    expect(getFailure({ ...outcome })).toMatchObject({ failure: 'bad-request', message });
    expect(runs).toEqual([]);
  });
});
