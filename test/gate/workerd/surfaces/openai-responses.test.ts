import type OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { branches } from '../../../../src/modules/branches/entry.ts';
import { openAi } from '../../../../src/surfaces/openai/entry.ts';
import { clerk, listPaymentsTo } from '../../../fixtures/clerk-agent.ts';
import { recordings, scripted } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, playModel, registerScript } from '../../../fixtures/scripts.ts';
import { registerSpeaking, WAIT } from '../../../fixtures/speaking.ts';
import { createTestApp, wrapObjects } from '../http/app.ts';
import { readJournal } from '../http/client.ts';
import {
  createOpenAiClient,
  joinTexts,
  listEventTypes,
  openAiApp,
  readResponseJournal,
} from './openai-app.ts';

const client = createOpenAiClient();

describe('a message after an older response', () => {
  const forking = createOpenAiClient(
    createTestApp({ agents: [scripted, clerk], use: [openAi(), branches()] }),
  );
  const ask = (input: string, previous_response_id: string | null, key?: string) =>
    forking.responses.create(
      { model: 'scripted', input, previous_response_id },
      key === undefined ? {} : { headers: { 'idempotency-key': key } },
    );

  it('goes to a fork that ends with that response, and later messages continue the fork', async () => {
    const { message, model } = registerScript('One.', 'Two.', 'Three.', 'Four.');
    const first = await ask(message(), null);
    const second = await ask('Again.', first.id);
    const other = await ask('Otherwise.', first.id);
    expect(model.requests[2]?.messages.slice(1).map(({ text }) => text)).toEqual([
      message(),
      'One.',
      'Otherwise.',
    ]);
    expect(second.conversation?.id).toBe(first.conversation?.id);
    expect(other.conversation?.id).not.toBe(first.conversation?.id);
    const fourth = await ask('And on.', other.id);
    expect([fourth.output_text, fourth.conversation?.id]).toEqual(['Four.', other.conversation?.id]);
  });

  it('returns the same response under the same key, in a fork and after the last response', async () => {
    const { message, model } = registerScript('One.', 'Two.', 'Three.');
    const first = await ask(message(), null);
    const key = crypto.randomUUID();
    const second = await ask('Again.', first.id, key);
    expect((await ask('Again.', first.id, key)).id).toBe(second.id);
    const other = crypto.randomUUID();
    const third = await ask('Otherwise.', first.id, other);
    expect((await ask('Otherwise.', first.id, other)).id).toBe(third.id);
    expect(model.requests).toHaveLength(3);
  });

  it('is refused if later calls had effects', async () => {
    const note = crypto.randomUUID();
    const { message } = registerScript(
      'One.',
      { calls: [{ name: 'record', input: { note } }] },
      'Noted.',
      'More.',
    );
    const first = await ask(message(), null);
    await ask('Record it.', first.id);
    await expect(ask('Otherwise.', first.id)).rejects.toMatchObject({
      status: 409,
      code: 'would_repeat_effects',
    });
    expect(recordings.filter((one) => one.note === note)).toHaveLength(1);
  });
});

describe('a response', () => {
  it('returns the answer of a turn with several iterations, with its calls', async () => {
    const { message } = registerScript(
      { calls: [{ name: 'add', input: { a: 1, b: 2 } }], text: 'Let me add.' },
      { calls: [{ name: 'look_up', input: { id: '7' } }] },
      'It is 3.',
    );
    const response = await client.responses.create({
      model: 'scripted',
      input: message(),
      metadata: { of: 'tests' },
      include: ['reasoning.encrypted_content'],
      tools: [],
      temperature: 0.5,
    });
    const call = { type: 'mcp_call', server_label: 'holdfast', status: 'completed', error: null };
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      model: 'scripted',
      metadata: { of: 'tests' },
      error: null,
      output: [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me add.' }] },
        { ...call, name: 'add', arguments: '{"a":1,"b":2}', output: '3' },
        { ...call, name: 'look_up', arguments: '{"id":"7"}', output: '{"id":"7","total":12.5}' },
        { type: 'message', content: [{ type: 'output_text', text: 'It is 3.' }] },
      ],
      usage: {
        input_tokens: 30,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 15,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 45,
      },
    });
    expect(response.output_text).toBe('Let me add.It is 3.');
    expect(await client.responses.retrieve(response.id)).toEqual({ ...response, metadata: {} });
    const events = await readResponseJournal(response);
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
  });

  it.each([
    ['length', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
    ['content-filter', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
    ['constructor', { status: 'completed', incomplete_details: null }],
  ] as const)('reports why its last reply was cut off: %s', async (said, told) => {
    const finish = said as 'length'; // an untyped adapter can return any value
    const { key } = playModel({ name: 'cut', ask: async () => ({ text: 'So f', toolCalls: [], finish }) });
    expect(await client.responses.create({ model: 'scripted', input: `#${key}` })).toMatchObject(told);
  });

  it('continues the previous response by previous_response_id, by conversation, or by the ids of its items', async () => {
    const { message, model } = registerScript('One.', 'Two.', 'Three.', 'Four.');
    const first = await client.responses.create({ model: 'scripted', input: message() });
    const second = await client.responses.create({
      model: 'scripted',
      input: 'Again.',
      previous_response_id: first.id,
    });
    const { conversation } = second;
    const third = await client.responses.create({
      model: 'scripted',
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'And again.' }] }],
      conversation: conversation?.id ?? null,
    });
    const fourth = await client.responses.create({
      model: 'scripted',
      input: [
        { role: 'user', content: message() },
        ...first.output.filter((item) => item.type === 'message'),
        { role: 'user', content: 'Now all of it.' },
      ],
    });
    expect([first, second, third, fourth].map(({ output_text }) => output_text)).toEqual([
      'One.',
      'Two.',
      'Three.',
      'Four.',
    ]);
    expect(second.previous_response_id).toBe(first.id);
    expect(new Set([first, second, third, fourth].map((one) => one.conversation?.id)).size).toBe(1);
    expect(model.requests[3]?.messages.map(({ text }) => text)).toEqual(
      [
        'Follow the script.',
        message(),
        'One.',
        'Again.',
        'Two.',
        'And again.',
        'Three.',
        'Now all of it.',
      ].slice(model.requests[3]?.messages[0]?.role === 'user' ? 1 : 0),
    );
  });

  it('streams its text, and then returns the same response as without a stream', async () => {
    const { message } = registerScript(
      { calls: [{ name: 'add', input: { a: 1, b: 2 } }] },
      {
        parts: [
          { type: 'reasoning', text: 'Hm, 3.' },
          { type: 'text', text: 'It is 3.' },
        ],
      },
    );
    const stream = client.responses.stream({ model: 'scripted', input: message() });
    const events: ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    const last = await stream.finalResponse();
    expect(last.output_text).toBe('It is 3.');
    expect(last.output.map(({ type }) => type)).toEqual(['mcp_call', 'reasoning', 'message']);
    expect(joinTexts(events)).toEqual({ text: 'It is 3.', reasoning: 'Hm, 3.' });
    expect(events.filter(({ type }) => type === 'response.output_text.delta').length).toBeGreaterThan(3);
    expect(listEventTypes(events)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.mcp_call_arguments.done',
      'response.mcp_call.in_progress',
      'response.mcp_call.completed',
      'response.output_item.done',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const later = await client.responses.retrieve(last.id);
    expect(JSON.parse(JSON.stringify(last))).toMatchObject(JSON.parse(JSON.stringify(later)));
  });
});

describe('the stream of a response', () => {
  it('resumes after any of its numbers, without gaps or duplicates', async () => {
    const { message } = registerScript(
      {
        parts: [
          { type: 'reasoning', text: 'Add.' },
          { type: 'tool-call', id: '1', name: 'add', input: '{"a":1,"b":2}' },
        ],
      },
      {
        text: 'Two calls more.',
        calls: [
          { name: 'look_up', input: { id: '1' } },
          { name: 'look_up', input: { id: '2' } },
        ],
      },
      {
        parts: [
          { type: 'reasoning', text: 'Done.' },
          { type: 'text', text: 'It is all.' },
        ],
      },
    );
    const events: ResponseStreamEvent[] = [];
    for await (const event of await client.responses.create({
      model: 'scripted',
      input: message(),
      stream: true,
    }))
      events.push(event);
    const [created] = events;
    const id = created?.type === 'response.created' ? created.response.id : '';
    const numbers = events.map(({ sequence_number }) => sequence_number);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other));
    for (const [place, { sequence_number: after }] of events.entries()) {
      const rest: ResponseStreamEvent[] = [];
      const stream = await client.responses.retrieve(id, { stream: true, starting_after: after });
      for await (const event of stream) rest.push(event);
      const whole = [...events.slice(0, place + 1), ...rest];
      expect(listEventTypes(whole)).toEqual(listEventTypes(events));
      expect(joinTexts(whole)).toEqual(joinTexts(events));
      expect(rest.at(-1)).toEqual(place === events.length - 1 ? undefined : events.at(-1));
    }
  });

  it('resumes after its connection was dropped in the middle of a reply', async () => {
    const reply = createHeldReply({ text: 'It goes on.' });
    const { message } = registerScript({ calls: [{ name: 'add', input: { a: 1, b: 2 } }] }, reply.reply);
    const stream = await client.responses.create({ model: 'scripted', input: message(), stream: true });
    const seen: ResponseStreamEvent[] = [];
    for await (const event of stream) {
      seen.push(event);
      if (event.type === 'response.mcp_call.completed') break;
    }
    const [created] = seen;
    const id = created?.type === 'response.created' ? created.response.id : '';
    reply.release();
    const after = seen.at(-1)?.sequence_number ?? 0;
    for await (const event of await client.responses.retrieve(id, { stream: true, starting_after: after }))
      seen.push(event);
    expect(joinTexts(seen).text).toBe('It goes on.');
    expect(seen.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
  });
});

it.each([
  ['responses', (text: string) => ({ input: text })],
  ['chat/completions', (text: string) => ({ messages: [{ role: 'user', content: text }] })],
])(
  'the stream of %s contains only comments, and events with data, because Python clients fail on other frames',
  async (path, body) => {
    const { message } = registerScript('Hi.');
    const response = await openAiApp(`/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'scripted', stream: true, ...body(message()) }),
    });
    const [first, ...frames] = (await response.text()).split('\n\n').slice(0, -1);
    expect(first).toBe(':');
    expect(frames.length).toBeGreaterThan(3);
    expect(frames.filter((frame) => !/^(event: [a-z_.]+\n)?data: [[{].*$/.test(frame))).toEqual([]);
  },
);

describe('the stream of a response that fails internally', () => {
  it('reports the failure without internals', async () => {
    const reply = createHeldReply('Never told.');
    const { message } = registerScript(reply.reply);
    const { id } = await client.responses.create({ model: 'scripted', input: message(), background: true });
    await reply.asked();
    let reads = 0;
    const SESSIONS = wrapObjects((stub) => ({
      async read(query: Parameters<typeof stub.read>[0]) {
        reads += 1;
        if (reads > 2) throw new Error('an internal secret');
        return stub.read(query);
      },
    }));
    const via = createTestApp({ agents: [scripted], use: [openAi()] }, { SESSIONS });
    const response = await via(`/v1/responses/${id}?stream=true`);
    const streaming = response.text();
    reply.release();
    const frames = (await streaming).split('\n\n').filter((frame) => frame.startsWith('event: '));
    expect(JSON.parse(frames.at(-1)?.split('\ndata: ')[1] ?? '')).toEqual({
      type: 'error',
      code: 'session_unavailable',
      message: 'The session cannot be reached now. Send the request again.',
      param: null,
      sequence_number: 200_000_001,
    });
  });
});

describe('a response in the background', () => {
  it('is polled until it is complete, and can be streamed before that', async () => {
    const reply = createHeldReply('Later.');
    const { message } = registerScript(reply.reply);
    const queued = await client.responses.create({ model: 'scripted', input: message(), background: true });
    expect(queued).toMatchObject({ status: 'in_progress', output: [], background: true });
    await reply.asked();
    const running = await client.responses.retrieve(queued.id);
    expect(running).toMatchObject({ status: 'in_progress', output: [] });
    reply.release();
    const stream = await client.responses.retrieve(queued.id, { stream: true });
    let last: ResponseStreamEvent | undefined;
    for await (const event of stream) last = event;
    expect(last).toMatchObject({ type: 'response.completed' });
    expect(await client.responses.retrieve(queued.id)).toMatchObject({
      status: 'completed',
      output_text: 'Later.',
    });
  });

  it('is cancelled', async () => {
    const reply = createHeldReply('Never.');
    const { message } = registerScript(reply.reply);
    const queued = await client.responses.create({ model: 'scripted', input: message(), background: true });
    await reply.asked();
    expect(await client.responses.cancel(queued.id)).toMatchObject({ status: 'cancelled', output: [] });
    expect(await client.responses.cancel(queued.id)).toMatchObject({ id: queued.id, status: 'cancelled' });
  });

  it('has the text from before it was cancelled, as an incomplete item', async () => {
    const { model, message } = registerSpeaking(['It is ', 'in ', WAIT]);
    const stream = await client.responses.create({ model: 'scripted', input: message(), stream: true });
    let id = '';
    let last: ResponseStreamEvent | undefined;
    const reading = (async () => {
      for await (const event of stream) {
        if (event.type === 'response.created') id = event.response.id;
        last = event;
      }
    })();
    await model.waiting();
    await expect.poll(() => id).not.toBe('');
    const said = {
      type: 'message',
      status: 'incomplete',
      content: [{ type: 'output_text', text: 'It is in ' }],
    };
    expect(await client.responses.cancel(id)).toMatchObject({ status: 'cancelled', output: [said] });
    await reading;
    expect(last).toMatchObject({ response: { status: 'cancelled', output: [said] } });
    expect(await client.responses.retrieve(id)).toMatchObject({ status: 'cancelled', output: [said] });
  });
});

describe('a call that waits', () => {
  const createPayScript = (...inputs: { to: string; amount: number }[]) =>
    registerScript({ calls: inputs.map((input) => ({ name: 'pay', input })) }, 'All done.');

  it('is returned as an approval request, whose answer finds its session', async () => {
    const to = crypto.randomUUID();
    const { message } = createPayScript({ to, amount: 1 }, { to, amount: 2 });
    const first = await client.responses.create({ model: 'clerk', input: message() });
    expect(first).toMatchObject({
      status: 'completed',
      output: [
        {
          type: 'mcp_approval_request',
          server_label: 'holdfast',
          name: 'pay',
          arguments: `{"to":"${to}","amount":1}`,
        },
        { type: 'mcp_approval_request', name: 'pay', arguments: `{"to":"${to}","amount":2}` },
      ],
    });
    const second = await client.responses.create({
      model: 'clerk',
      input: first.output.map(({ id }, place) => ({
        type: 'mcp_approval_response',
        approval_request_id: id ?? '',
        approve: place === 0,
        ...(place === 1 && { reason: 'Too much.' }),
      })),
    });
    expect(listPaymentsTo(to)).toEqual([1]);
    expect(second.id).not.toBe(first.id);
    expect(second).toMatchObject({
      status: 'completed',
      output_text: 'All done.',
      output: expect.arrayContaining([
        expect.objectContaining({
          type: 'mcp_call',
          status: 'completed',
          approval_request_id: first.output[0]?.id,
        }),
        expect.objectContaining({
          type: 'mcp_call',
          status: 'failed',
          approval_request_id: first.output[1]?.id,
          error: {
            type: 'mcp_tool_execution_error',
            content: [
              {
                type: 'text',
                text: 'Too much.',
              },
            ],
          },
        }),
      ]),
    });
    // Each response is unchanged.
    expect(await client.responses.retrieve(first.id)).toEqual(first);
    expect(await client.responses.retrieve(second.id)).toEqual(second);
  });

  it('is answered separately, and the remaining calls are listed again', async () => {
    const to = crypto.randomUUID();
    const { message } = createPayScript({ to, amount: 1 }, { to, amount: 2 });
    const first = await client.responses.create({ model: 'clerk', input: message() });
    const approve = (id: string) =>
      client.responses.create({
        model: 'clerk',
        input: [{ type: 'mcp_approval_response', approval_request_id: id, approve: true }],
        previous_response_id: first.id,
      });
    const second = await approve(first.output[1]?.id ?? '');
    expect(second.output).toEqual([first.output[0]]);
    const third = await approve(first.output[0]?.id ?? '');
    expect(third.output_text).toBe('All done.');
    expect(listPaymentsTo(to).toSorted()).toEqual([1, 2]);
  });

  it('can ask again, and then accepts only the answer to the second question', async () => {
    const to = crypto.randomUUID();
    const { message } = registerScript(
      { calls: [{ name: 'pay_twice_asked', input: { to, amount: 3 } }] },
      'Paid.',
    );
    const approveAll = ({ output }: OpenAI.Responses.Response) =>
      client.responses.create({
        model: 'clerk',
        input: output.flatMap((item) =>
          item.type === 'mcp_approval_request'
            ? [{ type: 'mcp_approval_response', approval_request_id: item.id, approve: true } as const]
            : [],
        ),
      });
    const second = await approveAll(await client.responses.create({ model: 'clerk', input: message() }));
    expect(second.output.map(({ type }) => type)).toEqual(['mcp_approval_request']);
    expect(listPaymentsTo(to)).toEqual([]);
    const third = await approveAll(second);
    expect(listPaymentsTo(to)).toEqual([3]);
    expect(third.output.map(({ type }) => type)).toEqual(['mcp_call', 'message']);
    expect(third.output_text).toBe('Paid.');
    expect(third.id).not.toBe(second.id);
    expect(await client.responses.retrieve(third.id)).toEqual(third);
  });

  it('can ask again, even with a client that sends the whole conversation', async () => {
    const to = crypto.randomUUID();
    const { message } = registerScript(
      { calls: [{ name: 'pay_twice_asked', input: { to, amount: 3 } }] },
      'Paid.',
    );
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: message() }];
    for (const _ of ['message', 'first question', 'second question']) {
      const { output } = await client.responses.create({ model: 'clerk', input });
      for (const item of output) {
        if (item.type !== 'mcp_approval_request') continue;
        input.push(item, { type: 'mcp_approval_response', approval_request_id: item.id, approve: true });
      }
    }
    expect(input.length).toBe(5);
    expect(listPaymentsTo(to)).toEqual([3]);
  });

  it('is approved with another input', async () => {
    const to = crypto.randomUUID();
    const { message } = createPayScript({ to, amount: 1 });
    const first = await client.responses.create({ model: 'clerk', input: message() });
    const edit = { input: { to, amount: 3 } };
    await client.responses.create({
      model: 'clerk',
      input: [
        {
          type: 'mcp_approval_response',
          approval_request_id: first.output[0]?.id ?? '',
          approve: true,
          ...edit,
        },
      ],
    });
    expect(listPaymentsTo(to)).toEqual([3]);
  });

  it('is a function call if the client runs it', async () => {
    const { message, model } = registerScript(
      { calls: [{ name: 'look_up', input: { id: '7' } }] },
      'It is red.',
    );
    const tools = [{ type: 'function' as const, name: 'look_up', parameters: {}, strict: false }];
    const first = await client.responses.create({ model: 'clerk', input: message(), tools });
    const [call] = first.output;
    if (call?.type !== 'function_call') throw new Error('The response has no function call.');
    expect(call).toMatchObject({ name: 'look_up', arguments: '{"id":"7"}', status: 'completed' });
    const stream = client.responses.stream({
      model: 'clerk',
      input: [{ type: 'function_call_output', call_id: call.call_id, output: 'A red one.' }],
      tools,
    });
    expect((await stream.finalResponse()).output_text).toBe('It is red.');
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('A red one.');
    const { agent, session } = { agent: 'clerk', session: first.conversation?.id };
    const events = await readJournal(`/agents/${agent}/sessions/${session}`);
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
  });

  it('streams the arguments of its function call too, for clients that read only those events', async () => {
    const { message } = registerScript({ calls: [{ name: 'look_up', input: { id: '7' } }] });
    const events: ResponseStreamEvent[] = [];
    const asked = { model: 'clerk', input: message(), stream: true } as const;
    for await (const event of await client.responses.create(asked)) events.push(event);
    expect(listEventTypes(events).slice(2, -1)).toEqual([
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
    ]);
    const [delta] = events.filter(({ type }) => type === 'response.function_call_arguments.delta');
    expect(delta).toMatchObject({ delta: '{"id":"7"}' });
  });

  it('can fail after its answer, and a client that sends the whole conversation continues', async () => {
    const { message, model } = registerScript(
      { calls: [{ name: 'look_up', input: { id: '7' } }] },
      { text: '' },
      { text: '' },
      'It is red.',
    );
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: message() }];
    const ask = () => client.responses.create({ model: 'clerk', input });
    const [call] = (await ask()).output;
    if (call?.type !== 'function_call') throw new Error('The response has no function call.');
    input.push(call, { type: 'function_call_output', call_id: call.call_id, output: 'Red.' });
    input.push({ role: 'user', content: 'Well?' });
    await expect(ask()).rejects.toMatchObject({
      status: 400,
      message: "400 Invalid value for 'input'. It must be a message or answers to calls, not both.",
    });
    const well = input.pop();
    expect(await ask()).toMatchObject({ status: 'failed', output: [] });
    input.push(...(well ? [well] : []));
    expect((await ask()).output_text).toBe('It is red.');
    expect(model.requests).toHaveLength(4);
  });

  it('is answered only once: the same answer returns the same response, and another is refused', async () => {
    const to = crypto.randomUUID();
    const { message, model } = createPayScript({ to, amount: 1 });
    const [asked] = (await client.responses.create({ model: 'clerk', input: message() })).output;
    const decide = (approve: boolean) =>
      client.responses.create({
        model: 'clerk',
        input: [{ type: 'mcp_approval_response', approval_request_id: asked?.id ?? '', approve }],
      });
    const first = await decide(true);
    expect(await decide(true)).toEqual(first);
    await expect(decide(false)).rejects.toMatchObject({ status: 409, code: 'already_answered' });
    expect(listPaymentsTo(to)).toEqual([1]);
    expect(model.requests).toHaveLength(2);
  });
});
