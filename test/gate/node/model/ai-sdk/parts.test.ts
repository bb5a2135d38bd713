import { describe, expect, it } from 'vitest';
import { fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';
import type { ModelReply, ReplyPart } from '../../../../../src/model/entry.ts';
import { createAiSdkModel } from '../../../../doors/model.ts';
import { createFakePace, hello } from '../openai-compatible/fake-server.ts';
import { getFailure, getReply } from '../settle.ts';
import {
  ask,
  createCallPart,
  createDelta,
  createFakeModel,
  createFinish,
  createGeneratedResult,
  createStreamedResult,
} from './fake-model.ts';

const askForWholeReply = async (content: unknown, more?: object) =>
  getReply(await ask(() => createGeneratedResult(content, more)));
const askForStreamedReply = async (...parts: readonly unknown[]) =>
  getReply(await ask(() => createStreamedResult([...parts, createFinish()]), { stream: true }));

const createProviderData = (id: string) => ({ maker: { id } });
const createReasoningPart = (step: string, more: object = {}, id = 'r') => ({
  type: `reasoning-${step}`,
  id,
  ...more,
});
const createTextPart = (step: string, more: object = {}, id = 't') => ({ type: `text-${step}`, id, ...more });

describe('the parts of a reply', () => {
  it('are equal for a whole reply and for a stream', async () => {
    const png = { type: 'data', data: 'aGk=' };
    const rest = [
      createCallPart('s', 'search', '{"q":1}', {
        providerExecuted: true,
        providerMetadata: createProviderData('c'),
      }),
      {
        type: 'tool-result',
        toolCallId: 's',
        toolName: 'search',
        result: { hits: [] },
        providerMetadata: createProviderData('s'),
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
      {
        type: 'reasoning-file',
        mediaType: 'image/png',
        data: png,
        providerMetadata: createProviderData('f'),
      },
      { type: 'file', mediaType: 'image/png', data: png },
      { type: 'custom', kind: 'maker.thing', providerMetadata: createProviderData('x') },
    ];
    const last = createCallPart('a', 'look', ' {"x": 1} ', { providerMetadata: createProviderData('l') });
    const parts: ReplyPart[] = [
      { type: 'reasoning', text: 'Hm.', provider: createProviderData('r') },
      {
        type: 'tool-call',
        id: 's',
        name: 'search',
        input: '{"q":1}',
        ranBy: 'provider',
        provider: createProviderData('c'),
      },
      {
        type: 'tool-result',
        id: 's',
        name: 'search',
        result: { hits: [] },
        provider: createProviderData('s'),
      },
      { type: 'tool-result', id: 's', name: 'search', result: 'no', isError: true },
      { type: 'source', id: '1', url: 'https://a.test', title: 'A' },
      { type: 'source', id: '2', mediaType: 'application/pdf', title: 'B', filename: 'b.pdf' },
      {
        type: 'file',
        mediaType: 'image/png',
        data: 'aGk=',
        ofReasoning: true,
        provider: createProviderData('f'),
      },
      { type: 'file', mediaType: 'image/png', data: 'aGk=' },
      { type: 'custom', kind: 'maker.thing', provider: createProviderData('x') },
      { type: 'text', text: 'See', provider: createProviderData('t') },
      { type: 'tool-call', id: 'a', name: 'look', input: ' {"x": 1} ', provider: createProviderData('l') },
    ];
    const expected: ModelReply = {
      text: 'See',
      toolCalls: [{ id: 'a', name: 'look', input: ' {"x": 1} ' }],
      parts,
      finish: 'tool-calls',
      usage: { inputTokens: 3, outputTokens: 4 },
    };
    const content = [
      { type: 'reasoning', text: 'Hm.', providerMetadata: createProviderData('r') },
      ...rest,
      { type: 'text', text: 'See', providerMetadata: createProviderData('t') },
      last,
    ];
    expect(await askForWholeReply(content)).toEqual(expected);
    const stream = [
      createReasoningPart('start'),
      createReasoningPart('delta', { delta: 'Hm' }),
      createReasoningPart('delta', { delta: '.', providerMetadata: createProviderData('r') }),
      createReasoningPart('end'),
      ...rest,
      createTextPart('start', { providerMetadata: createProviderData('t') }),
      createTextPart('delta', { delta: 'See' }),
      createTextPart('end'),
      last,
    ];
    expect(await askForStreamedReply(...stream)).toEqual(expected);
  });

  it('are in the order in which they started, even if two parts are streamed at the same time', async () => {
    const { parts } = await askForStreamedReply(
      createReasoningPart('start', {}, '1'),
      createReasoningPart('start', {}, '2'),
      createReasoningPart('delta', { delta: 'b' }, '2'),
      createReasoningPart('delta', { delta: 'a' }, '1'),
      createReasoningPart('end', {}, '1'),
      createReasoningPart('end', {}, '2'),
      // The id can be reused.
      createReasoningPart('start', {}, '1'),
      createReasoningPart('delta', { delta: 'c' }, '1'),
    );
    expect(parts).toEqual(['a', 'b', 'c'].map((text) => ({ type: 'reasoning', text })));
  });

  it('have the newest metadata, which replaces all earlier metadata', async () => {
    const { parts } = await askForStreamedReply(
      createReasoningPart('start', { providerMetadata: { maker: { half: 1, id: 'r' } } }),
      createReasoningPart('delta', { delta: 'Hm.' }),
      createReasoningPart('end', { providerMetadata: { maker: { whole: 2 } } }),
    );
    expect(parts).toEqual([{ type: 'reasoning', text: 'Hm.', provider: { maker: { whole: 2 } } }]);
  });

  it('can be empty if they have metadata, and are omitted otherwise', async () => {
    const expected = [
      { type: 'reasoning', text: '', provider: createProviderData('r') },
      { type: 'text', text: '', provider: createProviderData('t') },
    ];
    const stream = [
      createReasoningPart('start'),
      createReasoningPart('delta', { delta: '', providerMetadata: createProviderData('r') }),
      createReasoningPart('end'),
      createReasoningPart('start', {}, '2'),
      createReasoningPart('end', {}, '2'),
      createTextPart('start'),
      createTextPart('end', { providerMetadata: createProviderData('t') }),
      createTextPart('start', {}, '2'),
      createTextPart('end', {}, '2'),
    ];
    expect((await askForStreamedReply(...stream)).parts).toEqual(expected);
    const content = [
      { type: 'reasoning', text: '', providerMetadata: createProviderData('r') },
      { type: 'reasoning', text: '' },
      { type: 'text', text: '', providerMetadata: createProviderData('t') },
      { type: 'text', text: '' },
    ];
    expect((await askForWholeReply(content)).parts).toEqual(expected);
  });

  it('are omitted if the reply is only text followed by calls', async () => {
    expect(
      await askForStreamedReply(createTextPart('start'), createDelta('Hi.'), createCallPart('a', 'f', '{}')),
    ).not.toHaveProperty('parts');
    expect(await askForStreamedReply(createCallPart('a', 'f', '{}'), createDelta('Hi.'))).toHaveProperty(
      'parts',
    );
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
    const { parts = [] } = await askForWholeReply(files);
    expect(parts.map((part) => part.type === 'file' && part.data)).toEqual([
      'aGk=',
      'aGk=',
      'aGk=',
      'https://a.test/b.png',
      url,
    ]);
    const expected = { failure: 'invalid-reply', message: "The model's reply holds a file without data." };
    expect(
      getFailure(await ask(() => createGeneratedResult([{ type: 'file', mediaType: 'a/b', data: 7 }]))),
    ).toMatchObject(expected);
  });

  it('omit data of the server about the reply, and incomplete results', async () => {
    const { parts } = await askForStreamedReply(
      { type: 'custom', kind: 'anthropic.message_start', providerMetadata: createProviderData('m') },
      { type: 'tool-result', toolCallId: 's', toolName: 'draw', result: 'half', preliminary: true },
      { type: 'tool-result', toolCallId: 's', toolName: 'draw', result: null },
    );
    expect(parts).toEqual([{ type: 'tool-result', id: 's', name: 'draw', result: null }]);
  });

  it('have distinct call ids', async () => {
    const { parts, toolCalls } = await askForStreamedReply(
      createCallPart('a', 'f', '{}', { providerMetadata: createProviderData('1') }),
      createCallPart('a', 'g', '{}'),
    );
    expect(toolCalls.map(({ id }) => id)).toEqual(['a', 'a_2']);
    expect(parts?.map((part) => part.type === 'tool-call' && part.id)).toEqual(['a', 'a_2']);
  });

  it('make the reply invalid if their data is not JSON', async () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const outcome = await ask(() =>
      createGeneratedResult([{ type: 'text', text: 'a', providerMetadata: { maker: cyclic } }]),
    );
    expect(getFailure(outcome)).toMatchObject({
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
    const reply = await askForWholeReply([{ type: 'text', text: 'a' }], { providerMetadata });
    expect(reply.provider).toEqual(provider);
    expect(reply.parts).toEqual(provider && [{ type: 'text', text: 'a' }]);
  });
});

describe('reasoning', () => {
  it('is streamed as it arrives, separate from the text', async () => {
    const { model } = createFakeModel([
      () =>
        createStreamedResult([
          createReasoningPart('delta', { delta: 'H' }),
          createReasoningPart('delta', { delta: 'm' }),
          createDelta('Hi'),
          createFinish(),
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
    const streamBroken = () =>
      createStreamedResult([createReasoningPart('delta', { delta: 'H' })], { broken: new TypeError('lost') });
    const streamGood = () => createStreamedResult([createDelta('Hi'), createFinish()]);
    const { signal } = new AbortController();
    const heard = createFakeModel([streamBroken, streamGood]);
    await expect(fromAiSdk(heard.model).ask(hello, { signal, onReasoning: () => {} })).rejects.toMatchObject({
      failure: 'truncated',
      outputBegan: true,
    });
    expect(heard.calls).toHaveLength(1);
    const pieces: string[] = [];
    const onText = (piece: string) => void pieces.push(piece);
    await createAiSdkModel(createFakeModel([streamBroken, streamGood]).model, {}, createFakePace().pace).ask(
      hello,
      {
        signal,
        onText,
      },
    );
    expect(pieces).toEqual(['Hi']);
  });
});

describe('a summary that the server made of the conversation', () => {
  const compaction = { anthropic: { type: 'compaction', signature: 's' } };
  const answers = {
    whole: () =>
      createGeneratedResult([
        { type: 'text', text: 'In short: kelp.', providerMetadata: compaction },
        { type: 'text', text: 'Hi.' },
      ]),
    stream: () =>
      createStreamedResult([
        createTextPart('start', { providerMetadata: compaction }, '0'),
        createTextPart('delta', { delta: 'In short: ' }, '0'),
        createTextPart('delta', { delta: 'kelp.' }, '0'),
        createTextPart('end', {}, '0'),
        createDelta('Hi.'),
        createFinish(),
      ]),
  };

  it.each([false, true])('is sent back, but is not part of the answer (streaming: %s)', async (stream) => {
    const { pieces, ...outcome } = await ask(stream ? answers.stream : answers.whole, { stream });
    const { text, toolCalls, parts } = getReply({ ...outcome, pieces });
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
  const createPhase = (name: string) => ({ providerMetadata: { openai: { phase: name } } });
  const createPhaseStream = () =>
    createStreamedResult([
      createTextPart('start', createPhase('commentary'), '0'),
      createTextPart('delta', { delta: 'Let me see. ' }, '0'),
      createTextPart('start', createPhase('final_answer'), '1'),
      createTextPart('delta', { delta: '{"a":1}' }, '1'),
      createFinish(),
    ]);
  const request = { ...hello, output: { name: 'a', schema: {} } };
  const structured = await ask(createPhaseStream, { stream: true, request });
  expect([getReply(structured).text, structured.pieces]).toEqual(['{"a":1}', ['{"a":1}']]);
  expect(getReply(await ask(createPhaseStream, { stream: true })).text).toBe('Let me see. {"a":1}');
});
