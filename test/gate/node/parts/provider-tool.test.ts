import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import {
  defineAgent,
  defineTool,
  ModelError,
  providerTool,
  ToolDefinitionError,
} from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { fromAiSdk } from '../../../../src/model/ai-sdk/entry.ts';
import type { ReplyPart, ToolDefinition } from '../../../../src/model/entry.ts';
import { openaiCompatible } from '../../../../src/model/openai-compatible/entry.ts';
import { withDescription } from '../../../../src/modules/decorators/entry.ts';
import { offlineModel } from '../../../../src/offline-model/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { hello, toSseText } from '../model/openai-compatible/fake-server.ts';
import { createMemoryApp } from '../session/memory-app.ts';

const openai = createOpenAI({ apiKey: 'k' });
const search = providerTool(openai.tools.webSearch({ searchContextSize: 'low' }));
const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });

const offeredTool: ToolDefinition = {
  name: 'web_search',
  description: "Run by the model's provider: openai.web_search.",
  inputSchema: { type: 'object' },
  providerTool: { id: 'openai.web_search', args: { searchContextSize: 'low' } },
};

const searchParts: readonly ReplyPart[] = [
  { type: 'tool-call', id: 's', name: 'web_search', input: '{}', ranBy: 'provider' },
  { type: 'tool-result', id: 's', name: 'web_search', result: { hits: 1 } },
  { type: 'source', id: '1', url: 'https://a.test', title: 'Kelp' },
  { type: 'text', text: 'Kelp it is.' },
];

describe('a tool that the provider of a model runs', () => {
  it('is offered beside other tools, is never run by Holdfast, and appears in the reply', async () => {
    const app = createMemoryApp({ tools: [look, search], replies: [{ parts: searchParts }, 'Again.'] });
    expect(await app.say('Go.')).toMatchObject({ turn: { text: 'Kelp it is.', toolCalls: 0 } });
    await app.say('And?');
    expect(app.model.requests[0]?.tools).toEqual([
      { name: 'look', description: 'Looks.', inputSchema: look.inputSchema },
      offeredTool,
    ]);
    expect(app.model.requests[1]?.messages).toContainEqual(
      expect.objectContaining({ role: 'assistant', toolCalls: [], parts: searchParts }),
    );
  });

  it('can be decorated and can be inside an unfolding tool', async () => {
    const inner = defineUnfolding({
      name: 'web',
      description: 'The web.',
      tools: [withDescription(search, 'Searches.')],
    });
    const app = createMemoryApp({ tools: [inner], replies: [{ calls: [{ name: 'web' }] }, 'Done.'] });
    await app.say('Go.');
    expect(app.model.requests[1]?.tools).toContainEqual({ ...offeredTool, description: 'Searches.' });
  });

  it('returns an error if the provider did not run the call', async () => {
    const app = createMemoryApp({ tools: [search], replies: [{ calls: [{ name: 'web_search' }] }, 'Done.'] });
    await app.say('Go.');
    expect(app.model.requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      text: "Error: The tool 'web_search' can be run only by the model's provider.",
    });
  });

  it('runs at OpenAI within one turn, and its sources are in the reply', async () => {
    const call = {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: 'kelp' },
    };
    const message = { type: 'message', id: 'msg_1', role: 'assistant', phase: 'final_answer' };
    const citation = {
      type: 'url_citation',
      url: 'https://a.test',
      title: 'Kelp',
      start_index: 0,
      end_index: 4,
    };
    const events = [
      { type: 'response.created', response: { id: 'r', created_at: 1, model: 'gpt-5.5' } },
      { type: 'response.output_item.added', output_index: 0, item: { ...call, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index: 0, item: call },
      { type: 'response.output_item.added', output_index: 1, item: { ...message, content: [] } },
      { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 1, delta: 'Kelp it is.' },
      {
        type: 'response.output_text.annotation.added',
        item_id: 'msg_1',
        output_index: 1,
        annotation: citation,
      },
      { type: 'response.output_item.done', output_index: 1, item: { ...message, content: [] } },
      { type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 1 } } },
    ];
    const sent: Record<string, unknown>[] = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      sent.push(JSON.parse(String(init?.body)));
      return new Response(toSseText(...events), { headers: { 'content-type': 'text/event-stream' } });
    };
    const model = fromAiSdk(createOpenAI({ apiKey: 'k', fetch }).responses('gpt-5.5'), { retries: 0 });
    const agent = defineAgent({ name: 'a', description: 'A.', instructions: '', tools: [search] });
    const session = createTestSession(agent, { model });
    expect(await session.send('Go.')).toMatchObject({ text: 'Kelp it is.' });
    await session.send('And?');
    expect(sent[0]?.tools).toEqual([{ type: 'web_search', search_context_size: 'low' }]);
    expect(sent[1]?.input).toMatchObject([
      { role: 'user' },
      { type: 'web_search_call', id: 'ws_1' },
      { role: 'assistant', content: 'Kelp it is.', phase: 'final_answer' },
      { role: 'user' },
    ]);
    const replies = (await session.events()).filter((event) => event.type === 'model-replied');
    expect(replies[0]).toMatchObject({
      parts: [
        { type: 'tool-call', name: 'web_search', ranBy: 'provider' },
        { type: 'tool-result', name: 'web_search' },
        { type: 'text', text: 'Kelp it is.' },
        { type: 'source', url: 'https://a.test', title: 'Kelp' },
      ],
    });
  });

  it('causes an error if the model does not support it, and the offline model does not call it', async () => {
    const request = { ...hello, tools: [offeredTool] };
    const { signal } = new AbortController();
    const model = openaiCompatible({ baseURL: 'http://own.test/v1', model: 'm' });
    await expect(model.ask(request, { signal })).rejects.toThrow(
      new ModelError(
        'bad-request',
        "The model cannot use the tool 'web_search': only the provider of 'openai.web_search' can run it.",
      ),
    );
    const reply = await offlineModel().ask(
      { ...request, messages: [{ role: 'user', text: 'Use web_search for kelp.' }] },
      { signal },
    );
    expect(reply.toolCalls).toEqual([]);
  });
});

describe('providerTool', () => {
  it.each([
    [{ id: 'anthropic.web_search_20250305' }, {}, 'web_search'],
    [{ id: 'google.google_search' }, {}, 'google_search'],
    [{ id: 'openai.file_search' }, { name: 'find' }, 'find'],
  ] as const)('names the tool %j with the options %j %s', (tool, options, name) => {
    expect(providerTool({ type: 'provider', args: {}, ...tool }, options).name).toBe(name);
  });

  it('throws for a tool that the provider does not run itself, and for an invalid name', () => {
    const bash = {
      type: 'provider',
      id: 'anthropic.bash_20250124',
      args: {},
      isProviderExecuted: false,
    } as const;
    expect(() => providerTool(bash)).toThrow(
      new ToolDefinitionError(
        'bash',
        'id',
        "'anthropic.bash_20250124' is not run by its provider. Use 'defineTool'.",
      ),
    );
    expect(() => providerTool({ ...bash, isProviderExecuted: true }, { name: 'a b' })).toThrow(
      "Tool 'a b': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    );
  });
});
