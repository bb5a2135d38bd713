import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { playModel, registerScript } from '../../../fixtures/scripts.ts';
import { registerSpeaking, WAIT } from '../../../fixtures/speaking.ts';
import { createOpenAiClient, openAiApp } from './openai-app.ts';

const client = createOpenAiClient();

type SessionAnswer = { readonly metadata: { readonly session: string } };
/** Returns the session that a response contains beside the protocol's fields. */
const getSession = (answer: unknown): string => (answer as SessionAnswer).metadata.session;

describe('a chat completion', () => {
  it('returns the answer of a turn with several iterations', async () => {
    const { message } = registerScript(
      { calls: [{ name: 'add', input: { a: 1, b: 2 } }] },
      { calls: [{ name: 'look_up', input: { id: '7' } }] },
      'It is 3.',
    );
    const { data, response } = await client.chat.completions
      .create({ model: 'scripted', messages: [{ role: 'user', content: message() }] })
      .withResponse();
    expect(data).toEqual({
      id: expect.stringMatching(/^chatcmpl_/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'scripted',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'It is 3.', refusal: null },
          finish_reason: 'stop',
          logprobs: null,
        },
      ],
      usage: {
        prompt_tokens: 30,
        completion_tokens: 15,
        total_tokens: 45,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
      metadata: { session: response.headers.get('x-holdfast-session'), turn: expect.any(String) },
    });
  });

  it.each(['metadata', 'header'] as const)('continues the session that it identifies by %s', async (by) => {
    const { message, model } = registerScript('One.', 'Two.');
    const first = await client.chat.completions.create({
      model: 'scripted',
      messages: [{ role: 'user', content: message() }],
    });
    const session = getSession(first);
    const messages = [
      { role: 'user', content: message() },
      { role: 'assistant', content: 'One.' },
      { role: 'user', content: 'Again.' },
    ] as const;
    const second = await client.chat.completions.create(
      { model: 'scripted', messages: [...messages], ...(by === 'metadata' && { metadata: { session } }) },
      by === 'header' ? { headers: { 'x-holdfast-session': session } } : {},
    );
    expect(second.choices[0]?.message.content).toBe('Two.');
    expect(model.requests[1]?.messages.filter(({ role }) => role === 'user')).toHaveLength(2);
  });

  it('has the text from before its turn was cancelled', async () => {
    const { model, message } = registerSpeaking(['It is ', 'in ', WAIT]);
    const session = crypto.randomUUID();
    const answering = client.chat.completions.create({
      model: 'scripted',
      messages: [{ role: 'user', content: message() }],
      metadata: { session },
    });
    await model.waiting();
    await openAiApp(`/agents/scripted/sessions/${session}/cancel`, { method: 'POST' });
    expect((await answering).choices).toEqual([
      {
        index: 0,
        message: { role: 'assistant', content: 'It is in ', refusal: null },
        finish_reason: 'length',
        logprobs: null,
      },
    ]);
  });

  it('is refused if the conversation that it continues is unknown', async () => {
    const failure = await client.chat.completions
      .create({
        model: 'scripted',
        messages: [
          { role: 'user', content: 'One' },
          { role: 'assistant', content: 'Two' },
          { role: 'user', content: 'Three' },
        ],
      })
      .catch((thrown: unknown) => thrown);
    expect(failure).toBeInstanceOf(OpenAI.BadRequestError);
    expect(failure).toMatchObject({
      status: 400,
      param: 'metadata.session',
      code: 'unknown_conversation',
      message: expect.stringMatching(/^400 The conversation is unknown\. .+ metadata: \{ session \} .+$/),
    });
  });

  it('streams its text, and its usage on request', async () => {
    const { message } = registerScript(
      { text: 'Let me add.', calls: [{ name: 'add', input: { a: 1, b: 2 } }] },
      {
        parts: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'It is 3.' },
        ],
      },
    );
    const stream = client.chat.completions.stream({
      model: 'scripted',
      messages: [{ role: 'user', content: message() }],
      stream_options: { include_usage: true },
    });
    const pieces: string[] = [];
    stream.on('content', (delta) => pieces.push(delta));
    const final = await stream.finalChatCompletion();
    expect(pieces.join('')).toBe('Let me add.\n\nIt is 3.');
    expect(pieces.length).toBeGreaterThan(5);
    expect(final).toMatchObject({
      choices: [{ finish_reason: 'stop', message: { content: 'Let me add.\n\nIt is 3.' } }],
      usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
    });
  });

  it('contains the calls that the client runs, and accepts their results', async () => {
    const { message, model } = registerScript(
      {
        calls: [
          { name: 'look_up', input: { id: '7' } },
          { name: 'look_up', input: { id: '8' } },
        ],
      },
      'Red and blue.',
    );
    const runner = client.chat.completions.runTools({
      model: 'clerk',
      stream: true,
      messages: [{ role: 'user', content: message() }],
      tools: [
        {
          type: 'function',
          function: {
            name: 'look_up',
            description: 'Looks up.',
            parameters: { type: 'object', properties: { id: { type: 'string' } } },
            parse: JSON.parse,
            function: ({ id }: { id: string }) => `color of ${id}`,
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('Red and blue.');
    // Clients distinguish messages by the ids of their completions.
    expect(new Set(runner.allChatCompletions().map(({ id }) => id)).size).toBe(2);
    const read = JSON.stringify(model.requests[1]?.messages);
    expect(read).toContain('color of 7');
    expect(read).toContain('color of 8');
  });

  it('describes the pending decision in text, and where to make it', async () => {
    const { message } = registerScript(
      { calls: [{ name: 'pay', input: { to: 'nobody', amount: 1 } }] },
      'Done.',
    );
    const answer = await client.chat.completions.create({
      model: 'clerk',
      messages: [{ role: 'user', content: message() }],
    });
    const session = getSession(answer);
    const { metadata } = answer as unknown as { metadata: { pending: string } };
    const [{ call, message: asked }] = JSON.parse(metadata.pending);
    const at = `/agents/clerk/sessions/${session}/approvals/${encodeURIComponent(call)}`;
    expect(answer.choices).toMatchObject([
      {
        finish_reason: 'stop',
        message: { content: `Call of 'pay' waits for a decision: ${asked} Answer it by POST ${at}.` },
      },
    ]);
  });

  it('is an error if its turn failed, and is not repeated', async () => {
    const { message, model } = registerScript({ text: '' }, { text: '' });
    const failing = { model: 'scripted', messages: [{ role: 'user' as const, content: message() }] };
    const failure = await client.chat.completions.create(failing).catch((thrown: unknown) => thrown);
    const told = {
      message: 'The model returned an empty reply, even after it was asked once more.',
      type: 'server_error',
      param: null,
      code: 'empty_reply',
    };
    expect(failure).toMatchObject({ status: 502, error: told });
    expect(model.requests).toHaveLength(2);
    const again = registerScript({ text: '' }, { text: '' });
    const stream = await client.chat.completions.create({
      model: 'scripted',
      messages: [{ role: 'user', content: again.message() }],
      stream: true,
    });
    const broken = (async () => {
      for await (const _ of stream);
    })();
    await expect(broken).rejects.toMatchObject({ error: told });
  });

  it.each([
    ['length', 'length'],
    ['content-filter', 'content_filter'],
  ] as const)('reports why its last reply was cut off: %s', async (finish, told) => {
    const { key } = playModel({ name: 'cut', ask: async () => ({ text: 'So f', toolCalls: [], finish }) });
    const messages = [{ role: 'user' as const, content: `#${key}` }];
    const { choices } = await client.chat.completions.create({ model: 'scripted', messages });
    expect(choices).toMatchObject([{ finish_reason: told, message: { content: 'So f' } }]);
  });
});
