import { createOpenAI } from '@ai-sdk/openai';
import { dynamicTool, jsonSchema, type ModelMessage, tool, zodSchema } from 'ai';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { defineAgent, providerTool, ToolDefinitionError } from '../../../../src/index.ts';
import { fromAiTool } from '../../../../src/modules/ai-sdk-tools/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { callTool, createTestSession } from '../../../../src/testing/entry.ts';

const city = z.object({ city: z.string(), days: z.number().default(3) });
const weather = tool({
  description: 'Tells the weather.',
  inputSchema: city,
  execute: ({ city: at, days }) => ({ at, days }),
});

const createTestAgent = (...tools: Parameters<typeof defineAgent>[0]['tools'] & object) =>
  defineAgent({ name: 'scout', description: 'Looks.', instructions: 'Look.', tools });

describe('fromAiTool', () => {
  it('keeps the description and the input schema, and sets the effect', () => {
    expect(fromAiTool(weather, { name: 'weather', effect: 'read' })).toMatchObject({
      name: 'weather',
      description: 'Tells the weather.',
      effect: 'read',
      inputSchema: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'number', default: 3 } },
        required: ['city'],
      },
    });
    expect(fromAiTool(weather, { name: 'weather', description: 'Rain?' })).toMatchObject({
      description: 'Rain?',
      effect: 'once',
    });
  });

  it('passes the output of the schema to the tool, and returns its value as an artifact', async () => {
    const ours = fromAiTool(weather, { name: 'weather' });
    expect(await callTool(ours, { city: 'Oslo' })).toMatchObject({
      type: 'artifact',
      value: { at: 'Oslo', days: 3 },
    });
    expect((await callTool(ours, {})).content).toBe(
      "The input of tool 'weather' is not valid:\n- city: Invalid input: expected string, received undefined\nCall it again with a corrected input.",
    );
  });

  it.each([
    ['JSON Schema', jsonSchema<{ n: number }>({ type: 'object', properties: { n: { type: 'number' } } })],
    ['a schema of Zod 3', zodSchema(z3.object({ n: z3.number() }))],
    [
      'a lazy schema',
      () => jsonSchema<{ n: number }>({ type: 'object', properties: { n: { type: 'number' } } }),
    ],
  ])('accepts %s and enforces it', async (_, inputSchema) => {
    const half = tool({ description: 'Halves.', inputSchema, execute: ({ n }) => n / 2 });
    const ours = fromAiTool(half, { name: 'half' });
    expect((await callTool(ours, { n: 8 })).content).toBe('4');
    expect((await callTool(ours, { n: '8' })).content).toContain(
      "The input of tool 'half' is not valid:\n- n: ",
    );
  });

  it('checks the input with the validator of the schema', async () => {
    const even = jsonSchema<{ n: number }>(
      { type: 'object', properties: { n: { type: 'number' } } },
      {
        validate: (value) => {
          const { n } = Object(value);
          return n % 2 === 0
            ? { success: true, value: { n: n / 2 } }
            : { success: false, error: new Error('n must be even') };
        },
      },
    );
    const ours = fromAiTool(tool({ description: 'Halves.', inputSchema: even, execute: ({ n }) => n }), {
      name: 'half',
    });
    expect((await callTool(ours, { n: 8 })).content).toBe('4');
    expect((await callTool(ours, { n: 7 })).content).toBe(
      "The input of tool 'half' is not valid:\n- n must be even\nCall it again with a corrected input.",
    );
  });

  it('passes the call, the conversation before it, and the values of the context to the tool', async () => {
    let told:
      | { id: string; messages: ModelMessage[]; aborted: boolean | undefined; context: unknown }
      | undefined;
    const look = tool({
      description: 'Looks.',
      inputSchema: z.object({}),
      contextSchema: z.object({ tenant: z.string() }),
      execute: (_, { toolCallId, messages, abortSignal, context }) => {
        told = { id: toolCallId, messages, aborted: abortSignal?.aborted, context };
        return 'Seen.';
      },
    });
    const ours = fromAiTool(look, { name: 'look' });
    const calls = [{ name: 'look', input: {} }];
    const session = createTestSession(createTestAgent(ours), {
      replies: [{ text: 'Once.', calls }, { calls }, 'Done.'],
      context: { tenant: 'acme', more: 1 },
    });
    await session.send('Go.');
    expect(told).toEqual({
      id: expect.stringMatching(/\.0$/),
      aborted: false,
      context: { tenant: 'acme' },
      messages: [
        { role: 'user', content: 'Go.' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Once.' },
            { type: 'tool-call', toolCallId: expect.any(String), toolName: 'look', input: {} },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: expect.any(String),
              toolName: 'look',
              output: { type: 'text', value: 'Seen.' },
            },
          ],
        },
      ],
    });
  });

  it('does not run the tool if the context does not match its contextSchema, and reveals no context value', async () => {
    const run = vi.fn(() => 'Seen.');
    const contextSchema = z.object({ tenant: z.string() });
    const look = tool({ description: 'Looks.', inputSchema: z.object({}), contextSchema, execute: run });
    const failed = callTool(fromAiTool(look, { name: 'look' }), {}, { context: { tenant: 7 } });
    expect((await failed).content).toBe(
      "Tool 'look': the tool-call context does not match its contextSchema at tenant.",
    );
    expect(run).not.toHaveBeenCalled();
  });

  it('returns the last value that the tool yields', async () => {
    const count = tool({
      description: 'Counts.',
      inputSchema: z.object({}),
      async *execute() {
        yield { at: 1 };
        yield { at: 2 };
      },
    });
    expect(await callTool(fromAiTool(count, { name: 'count' }), {})).toMatchObject({ value: { at: 2 } });
  });

  it.each([
    [
      { type: 'text', value: 'Two.' },
      { type: 'artifact', content: 'Two.', value: { at: 2 } },
    ],
    [
      { type: 'json', value: [2] },
      { type: 'artifact', content: '[2]', value: { at: 2 } },
    ],
    [
      { type: 'error-text', value: 'No.' },
      { type: 'error', message: 'No.' },
    ],
    [
      { type: 'error-json', value: { no: 1 } },
      { type: 'error', message: '{"no":1}' },
    ],
    [{ type: 'execution-denied' }, { type: 'error', message: 'The call was denied.' }],
  ] as const)('shows the model the output of toModelOutput: %j', async (made, result) => {
    const count = tool({
      description: 'Counts.',
      inputSchema: z.object({}),
      execute: () => ({ at: 2 }),
      toModelOutput: () => made,
    });
    expect(await callTool(fromAiTool(count, { name: 'count' }), {})).toMatchObject(result);
  });

  it('shows the model the files that toModelOutput returns', async () => {
    const draw = tool({
      description: 'Draws.',
      inputSchema: z.object({}),
      execute: () => ({ at: 2 }),
      toModelOutput: () => ({
        type: 'content',
        value: [
          { type: 'text', text: 'Here:' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' } },
          { type: 'file-url', url: 'https://a.test/b.png', mediaType: 'image/png' },
          { type: 'custom' },
        ],
      }),
    });
    const result = await callTool(fromAiTool(draw, { name: 'draw' }), {}, { use: [files()] });
    expect(result).toMatchObject({
      value: { at: 2 },
      parts: [
        { type: 'text', text: 'Here:' },
        { type: 'file', mediaType: 'image/png', size: 8 },
        { type: 'file', mediaType: 'image/png', url: 'https://a.test/b.png' },
        { type: 'text', text: '(not shown: a part of the type custom)' },
      ],
    });
  });

  it('returns the value and logs the error if toModelOutput throws', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue();
    const count = tool({
      description: 'Counts.',
      inputSchema: z.object({}),
      execute: () => ({ at: 2 }),
      toModelOutput: () => {
        throw new Error('Oh.');
      },
    });
    expect(await callTool(fromAiTool(count, { name: 'count' }), {})).toMatchObject({ value: { at: 2 } });
    expect(log.mock.calls).toEqual([
      ['holdfast: toModelOutput of a tool threw, so the model sees the value', new Error('Oh.')],
    ]);
    log.mockRestore();
  });

  it('waits for approval if needsApproval requires it', async () => {
    const pay = tool({
      description: 'Pays.',
      inputSchema: z.object({ eur: z.number() }),
      needsApproval: ({ eur }) => eur > 10,
      execute: ({ eur }) => `Paid ${eur}.`,
    });
    const ours = fromAiTool(pay, { name: 'pay' });
    expect((await callTool(ours, { eur: 5 })).content).toBe('Paid 5.');
    await expect(callTool(ours, { eur: 50 })).rejects.toThrow(
      `The call to 'pay' waits until a person decides "May 'pay' run?". Use createTestSession for it.`,
    );
    const always = fromAiTool({ ...pay, needsApproval: true }, { name: 'pay' });
    await expect(callTool(always, { eur: 5 })).rejects.toThrow(
      `waits until a person decides "May 'pay' run?"`,
    );
  });

  it('returns a tool that decorators accept', async () => {
    const ours = requireApproval(
      fromAiTool(weather, { name: 'weather' }),
      ({ city: at }) => `Ask for ${at}?`,
    );
    await expect(callTool(ours, { city: 'Oslo' })).rejects.toThrow('decides "Ask for Oslo?');
  });

  it('leaves the call to the client if the tool has no execute function', async () => {
    const confirm = tool({
      description: 'Asks the user.',
      inputSchema: z.object({}),
      outputSchema: z.string(),
    });
    const ours = fromAiTool(confirm, { name: 'confirm' });
    expect(ours.effect).toBe('none');
    await expect(callTool(ours, {})).rejects.toThrow(
      "The call to 'confirm' waits until a person sends its result.",
    );
  });

  it('returns the same tool as providerTool if a provider runs the tool', () => {
    const search = createOpenAI({ apiKey: 'k' }).tools.webSearch({ searchContextSize: 'low' });
    const { call: _, check: __, ...ours } = fromAiTool(search, { name: 'web' });
    const { call: ___, check: ____, ...expected } = providerTool(search, { name: 'web' });
    expect(ours).toEqual(expected);
  });

  it('accepts a dynamic tool whose input is unknown', async () => {
    const any = dynamicTool({
      description: 'Takes all.',
      inputSchema: jsonSchema({ type: 'object' }),
      execute: (input) => input,
    });
    expect(await callTool(fromAiTool(any, { name: 'any' }), { a: 1 })).toMatchObject({ value: { a: 1 } });
  });

  it.each([
    [{ inputSchema: z.object({}) }, "Tool 'x': it has no description. Add one next to the name."],
    [
      { description: () => 'Made.', inputSchema: z.object({}) },
      "Tool 'x': its description depends on a context, which is unknown here. Add one next to the name.",
    ],
    [
      { description: 'X.', inputSchema: jsonSchema(Promise.resolve({ type: 'object' as const })) },
      "Tool 'x': its inputSchema is a promise of JSON Schema. Await it, and pass the resolved schema.",
    ],
    [
      { description: 'X.', inputSchema: undefined },
      "Tool 'x': its inputSchema is not a schema. Use jsonSchema of the AI SDK, Zod 4 or another Standard Schema.",
    ],
    [
      { description: 'X.', inputSchema: z.string() },
      "Tool 'x': its input must be an object schema, since a model sends a JSON object: v.object({ ... }), z.object({ ... }), or jsonSchema({ type: 'object', ... }). Put anything else into a property.",
    ],
  ])('throws if the description or the input schema of the tool cannot be used: %#', (given, message) => {
    expect(() => fromAiTool({ ...given, execute: () => 1 }, { name: 'x' })).toThrow(
      expect.objectContaining({ constructor: ToolDefinitionError, message }),
    );
  });
});
