/** Unmodified OpenAI clients with their own tools, which the model calls and the clients run. */
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, tool as agentsTool, OpenAIProvider, Runner } from '@openai/agents';
import { generateText, isStepCount, streamText, tool } from 'ai';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { LogEntry } from '../../../../src/create-holdfast.ts';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import { clientTools } from '../../../../src/modules/client-tools/entry.ts';
import { openAi } from '../../../../src/surfaces/openai/entry.ts';
import { modelBySession, registerScript, type ScriptedTurn } from '../../../fixtures/scripts.ts';
import { createTestApp } from '../http/app.ts';
import { readJournal, type Send } from '../http/client.ts';
import { createOpenAiClient } from './openai-app.ts';

const base = { description: 'Answers.', instructions: '', model: modelBySession };
const guide = defineAgent({
  ...base,
  name: 'guide',
  tools: [defineTool({ name: 'read_page', description: 'Reads the page.', run: () => 'A page.' })],
  use: [clientTools()],
});
const closedAgent = defineAgent({ ...base, name: 'closed' });

const lines: LogEntry[] = [];
const app = createTestApp({
  agents: [guide, closedAgent],
  use: [openAi()],
  auth: () => ({ id: 'me', delegates: false }),
  log: (line) => lines.push(line),
});
const client = createOpenAiClient(app);
const fetchThrough =
  (send: Send): typeof fetch =>
  (input, init) =>
    send(String(input), init);
const settings = { baseURL: 'http://localhost/v1', apiKey: 'none', fetch: fetchThrough(app) };

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 2 } },
  required: ['city'],
  additionalProperties: false,
};
const weather = { name: 'get_weather', description: 'The weather of a city.', parameters: PARAMETERS };
const createChatTool = (more: object = {}): OpenAI.ChatCompletionTool => ({
  type: 'function',
  function: { ...weather, ...more },
});
const forResponses = { type: 'function' as const, strict: true, ...weather };

const lookReply = { calls: [{ name: 'get_weather', input: { city: 'Paris' } }] };
/** A script that calls the weather tool, and then describes the weather. */
const createCallScript = () => registerScript(lookReply, 'It rains in Paris.', 'Yes.');
const listOfferedTools = ({ model }: ScriptedTurn) =>
  model.requests.map(({ tools = [] }) => tools.map(({ name }) => name));

describe('an unmodified client with its own tools', () => {
  it('calls a function through chat completions with the openai package, and continues in the chat', async () => {
    const asked = createCallScript();
    const tools = [createChatTool()];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: asked.message() }];
    const first = await client.chat.completions.create({ model: 'guide', messages, tools });
    const [choice] = first.choices;
    const [call] = choice?.message.tool_calls ?? [];
    expect([choice?.finish_reason, call]).toMatchObject([
      'tool_calls',
      { type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
    ]);
    if (!choice || !call) throw new Error('The completion has no tool call.');
    messages.push(choice.message, { role: 'tool', tool_call_id: call.id, content: 'Rain' });
    const second = await client.chat.completions.create({ model: 'guide', messages, tools });
    expect(second.choices[0]?.message.content).toBe('It rains in Paris.');
    messages.push(second.choices[0]?.message ?? { role: 'user', content: '' });
    messages.push({ role: 'user', content: 'Really?' });
    const third = await client.chat.completions.create({ model: 'guide', messages });
    expect(third.choices[0]?.message.content).toBe('Yes.');
    expect(listOfferedTools(asked)).toEqual([
      ['get_weather', 'read_page'],
      ['get_weather', 'read_page'],
      ['read_page'],
    ]);
    expect(asked.model.requests[0]?.tools?.[0]).toEqual({
      name: 'get_weather',
      description: 'The weather of a city.',
      inputSchema: PARAMETERS,
    });
  });

  it('runs functions with runTools of the openai package', async () => {
    const asked = createCallScript();
    const runner = client.chat.completions.runTools({
      model: 'guide',
      messages: [{ role: 'user', content: asked.message() }],
      tools: [
        {
          type: 'function',
          function: {
            ...weather,
            parse: JSON.parse,
            function: ({ city }: { city: string }) => `Rain in ${city}`,
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('It rains in Paris.');
    expect(asked.model.requests[1]?.messages.at(-1)?.text).toBe('Rain in Paris');
  });

  it('calls a function through responses with the openai package', async () => {
    const asked = createCallScript();
    const tools = [forResponses];
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: asked.message() }];
    const first = await client.responses.create({ model: 'guide', input, tools });
    for (const item of first.output) {
      if (item.type !== 'reasoning') input.push(item as OpenAI.Responses.ResponseInputItem);
      if (item.type === 'function_call')
        input.push({ type: 'function_call_output', call_id: item.call_id, output: 'Rain' });
    }
    const second = await client.responses.create({ model: 'guide', input, tools });
    expect(second.output_text).toBe('It rains in Paris.');
    expect(listOfferedTools(asked)).toEqual(Array(2).fill(['get_weather', 'read_page']));
  });

  it.each(['responses', 'chat', 'compatible'] as const)(
    'runs the AI SDK’s tools by the %s model',
    async (kind) => {
      const provider = createOpenAI(settings);
      const compatible = createOpenAICompatible({ name: 'holdfast', ...settings });
      const model = kind === 'compatible' ? compatible('guide') : provider[kind]('guide');
      const tools = {
        get_weather: tool({
          description: 'The weather of a city.',
          inputSchema: z.object({ city: z.string() }),
          execute: async ({ city }) => `Rain in ${city}`,
        }),
      };
      const one = createCallScript();
      const { text } = await generateText({ model, tools, stopWhen: isStepCount(5), prompt: one.message() });
      expect(text).toBe('It rains in Paris.');
      expect(one.model.requests[1]?.messages.at(-1)?.text).toContain('Rain in Paris');
      const other = createCallScript();
      const streamed = streamText({ model, tools, stopWhen: isStepCount(5), prompt: other.message() });
      expect(await streamed.text).toBe('It rains in Paris.');
    },
  );

  it('binds tools with LangChain, and continues with their results', async () => {
    const asked = createCallScript();
    const getWeather = langchainTool(({ city }) => `Rain in ${city}`, {
      name: 'get_weather',
      description: 'The weather of a city.',
      schema: z.object({ city: z.string() }),
    });
    const model = new ChatOpenAI({
      model: 'guide',
      apiKey: 'none',
      configuration: { baseURL: settings.baseURL, fetch: settings.fetch },
    }).bindTools([getWeather]);
    const question = new HumanMessage(asked.message());
    const reply = await model.invoke([question]);
    const [call] = reply.tool_calls ?? [];
    if (!call) throw new Error('The reply has no tool call.');
    const result: ToolMessage = await getWeather.invoke({ ...call, type: 'tool_call' });
    expect(result).toBeInstanceOf(ToolMessage);
    expect((await model.invoke([question, reply, result])).text).toBe('It rains in Paris.');
  });

  it('runs function tools of the Agents SDK', async () => {
    const asked = createCallScript();
    const agent = new Agent({
      name: 'guide',
      model: 'guide',
      instructions: 'Say what the weather is.',
      tools: [
        agentsTool({
          name: 'get_weather',
          description: 'The weather of a city.',
          parameters: z.object({ city: z.string() }),
          execute: async ({ city }) => `Rain in ${city}`,
        }),
      ],
    });
    const modelProvider = new OpenAIProvider({ openAIClient: client, useResponses: true });
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    const { finalOutput } = await runner.run(agent, asked.message());
    expect(finalOutput).toBe('It rains in Paris.');
    expect(asked.model.requests[1]?.messages.at(-1)?.text).toBe('Rain in Paris');
  });
});

describe('functions of a client', () => {
  it('are omitted for an agent that does not use clientTools, which is logged', async () => {
    lines.length = 0;
    const asked = registerScript('Hello.', 'Hello.');
    const messages = [{ role: 'user' as const, content: asked.message() }];
    const chat = await client.chat.completions.create({
      model: 'closed',
      messages,
      tools: [createChatTool()],
    });
    expect(chat.choices[0]?.message.content).toBe('Hello.');
    const response = await client.responses.create({
      model: 'closed',
      input: asked.message(),
      tools: [forResponses],
    });
    expect(response.output_text).toBe('Hello.');
    expect(listOfferedTools(asked)).toEqual([[], []]);
    const message =
      "1 tools of a client were left out: agent 'closed' does not use clientTools() from 'holdfast/client-tools'";
    expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([{ message }, { message }]);
  });

  it.each(['guide', 'closed'])('cannot be forced on the model of agent %s', async (model) => {
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const choice = { type: 'function' as const, function: { name: 'get_weather' } };
    await expect(
      client.chat.completions.create({ model, messages, tools: [createChatTool()], tool_choice: choice }),
    ).rejects.toMatchObject({ status: 400, param: 'tool_choice' });
  });

  it('are not part of the conversation, which continues with any declarations', async () => {
    const asked = registerScript('Hello.', 'Hello again.');
    const nobody = createTestApp({ agents: [guide], use: [openAi()] });
    const anonymous = createOpenAiClient(nobody);
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: asked.message() }];
    const create = (more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {}) =>
      anonymous.chat.completions.create({ model: 'guide', messages, ...more });
    const first = await create({ tools: [createChatTool()] });
    messages.push(first.choices[0]?.message ?? { role: 'user', content: '' });
    messages.push({ role: 'user', content: 'Again' });
    const second = await create({ tools: [createChatTool({ name: 'other' })] });
    expect(second.choices[0]?.message.content).toBe('Hello again.');
    const session = (second as unknown as { metadata: { session: string } }).metadata.session; // an addition to the protocol
    const turns = (await readJournal(`/agents/guide/sessions/${session}`, nobody)).filter(
      ({ type }) => type === 'turn-started',
    );
    expect(turns).toHaveLength(2);
  });

  it.each([
    [{ name: 'no name' }, 'tools[1].name: must be 1 to 64 of the characters A-Z a-z 0-9 _ -'],
    [{}, 'tools[1].name: must not be that of an earlier tool'],
    [{ name: 'b', description: 7 }, 'tools[1].description: must be text'],
    [
      { name: 'b', parameters: { type: 'string' } },
      'tools[1].parameters: must be a JSON Schema of an object',
    ],
    [{ name: 'b', description: 'x'.repeat(70_000) }, 'tools: must have at most 65536 characters as JSON'],
  ])('are refused as %j', async (more, message) => {
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const refused = { status: 422, code: 'invalid_body', message: expect.stringContaining(message) };
    await expect(
      client.chat.completions.create({
        model: 'guide',
        messages,
        tools: [createChatTool(), createChatTool(more)],
      }),
    ).rejects.toMatchObject(refused);
    const tools = [forResponses, { ...forResponses, ...more }] as OpenAI.Responses.Tool[]; // deliberately invalid
    await expect(client.responses.create({ model: 'guide', input: 'Hello', tools })).rejects.toMatchObject(
      refused,
    );
  });
});
