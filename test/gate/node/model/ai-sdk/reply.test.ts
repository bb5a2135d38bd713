import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelReply } from '../../../../../src/model/entry.ts';
import { MAX_REPLY_LENGTH } from '../../../../doors/model.ts';
import { hello } from '../openai-compatible/fake-server.ts';
import { getFailure, getReply } from '../settle.ts';
import {
  ask,
  createCallPart,
  createDelta,
  createFinish,
  createGeneratedResult,
  createGeneratedText,
  createStreamedResult,
  createUsage,
} from './fake-model.ts';

const askForWholeReply = async (content: unknown, more?: object) =>
  getReply(await ask(() => createGeneratedResult(content, more)));
const askForStreamedReply = async (...parts: readonly unknown[]) =>
  getReply(await ask(() => createStreamedResult(parts), { stream: true }));

const expectedUsage = { inputTokens: 3, outputTokens: 4 };

describe('the text of a reply', () => {
  it('contains its text parts in order, without other parts', async () => {
    const content = [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Grüße, ' },
      { type: 'source', sourceType: 'url', id: 's', url: 'https://a.test' },
      { type: 'text', text: '世界 🌊' },
      { type: 'a part of tomorrow' },
    ];
    const reply: ModelReply = { text: 'Grüße, 世界 🌊', toolCalls: [], finish: 'stop', usage: expectedUsage };
    expect(await askForWholeReply(content)).toEqual({
      ...reply,
      parts: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Grüße, ' },
        { type: 'source', id: 's', url: 'https://a.test' },
        { type: 'text', text: '世界 🌊' },
      ],
    });
  });

  it('is streamed as it arrives, without other parts', async () => {
    const parts = [
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'r' },
      { type: 'reasoning-delta', id: '0', delta: 'Hm.' },
      { type: 'text-start', id: '1' },
      createDelta('Grüße, '),
      createDelta(''),
      { type: 'ping' },
      { type: 'raw', rawValue: { text: 'raw' } },
      createDelta('世界'),
      { type: 'text-end', id: '1' },
      'not a part',
      null,
      [],
      { type: 'a part of tomorrow', delta: 7 },
      createFinish(),
    ];
    const { pieces, ...outcome } = await ask(() => createStreamedResult(parts), { stream: true });
    expect(outcome).toMatchObject({
      reply: { text: 'Grüße, 世界', toolCalls: [], finish: 'stop', usage: expectedUsage },
    });
    expect(pieces).toEqual(['Grüße, ', '世界']);
  });

  it('is the text that the provider chose for the output schema', async () => {
    const drafts = createGeneratedResult(
      [
        { type: 'text', text: 'Draft. ' },
        { type: 'text', text: '{}' },
      ],
      {
        structuredOutputText: '{"a":1}',
      },
    );
    const request = { ...hello, output: { name: 'a', schema: {} } };
    expect(getReply(await ask(() => drafts, { request })).text).toBe('{"a":1}');
    expect(getReply(await ask(() => drafts)).text).toBe('Draft. {}');
  });
});

describe('the finish of a reply', () => {
  it.each<[unknown, ModelReply['finish']]>([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content-filter', 'content-filter'],
    ['tool-calls', 'tool-calls'],
    ['other', 'other'],
    ['a reason of tomorrow', 'other'],
    [null, 'other'],
    [{}, 'other'],
  ])('is derived from the reason %j: %s', async (unified, expected) => {
    expect((await askForStreamedReply(createDelta('a'), createFinish(unified))).finish).toBe(expected);
    const content = [{ type: 'text', text: 'a' }];
    expect((await askForWholeReply(content, { finishReason: { unified, raw: undefined } })).finish).toBe(
      expected,
    );
  });

  it('is `other` if the model gives no reason', async () => {
    expect((await askForWholeReply([], { finishReason: undefined })).finish).toBe('other');
  });

  it('is `tool-calls` if the server reports `stop`, but not if the reply was cut off', async () => {
    expect((await askForStreamedReply(createCallPart('a', 'f', '{}'), createFinish('stop'))).finish).toBe(
      'tool-calls',
    );
    expect((await askForStreamedReply(createCallPart('a', 'f', '{"x'), createFinish('length'))).finish).toBe(
      'length',
    );
  });

  it('is the first finish part: later parts are not read, and the stream is cancelled', async () => {
    let cancelled = false;
    const parts = [createDelta('a'), createFinish(), createDelta('b'), createFinish('length')];
    const answer = () =>
      createStreamedResult(parts, 'hang', () => {
        cancelled = true;
      });
    expect(getReply(await ask(answer, { stream: true }))).toMatchObject({ text: 'a', finish: 'stop' });
    expect(cancelled).toBe(true);
  });

  it.each([
    [createUsage(0, 2), { inputTokens: 0, outputTokens: 2 }],
    [createUsage(1, undefined), undefined],
    [createUsage(-1, 2), undefined],
    [createUsage(1.5, 2), undefined],
    [createUsage('1', 2), undefined],
    [
      createUsage(9, 8, { cacheRead: 4, cacheWrite: 5, reasoning: 8 }),
      { inputTokens: 9, cachedInputTokens: 4, cacheWriteTokens: 5, outputTokens: 8, reasoningTokens: 8 },
    ],
    [createUsage(9, 8, { cacheRead: 0, cacheWrite: 0, reasoning: 0 }), { inputTokens: 9, outputTokens: 8 }],
    [createUsage(9, 8, { cacheRead: 10, reasoning: 9 }), { inputTokens: 9, outputTokens: 8 }],
    [createUsage(9, 8, { cacheRead: 5, cacheWrite: 5, reasoning: -1 }), { inputTokens: 9, outputTokens: 8 }],
    [
      createUsage(9, 8, { cacheRead: '4', cacheWrite: 5 }),
      { inputTokens: 9, cacheWriteTokens: 5, outputTokens: 8 },
    ],
    [{ inputTokens: 1, outputTokens: 2 }, undefined],
    [7, undefined],
    [null, undefined],
  ])('comes with token counts that are derived from the usage %j: %j', async (given, expected) => {
    expect((await askForStreamedReply(createDelta('a'), createFinish('stop', given))).usage).toEqual(
      expected,
    );
    expect((await askForWholeReply([], { usage: given })).usage).toEqual(expected);
  });
});

describe('the tool calls of a reply', () => {
  it.each<[string, readonly unknown[], ModelReply['toolCalls']]>([
    [
      'input that is text',
      [createCallPart('a', 'f', ' {"x": 1} ')],
      [{ id: 'a', name: 'f', input: ' {"x": 1} ' }],
    ],
    ['input that is not JSON', [createCallPart('a', 'f', '{oops')], [{ id: 'a', name: 'f', input: '{oops' }]],
    [
      'input that is already parsed',
      [
        createCallPart('a', 'f', { x: 1 }),
        createCallPart('b', 'f', undefined),
        createCallPart('c', 'f', null),
        createCallPart('d', 'f', 7),
      ],
      [
        { id: 'a', name: 'f', input: '{"x":1}' },
        { id: 'b', name: 'f', input: '' },
        { id: 'c', name: 'f', input: '' },
        { id: 'd', name: 'f', input: '7' },
      ],
    ],
    [
      'missing and repeated ids',
      [
        createCallPart(undefined, 'f', '{}'),
        createCallPart('', 'f', '{}'),
        createCallPart('a', 'f', '{}'),
        createCallPart('a', 'g', '{}'),
      ],
      [
        { id: 'call_0', name: 'f', input: '{}' },
        { id: 'call_1', name: 'f', input: '{}' },
        { id: 'a', name: 'f', input: '{}' },
        { id: 'a_2', name: 'g', input: '{}' },
      ],
    ],
    [
      'calls that the provider runs itself, which are omitted',
      [
        createCallPart('a', 'search', '{}', { providerExecuted: true }),
        { type: 'tool-result', toolCallId: 'a', toolName: 'search', result: {} },
        createCallPart('b', 'f', '{}', { providerExecuted: false }),
      ],
      [{ id: 'b', name: 'f', input: '{}' }],
    ],
    [
      'names of prototypes',
      [createCallPart('__proto__', 'constructor', '{"__proto__":1}')],
      [{ id: '__proto__', name: 'constructor', input: '{"__proto__":1}' }],
    ],
  ])('are read with %s', async (_, calls, toolCalls) => {
    expect((await askForWholeReply(calls)).toolCalls).toEqual(toolCalls);
    const noise = [
      { type: 'tool-input-start', id: 'a', toolName: 'f' },
      { type: 'tool-input-delta', id: 'a', delta: '{"half' },
      { type: 'tool-input-end', id: 'a' },
    ];
    expect((await askForStreamedReply(...noise, ...calls, createFinish('tool-calls'))).toolCalls).toEqual(
      toolCalls,
    );
  });

  it('are read if the reply also has text', async () => {
    expect(
      await askForStreamedReply(
        createDelta('Wait.'),
        createCallPart('a', 'f', '{}'),
        createFinish('tool-calls'),
      ),
    ).toEqual({
      text: 'Wait.',
      toolCalls: [{ id: 'a', name: 'f', input: '{}' }],
      finish: 'tool-calls',
      usage: expectedUsage,
    });
  });
});

describe('invalid data from a model', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const noObject = "The model's reply is not an object.";

  it.each<[string, unknown, string]>([
    ['undefined', undefined, noObject],
    ['text', 'hi', noObject],
    ['a list', [], noObject],
    [
      'content that is not a list',
      createGeneratedResult({}),
      "The model's reply holds 'content' that is not a list.",
    ],
    [
      'a part that is not an object',
      createGeneratedResult(['hi']),
      "The model's reply holds a content part that is not an object.",
    ],
    [
      'text that is not a string',
      createGeneratedText(7),
      "The model's reply holds a 'text' that is not a string.",
    ],
  ])('%s is an invalid reply, and is not retried', async (_, result, message) => {
    const outcome = await ask(() => result);
    expect(getFailure(outcome)).toMatchObject({ failure: 'invalid-reply', message, outputBegan: false });
    expect(outcome.calls).toHaveLength(1);
  });

  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'The model returned no stream.'],
    ['a whole result', createGeneratedText('hi'), 'The model returned no stream.'],
    ['a stream of another type', { stream: {} }, 'The model returned no stream.'],
    [
      'a piece that is not a string',
      createStreamedResult([createDelta(7)]),
      "The model's reply holds a 'delta' that is not a string.",
    ],
  ])('%s is an invalid stream, and is not retried', async (_, result, message) => {
    const outcome = await ask(() => result, { stream: true });
    expect(getFailure(outcome)).toMatchObject({ failure: 'invalid-reply', message, outputBegan: false });
    expect(outcome.calls).toHaveLength(1);
  });

  it.each<[string, object, string]>([
    [
      'a missing name',
      createCallPart('a', undefined, '{}'),
      "The model's reply asks for a tool without naming it.",
    ],
    [
      'a name that is not a string',
      createCallPart('a', 7, '{}'),
      "The model's reply holds a 'toolName' that is not a string.",
    ],
    [
      'an id that is not a string',
      createCallPart(7, 'f', '{}'),
      "The model's reply holds a 'toolCallId' that is not a string.",
    ],
    ['a cyclic input', createCallPart('a', 'f', cyclic), "The model's reply holds a value that is not JSON."],
    ['a symbol', createCallPart('a', 'f', Symbol('x')), "The model's reply holds a value that is not JSON."],
    ['a bigint', createCallPart('a', 'f', 7n), "The model's reply holds a value that is not JSON."],
  ])('%s in a call is an invalid reply', async (_, bad, message) => {
    const expected = { failure: 'invalid-reply', message };
    expect(getFailure(await ask(() => createGeneratedResult([bad])))).toMatchObject(expected);
    const streamParts = () => createStreamedResult([bad, createFinish('tool-calls')]);
    expect(getFailure(await ask(streamParts, { stream: true }))).toMatchObject(expected);
  });

  it('is abandoned above the size limit, and its stream is cancelled', async () => {
    let cancelled = false;
    const endless = Array.from({ length: 12 }, () => createDelta('x'.repeat(1024 * 1024)));
    const answer = () =>
      createStreamedResult(endless, 'hang', () => {
        cancelled = true;
      });
    expect(getFailure(await ask(answer, { stream: true }))).toMatchObject({
      failure: 'invalid-reply',
      message: `The model's reply is longer than ${MAX_REPLY_LENGTH} characters.`,
    });
    expect(cancelled).toBe(true);
  });

  it('leads to a reply or a ModelError, regardless of its form', async () => {
    const shape = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(null, undefined, '', 'stop', 0, 7n, true, 'text', 'finish', Symbol.iterator),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.record(
          {
            type: fc.constantFrom('text', 'text-delta', 'tool-call', 'finish', 'error', 'raw'),
            text: tie('value'),
            delta: tie('value'),
            toolCallId: tie('value'),
            toolName: tie('value'),
            input: tie('value'),
            error: tie('value'),
            message: tie('value'),
            statusCode: tie('value'),
            responseHeaders: tie('value'),
            finishReason: tie('value'),
            usage: tie('value'),
          },
          { requiredKeys: [] },
        ),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(fc.array(shape, { maxLength: 4 }), fc.boolean(), async (parts, stream) => {
        const answer = () =>
          stream ? createStreamedResult(parts) : createGeneratedResult(parts, { finishReason: parts[0] });
        const outcome = await ask(answer, { stream, retries: 0 });
        expect('reply' in outcome || outcome.error.name === 'ModelError').toBe(true);
        const thrown = await ask(() => Promise.reject(parts[0]), { stream, retries: 0 });
        expect('error' in thrown && thrown.error.name).toBe('ModelError');
      }),
      { seed: 20_261_117, numRuns: 300 },
    );
  });
});
