import { describe, expect, it, vi } from 'vitest';
import { defineMcpPrompt } from '../../../../../src/mcp/server/entry.ts';
import { connectClient, createEndpointApp, requestAnswer } from './talk.ts';

const summary = defineMcpPrompt({
  name: 'summary',
  title: 'A summary',
  description: 'Sums something up.',
  arguments: [
    { name: 'topic', description: 'Of what.', required: true },
    { name: 'style', required: false },
  ],
  messages: ({ topic, style = 'plain' }) => `Sum up ${topic}, ${style}.`,
});

const picture = defineMcpPrompt({
  name: 'picture',
  description: 'Shows a picture.',
  messages: async () => [
    { role: 'user', content: { type: 'image', data: 'aA==', mimeType: 'image/png' } },
    { role: 'assistant', content: { type: 'text', text: 'I see.' } },
  ],
});

const via = createEndpointApp({ prompts: [summary, picture] });

describe('the prompts of an endpoint', () => {
  it('are listed and read by the official client', async () => {
    const client = await connectClient(via);
    expect((await client.listPrompts()).prompts).toEqual([
      {
        name: 'summary',
        title: 'A summary',
        description: 'Sums something up.',
        arguments: [
          { name: 'topic', description: 'Of what.', required: true },
          { name: 'style', required: false },
        ],
      },
      { name: 'picture', description: 'Shows a picture.' },
    ]);
    expect(await client.getPrompt({ name: 'summary', arguments: { topic: 'the sea' } })).toEqual({
      description: 'Sums something up.',
      messages: [{ role: 'user', content: { type: 'text', text: 'Sum up the sea, plain.' } }],
    });
    expect((await client.getPrompt({ name: 'picture' })).messages).toEqual([
      { role: 'user', content: { type: 'image', data: 'aA==', mimeType: 'image/png' } },
      { role: 'assistant', content: { type: 'text', text: 'I see.' } },
    ]);
    await client.close();
  });

  it.each([
    [{ name: 'sumary' }, "There is no prompt 'sumary'. Available prompts: [summary, picture]."],
    [{ name: 'toString' }, "There is no prompt 'toString'. Available prompts: [summary, picture]."],
    [{}, '`name` must be text. Available prompts: [summary, picture].'],
    [{ name: 'summary' }, "The arguments of prompt 'summary' are not valid: topic: is missing."],
    [
      { name: 'summary', arguments: { style: 7, tpoic: 'x', constructor: 'y' } },
      "The arguments of prompt 'summary' are not valid: topic: is missing; style: must be text; tpoic: is not known here; " +
        'constructor: is not known here.',
    ],
    [
      { name: 'summary', arguments: ['x'] },
      "The arguments of prompt 'summary' are not valid: they must be an object.",
    ],
  ])('are refused for an invalid request: %j', async (params, message) => {
    expect(await requestAnswer(via, 'prompts/get', params)).toEqual({ error: { code: -32602, message } });
  });

  it('report a missing argument that has the name of a built-in property', async () => {
    const odd = { name: 'odd', description: 'Odd.', arguments: [{ name: 'constructor', required: true }] };
    const endpoint = createEndpointApp({ prompts: [{ ...odd, messages: () => 'Hi.' }] });
    expect(await requestAnswer(endpoint, 'prompts/get', { name: 'odd', arguments: {} })).toEqual({
      error: {
        code: -32602,
        message: "The arguments of prompt 'odd' are not valid: constructor: is missing.",
      },
    });
  });

  it('do not reveal their errors', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const broken = {
      name: 'broken',
      description: 'Breaks.',
      messages: () => {
        throw new Error('an internal secret');
      },
    };
    expect(
      await requestAnswer(createEndpointApp({ prompts: [broken] }), 'prompts/get', { name: 'broken' }),
    ).toEqual({
      error: {
        code: -32603,
        message: 'The request failed. The log of the Worker shows why. Accepted messages are kept.',
      },
    });
    expect(log).toHaveBeenCalledOnce();
    log.mockRestore();
  });

  it('fit on one page', async () => {
    expect(await requestAnswer(via, 'prompts/list', { cursor: 'x' })).toMatchObject({
      error: { code: -32602 },
    });
  });
});
