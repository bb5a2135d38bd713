/** Tests that provider metadata of a reply is sent back unchanged in the format of the provider. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createDeepSeek } from '@ai-sdk/deepseek';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { expect, it } from 'vitest';
import type { ModelRequest } from '../../../../../src/model/entry.ts';
import { createWire, sendBackAndForth } from './wire.ts';

const createToolDefinition = (name: string) => ({
  name,
  description: 'Looks.',
  inputSchema: { type: 'object', properties: { x: { type: 'number' } } },
});
const request: ModelRequest = {
  messages: [{ role: 'user', text: 'Go.' }],
  tools: [createToolDefinition('look'), createToolDefinition('see')],
};

/** Returns a long text that contains every base64 character. */
const createSignature = (seed: string): string =>
  `${seed}+/${'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/'.repeat(20)}==`;

it('redacted and interleaved Anthropic thinking is sent back before each of two calls', async () => {
  const createBlockEvents = (index: number, content_block: object, ...deltas: object[]) => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
  const createCallEvents = (index: number, id: string, name: string) =>
    createBlockEvents(
      index,
      { type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } },
      { type: 'input_json_delta', partial_json: '{"x": 1}' },
    );
  const createThought = (index: number, thinking: string, seed: string) =>
    createBlockEvents(
      index,
      { type: 'thinking', thinking: '', signature: '' },
      ...(thinking === '' ? [] : [{ type: 'thinking_delta', thinking }]),
      { type: 'signature_delta', signature: createSignature(seed) },
    );
  const events = [
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'c',
        content: [],
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    ...createThought(0, 'I should look. ', 'one'),
    ...createBlockEvents(1, { type: 'redacted_thinking', data: createSignature('two') }),
    ...createCallEvents(2, 'toolu_1', 'look'),
    // This block has no text, only a signature.
    ...createThought(3, '', 'three'),
    ...createCallEvents(4, 'toolu_2', 'see'),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
  const { body } = await sendBackAndForth(
    createWire((fetch) => createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-4-5'), [events]),
    request,
  );
  const createToolUse = (id: string, name: string) => ({
    type: 'tool_use',
    id,
    name,
    input: { x: 1 },
    caller: { type: 'direct' },
  });
  expect(body.messages).toMatchObject([
    { role: 'user' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I should look. ', signature: createSignature('one') },
        { type: 'redacted_thinking', data: createSignature('two') },
        createToolUse('toolu_1', 'look'),
        { type: 'thinking', thinking: '', signature: createSignature('three') },
        createToolUse('toolu_2', 'see'),
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1' },
        { type: 'tool_result', tool_use_id: 'toolu_2' },
        { type: 'text', text: 'And?' },
      ],
    },
  ]);
});

it('signatures of Gemini are sent back on a thought, a call and a last empty text', async () => {
  const createCandidate = (parts: readonly object[], finishReason?: string) => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason && { finishReason }) }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  });
  const events = [
    createCandidate([{ text: 'I should look.', thought: true }]),
    createCandidate([{ text: 'One moment.' }]),
    createCandidate([
      { functionCall: { name: 'look', args: { x: 1 } }, thoughtSignature: createSignature('call') },
    ]),
    createCandidate([{ functionCall: { name: 'see', args: {} } }]),
    createCandidate([{ text: '', thoughtSignature: createSignature('end') }], 'STOP'),
  ];
  const { body } = await sendBackAndForth(
    createWire((fetch) => createGoogle({ apiKey: 'k', fetch })('gemini-3-pro-preview'), [events]),
    request,
  );
  expect(body.contents).toMatchObject([
    { role: 'user' },
    {
      role: 'model',
      parts: [
        { text: 'I should look.', thought: true },
        { text: 'One moment.' },
        { functionCall: { name: 'look', args: { x: 1 } }, thoughtSignature: createSignature('call') },
        { functionCall: { name: 'see', args: {} } },
        { text: '', thoughtSignature: createSignature('end') },
      ],
    },
    { role: 'user', parts: [{ functionResponse: { name: 'look' } }, { functionResponse: { name: 'see' } }] },
    { role: 'user', parts: [{ text: 'And?' }] },
  ]);
});

it('encrypted OpenAI reasoning and the text of a call are sent back if the server does not store the reply', async () => {
  const createReasoning = (encrypted_content: string) => ({
    type: 'reasoning',
    id: 'rs_1',
    summary: [],
    encrypted_content,
  });
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look' };
  const text = '{"x": 1, "1": "b"}';
  const events = [
    { type: 'response.created', response: { id: 'r', created_at: 1, model: 'gpt-5.5' } },
    // The first event of the item contains only part of it.
    { type: 'response.output_item.added', output_index: 0, item: createReasoning('half') },
    { type: 'response.output_item.done', output_index: 0, item: createReasoning(createSignature('rs')) },
    {
      type: 'response.output_item.added',
      output_index: 1,
      item: { ...call, arguments: '', status: 'in_progress' },
    },
    { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 1, delta: text },
    {
      type: 'response.output_item.done',
      output_index: 1,
      item: { ...call, arguments: text, status: 'completed' },
    },
    { type: 'response.completed', response: { usage: { input_tokens: 1, output_tokens: 1 } } },
  ];
  const { body } = await sendBackAndForth(
    createWire((fetch) => createOpenAI({ apiKey: 'k', fetch }).responses('gpt-5.5'), [events]),
    request,
  );
  expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
  expect(body.input).toEqual([
    { role: 'user', content: [{ type: 'input_text', text: 'Go.' }] },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: createSignature('rs') },
    { type: 'function_call', call_id: 'call_1', name: 'look', arguments: text },
    { type: 'function_call_output', call_id: 'call_1', output: 'seen' },
    { role: 'user', content: [{ type: 'input_text', text: 'And?' }] },
  ]);
});

const createDelta = (fields: object, finish_reason: string | null = null) => ({
  id: 'c',
  model: 'm',
  choices: [{ index: 0, delta: { role: 'assistant', ...fields }, finish_reason }],
});
const callDelta = (more: object = {}) =>
  createDelta({
    tool_calls: [
      { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"x":1}' }, ...more },
    ],
  });

it.each([
  ['DeepSeek', (fetch: typeof globalThis.fetch) => createDeepSeek({ apiKey: 'k', fetch })('deepseek-v4')],
  [
    'a server compatible with OpenAI',
    (fetch: typeof globalThis.fetch) =>
      createOpenAICompatible({ name: 'own', baseURL: 'http://own.test/v1', fetch })('kimi'),
  ],
] as const)('reasoning of %s is sent back before a call', async (_, make) => {
  const events = [
    createDelta({ reasoning_content: 'I should ' }),
    createDelta({ reasoning_content: 'look.\n' }),
    callDelta(),
    createDelta({}, 'tool_calls'),
    '[DONE]',
  ];
  const { body } = await sendBackAndForth(createWire(make, [events]), request);
  expect(body.messages).toMatchObject([
    { role: 'user' },
    {
      role: 'assistant',
      reasoning_content: 'I should look.\n',
      tool_calls: [{ id: 'call_1', function: { name: 'look', arguments: '{"x":1}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1' },
    { role: 'user' },
  ]);
});

it('a Gemini signature is sent back on its call in the OpenAI format', async () => {
  const extra_content = { google: { thought_signature: createSignature('call') } };
  const { body } = await sendBackAndForth(
    createWire(
      (fetch) => createOpenAICompatible({ name: 'gemini', baseURL: 'http://own.test/v1', fetch })('gemini-3'),
      [[callDelta({ extra_content }), createDelta({}, 'tool_calls'), '[DONE]']],
    ),
    request,
  );
  expect(body.messages).toMatchObject([{}, { tool_calls: [{ extra_content }] }, {}, {}]);
});

it.each([
  ['with a call', [callDelta(), createDelta({}, 'tool_calls')]],
  ['without a call', [createDelta({ content: 'Done.' }, 'stop')]],
])('encrypted and visible reasoning of OpenRouter is sent back in order, %s', async (_, end) => {
  const details = [
    {
      type: 'reasoning.text',
      text: 'I should look.',
      signature: createSignature('text'),
      format: 'anthropic-claude-v1',
      index: 0,
    },
    {
      type: 'reasoning.encrypted',
      data: createSignature('blob'),
      format: 'anthropic-claude-v1',
      id: 'e',
      index: 1,
    },
  ];
  const events = [...details.map((detail) => createDelta({ reasoning_details: [detail] })), ...end, '[DONE]'];
  const { body } = await sendBackAndForth(
    createWire((fetch) => createOpenRouter({ apiKey: 'k', fetch })('anthropic/claude-sonnet-4.5'), [events]),
    request,
  );
  const messages = body.messages as readonly Record<string, unknown>[];
  expect(messages[1]?.reasoning_details).toEqual(details);
});

it('encrypted reasoning of OpenRouter is sent back without visible reasoning', async () => {
  const details = [
    {
      type: 'reasoning.encrypted',
      data: createSignature('blob'),
      format: 'openai-responses-v1',
      id: 'e',
      index: 0,
    },
  ];
  const events = [
    createDelta({ reasoning_details: details }),
    createDelta({ content: 'Done.' }, 'stop'),
    '[DONE]',
  ];
  const { body } = await sendBackAndForth(
    createWire((fetch) => createOpenRouter({ apiKey: 'k', fetch })('openai/gpt-5.5'), [events]),
    request,
  );
  const messages = body.messages as readonly Record<string, unknown>[];
  expect(messages[1]).toMatchObject({ content: 'Done.', reasoning_details: details });
});
