import { describe, expect, it } from 'vitest';
import { fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';
import type { ModelReply, ReplyPart } from '../../../../../src/model/entry.ts';
import { fromAiSdkWithClock } from '../../../../doors/model.ts';
import { fakePace, hello } from '../openai-compatible/fake-server.ts';
import { failureIn, replyIn } from '../settle.ts';
import { ask, call, delta, fakeModel, finish, generatedResult, streamedResult } from './fake-model.ts';

const wholeReply = async (content: unknown, more?: object) =>
  replyIn(await ask(() => generatedResult(content, more)));
const streamedReply = async (...parts: readonly unknown[]) =>
  replyIn(await ask(() => streamedResult([...parts, finish()]), { stream: true }));

const providerData = (id: string) => ({ maker: { id } });
const reasoningPart = (step: string, more: object = {}, id = 'r') => ({
  type: `reasoning-${step}`,
  id,
  ...more,
});
const textPart = (step: string, more: object = {}, id = 't') => ({ type: `text-${step}`, id, ...more });

describe('the parts of a reply', () => {
  it('are equal for a whole reply and for a stream', async () => {
    const png = { type: 'data', data: 'aGk=' };
    const rest = [
      call('s', 'search', '{"q":1}', { providerExecuted: true, providerMetadata: providerData('c') }),
      {
        type: 'tool-result',
        toolCallId: 's',
        toolName: 'search',
        result: { hits: [] },
        providerMetadata: providerData('s'),
      },
      { type: 'tool-result', toolCallId: 's', toolName: 'search', result: 'no', isError: true },
      { type: 'source', sourceType: 'url', id: '1', url: 'https://a.test', title: 'A' },
      {
        type: 'source',
        sourceType: 'document',
        id: '2',
        mediaType: 'application/pdf',
        title: 'B',
        filename: 'b.pdf',
      },
      { type: 'reasoning-file', mediaType: 'image/png', data: png, providerMetadata: providerData('f') },
      { type: 'file', mediaType: 'image/png', data: png },
      { type: 'custom', kind: 'maker.thing', providerMetadata: providerData('x') },
    ];
    const last = call('a', 'look', ' {"x": 1} ', { providerMetadata: providerData('l') });
    const parts: ReplyPart[] = [
      { type: 'reasoning', text: 'Hm.', provider: providerData('r') },
      {
        type: 'tool-call',
        id: 's',
        name: 'search',
        input: '{"q":1}',
        ranBy: 'provider',
        provider: providerData('c'),
      },
      { type: 'tool-result', id: 's', name: 'search', result: { hits: [] }, provider: providerData('s') },
      { type: 'tool-result', id: 's', name: 'search', result: 'no', isError: true },
      { type: 'source', id: '1', url: 'https://a.test', title: 'A' },
      { type: 'source', id: '2', mediaType: 'application/pdf', title: 'B', filename: 'b.pdf' },
      { type: 'file', mediaType: 'image/png', data: 'aGk=', ofReasoning: true, provider: providerData('f') },
      { type: 'file', mediaType: 'image/png', data: 'aGk=' },
      { type: 'custom', kind: 'maker.thing', provider: providerData('x') },
      { type: 'text', text: 'See', provider: providerData('t') },
      { type: 'tool-call', id: 'a', name: 'look', input: ' {"x": 1} ', provider: providerData('l') },
    ];
    const expected: ModelReply = {
      text: 'See',
      toolCalls: [{ id: 'a', name: 'look', input: ' {"x": 1} ' }],
      parts,
      finish: 'tool-calls',
      usage: { inputTokens: 3, outputTokens: 4 },
    };
    const content = [
      { type: 'reasoning', text: 'Hm.', providerMetadata: providerData('r') },
      ...rest,
      { type: 'text', text: 'See', providerMetadata: providerData('t') },
      last,
    ];
    expect(await wholeReply(content)).toEqual(expected);
    const stream = [
      reasoningPart('start'),
      reasoningPart('delta', { delta: 'Hm' }),
      reasoningPart('delta', { delta: '.', providerMetadata: providerData('r') }),
      reasoningPart('end'),
      ...rest,
      textPart('start', { providerMetadata: providerData('t') }),
      textPart('delta', { delta: 'See' }),
      textPart('end'),
      last,
    ];
    expect(await streamedReply(...stream)).toEqual(expected);
  });

  it('are in the order in which they started, even if two of them grow at the same time', async () => {
    const { parts } = await streamedReply(
      reasoningPart('start', {}, '1'),
      reasoningPart('start', {}, '2'),
      reasoningPart('delta', { delta: 'b' }, '2'),
      reasoningPart('delta', { delta: 'a' }, '1'),
      reasoningPart('end', {}, '1'),
      reasoningPart('end', {}, '2'),
      // The id can be used again.
      reasoningPart('start', {}, '1'),
      reasoningPart('delta', { delta: 'c' }, '1'),
    );
    expect(parts).toEqual(['a', 'b', 'c'].map((text) => ({ type: 'reasoning', text })));
  });

  it('have the newest metadata, which replaces all earlier metadata', async () => {
    const { parts } = await streamedReply(
      reasoningPart('start', { providerMetadata: { maker: { half: 1, id: 'r' } } }),
      reasoningPart('delta', { delta: 'Hm.' }),
      reasoningPart('end', { providerMetadata: { maker: { whole: 2 } } }),
    );
    expect(parts).toEqual([{ type: 'reasoning', text: 'Hm.', provider: { maker: { whole: 2 } } }]);
  });

  it('can be empty if they have metadata, and are omitted otherwise', async () => {
    const expected = [
      { type: 'reasoning', text: '', provider: providerData('r') },
      { type: 'text', text: '', provider: providerData('t') },
    ];
    const stream = [
      reasoningPart('start'),
      reasoningPart('delta', { delta: '', providerMetadata: providerData('r') }),
      reasoningPart('end'),
      reasoningPart('start', {}, '2'),
      reasoningPart('end', {}, '2'),
      textPart('start'),
      textPart('end', { providerMetadata: providerData('t') }),
      textPart('start', {}, '2'),
      textPart('end', {}, '2'),
    ];
    expect((await streamedReply(...stream)).parts).toEqual(expected);
    const content = [
      { type: 'reasoning', text: '', providerMetadata: providerData('r') },
      { type: 'reasoning', text: '' },
      { type: 'text', text: '', providerMetadata: providerData('t') },
      { type: 'text', text: '' },
    ];
    expect((await wholeReply(content)).parts).toEqual(expected);
  });

  it('are omitted if the reply is only text followed by calls', async () => {
    expect(await streamedReply(textPart('start'), delta('Hi.'), call('a', 'f', '{}'))).not.toHaveProperty(
      'parts',
    );
    expect(await streamedReply(call('a', 'f', '{}'), delta('Hi.'))).toHaveProperty('parts');
  });

  it('contain files of both specifications, in base64 or by their URLs', async () => {
    const bytes = new Uint8Array([104, 105]);
    const url = 'https://A.test/x y.png';
    const files = [
      bytes,
      'aGk=',
      { type: 'data', data: bytes },
      { type: 'url', url: new URL('https://a.test/b.png') },
      { type: 'url', url: new URL(url), originalUrl: url },
    ].map((data) => ({ type: 'file', mediaType: 'image/png', data }));
    const { parts = [] } = await wholeReply(files);
    expect(parts.map((part) => part.type === 'file' && part.data)).toEqual([
      'aGk=',
      'aGk=',
      'aGk=',
      'https://a.test/b.png',
      url,
    ]);
    const expected = { failure: 'invalid-reply', message: "The model's reply holds a file without data." };
    expect(
      failureIn(await ask(() => generatedResult([{ type: 'file', mediaType: 'a/b', data: 7 }]))),
    ).toMatchObject(expected);
  });

  it('omit data of the server about the reply, and incomplete results', async () => {
    const { parts } = await streamedReply(
      { type: 'custom', kind: 'anthropic.message_start', providerMetadata: providerData('m') },
      { type: 'tool-result', toolCallId: 's', toolName: 'draw', result: 'half', preliminary: true },
      { type: 'tool-result', toolCallId: 's', toolName: 'draw', result: null },
    );
    expect(parts).toEqual([{ type: 'tool-result', id: 's', name: 'draw', result: null }]);
  });

  it('have distinct call ids', async () => {
    const { parts, toolCalls } = await streamedReply(
      call('a', 'f', '{}', { providerMetadata: providerData('1') }),
      call('a', 'g', '{}'),
    );
    expect(toolCalls.map(({ id }) => id)).toEqual(['a', 'a_2']);
    expect(parts?.map((part) => part.type === 'tool-call' && part.id)).toEqual(['a', 'a_2']);
  });

  it('make the reply invalid if their data is not JSON', async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const outcome = await ask(() =>
      generatedResult([{ type: 'text', text: 'a', providerMetadata: { maker: cyclic } }]),
    );
    expect(failureIn(outcome)).toMatchObject({
      failure: 'invalid-reply',
      message: "The model's reply holds a value that is not JSON.",
    });
  });
});

describe('the provider metadata of a reply', () => {
  it.each([
    [
      'reasoning of OpenRouter is sent back',
      { openrouter: { usage: { cost: 1 }, reasoning_details: [{ type: 'x' }], provider: 'p' } },
      { openrouter: { reasoning_details: [{ type: 'x' }] } },
    ],
    [
      'an empty list of OpenRouter is sent back',
      { openrouter: { reasoning_details: [] } },
      { openrouter: { reasoning_details: [] } },
    ],
    [
      'the Anthropic container is sent back',
      { anthropic: { usage: {}, container: { id: 'c', expiresAt: 'x', skills: null } } },
      { anthropic: { container: { id: 'c' } } },
    ],
    ['Anthropic counts are not sent back', { anthropic: { usage: {}, container: null } }, undefined],
    ['metadata of other providers is not sent back', { own: { acceptedPredictionTokens: 1 } }, undefined],
  ])('is sent back only if the provider needs it: %s', async (_, providerMetadata, provider) => {
    const reply = await wholeReply([{ type: 'text', text: 'a' }], { providerMetadata });
    expect(reply.provider).toEqual(provider);
    expect(reply.parts).toEqual(provider && [{ type: 'text', text: 'a' }]);
  });
});

describe('reasoning', () => {
  it('is streamed as it arrives, separate from the text', async () => {
    const { model } = fakeModel([
      () =>
        streamedResult([
          reasoningPart('delta', { delta: 'H' }),
          reasoningPart('delta', { delta: 'm' }),
          delta('Hi'),
          finish(),
        ]),
    ]);
    const heard: string[] = [];
    await fromAiSdk(model).ask(hello, {
      signal: new AbortController().signal,
      onText: (piece) => heard.push(`text ${piece}`),
      onReasoning: (piece) => heard.push(`reasoning ${piece}`),
    });
    expect(heard).toEqual(['reasoning H', 'reasoning m', 'text Hi']);
  });

  it('counts as output once it was streamed, so the request is not retried', async () => {
    const broken = () =>
      streamedResult([reasoningPart('delta', { delta: 'H' })], { broken: new TypeError('lost') });
    const good = () => streamedResult([delta('Hi'), finish()]);
    const { signal } = new AbortController();
    const heard = fakeModel([broken, good]);
    await expect(fromAiSdk(heard.model).ask(hello, { signal, onReasoning: () => {} })).rejects.toMatchObject({
      failure: 'truncated',
      outputBegan: true,
    });
    expect(heard.calls).toHaveLength(1);
    const pieces: string[] = [];
    const onText = (piece: string) => void pieces.push(piece);
    await fromAiSdkWithClock(fakeModel([broken, good]).model, {}, fakePace().pace).ask(hello, {
      signal,
      onText,
    });
    expect(pieces).toEqual(['Hi']);
  });
});

describe('a summary that the server made of the conversation', () => {
  const compaction = { anthropic: { type: 'compaction', signature: 's' } };
  const answers = {
    whole: () =>
      generatedResult([
        { type: 'text', text: 'In short: kelp.', providerMetadata: compaction },
        { type: 'text', text: 'Hi.' },
      ]),
    stream: () =>
      streamedResult([
        textPart('start', { providerMetadata: compaction }, '0'),
        textPart('delta', { delta: 'In short: ' }, '0'),
        textPart('delta', { delta: 'kelp.' }, '0'),
        textPart('end', {}, '0'),
        delta('Hi.'),
        finish(),
      ]),
  };

  it.each([false, true])('is sent back, but is not part of the answer (streaming: %s)', async (stream) => {
    const { pieces, ...outcome } = await ask(stream ? answers.stream : answers.whole, { stream });
    const { text, toolCalls, parts } = replyIn({ ...outcome, pieces });
    expect([text, pieces]).toEqual(['Hi.', stream ? ['Hi.'] : []]);
    const messages = [{ role: 'assistant', text, toolCalls, parts } as const];
    const { calls } = await ask(answers.stream, { stream: true, request: { messages, tools: [] } });
    expect(calls[0]?.prompt).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'In short: kelp.', providerOptions: compaction },
          { type: 'text', text: 'Hi.' },
        ],
      },
    ]);
  });
});

it('commentary before a structured answer is not part of the answer', async () => {
  const phase = (name: string) => ({ providerMetadata: { openai: { phase: name } } });
  const stream = () =>
    streamedResult([
      textPart('start', phase('commentary'), '0'),
      textPart('delta', { delta: 'Let me see. ' }, '0'),
      textPart('start', phase('final_answer'), '1'),
      textPart('delta', { delta: '{"a":1}' }, '1'),
      finish(),
    ]);
  const request = { ...hello, output: { name: 'a', schema: {} } };
  const structured = await ask(stream, { stream: true, request });
  expect([replyIn(structured).text, structured.pieces]).toEqual(['{"a":1}', ['{"a":1}']]);
  expect(replyIn(await ask(stream, { stream: true })).text).toBe('Let me see. {"a":1}');
});
