import { describe, expect, it } from 'vitest';
import type { ModelReply } from '../../../../../src/model/entry.ts';
import {
  ask,
  askForFailure,
  askForReply,
  createBodyStream,
  createChoiceDelta,
  createCompletion,
  createStreamResponse,
  toSseText,
} from './fake-server.ts';

const askForStreamedReply = (...events: readonly unknown[]) =>
  askForReply(() => createStreamResponse(toSseText(...events)), { stream: true });
const askForWholeReply = (value: unknown) => askForReply(() => Response.json(value));
const createCallFragment = (fields: object, fn: object = {}) => ({ ...fields, function: fn });
const createCallDelta = (...fragments: readonly object[]) => createChoiceDelta({ tool_calls: fragments });
const end = createChoiceDelta({}, 'tool_calls');

describe('a reply', () => {
  it('is streamed in pieces that add up to its text', async () => {
    const events = [
      createChoiceDelta({ role: 'assistant', content: '' }),
      createChoiceDelta({ content: 'Hel' }),
      createChoiceDelta({ content: null }),
      createChoiceDelta({ content: 'lo' }),
      createChoiceDelta({}, 'stop'),
      { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } },
      '[DONE]',
    ];
    const { pieces, ...outcome } = await ask(() => createStreamResponse(toSseText(...events)), {
      stream: true,
    });
    expect(pieces).toEqual(['Hel', 'lo']);
    expect(outcome).toMatchObject({
      reply: { text: 'Hello', toolCalls: [], finish: 'stop', usage: { inputTokens: 9, outputTokens: 2 } },
    });
  });

  it.each<[string, object, string]>([
    ['a string', { content: 'hi' }, 'hi'],
    ['null', { content: null }, ''],
    ['absent', {}, ''],
    [
      'a list of parts',
      {
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      'ab',
    ],
  ])('is read from content that is %s', async (_, message, text) => {
    const reply: ModelReply = { text, toolCalls: [], finish: 'stop', usage: undefined };
    expect(await askForWholeReply(createCompletion(message))).toEqual(reply);
    expect(await askForStreamedReply(createChoiceDelta(message), createChoiceDelta({}, 'stop'))).toEqual(
      reply,
    );
  });

  it('consists of the refusal if the model refuses', async () => {
    const reply: ModelReply = {
      text: 'I cannot.',
      toolCalls: [],
      finish: 'content-filter',
      usage: undefined,
    };
    expect(await askForWholeReply(createCompletion({ content: null, refusal: 'I cannot.' }))).toEqual(reply);
    const events = [
      createChoiceDelta({ refusal: 'I can' }),
      createChoiceDelta({ refusal: 'not.' }),
      createChoiceDelta({}, 'stop'),
    ];
    const { pieces, ...outcome } = await ask(() => createStreamResponse(toSseText(...events)), {
      stream: true,
    });
    expect(pieces).toEqual(['I can', 'not.']);
    expect(outcome).toMatchObject({ reply });
  });

  it.each<[string | null, ModelReply['finish']]>([
    ['stop', 'stop'],
    ['tool_calls', 'tool-calls'],
    ['function_call', 'tool-calls'],
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['insufficient_system_resource', 'other'],
    [null, 'other'],
  ])('ends with finish_reason %j as %s', async (reason, finish) => {
    expect((await askForWholeReply(createCompletion({ content: 'x' }, reason))).finish).toBe(finish);
    if (reason !== null)
      expect((await askForStreamedReply(createChoiceDelta({ content: 'x' }, reason))).finish).toBe(finish);
  });

  it.each([
    [undefined, undefined],
    [null, undefined],
    [7, undefined],
    [{ prompt_tokens: 1 }, undefined],
    [{ prompt_tokens: -1, completion_tokens: 2 }, undefined],
    [{ prompt_tokens: '1', completion_tokens: 2 }, undefined],
    [
      { prompt_tokens: 0, completion_tokens: 2, total_tokens: 2 },
      { inputTokens: 0, outputTokens: 2 },
    ],
    [
      {
        prompt_tokens: 9,
        completion_tokens: 8,
        total_tokens: 17,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
      { inputTokens: 9, cachedInputTokens: 4, cacheWriteTokens: 3, outputTokens: 8, reasoningTokens: 5 },
    ],
    [
      { prompt_tokens: 9, completion_tokens: 8, prompt_cache_hit_tokens: 6, prompt_cache_miss_tokens: 3 },
      { inputTokens: 9, cachedInputTokens: 6, outputTokens: 8 },
    ],
    [
      { prompt_tokens: 9, completion_tokens: 8, cached_tokens: 6 },
      { inputTokens: 9, cachedInputTokens: 6, outputTokens: 8 },
    ],
    [
      // Some servers exclude reasoning tokens from completion tokens, and include them only in the total.
      {
        prompt_tokens: 9,
        completion_tokens: 8,
        total_tokens: 37,
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      { inputTokens: 9, outputTokens: 28, reasoningTokens: 20 },
    ],
    [
      {
        prompt_tokens: 9,
        completion_tokens: 8,
        prompt_tokens_details: { cached_tokens: 10 },
        completion_tokens_details: 'none',
      },
      { inputTokens: 9, outputTokens: 8 },
    ],
    [
      {
        prompt_tokens: 9,
        completion_tokens: 8,
        prompt_tokens_details: null,
        completion_tokens_details: { reasoning_tokens: -1 },
      },
      { inputTokens: 9, outputTokens: 8 },
    ],
  ])('comes with token counts that are derived from the usage %j: %j', async (usage, counted) => {
    expect((await askForWholeReply(createCompletion({ content: 'x' }, 'stop', { usage }))).usage).toEqual(
      counted,
    );
  });

  it('uses the last usage of a stream with cumulative usage, with or without choices', async () => {
    const createUsage = (n: number) => ({ usage: { prompt_tokens: 5, completion_tokens: n } });
    const events = [
      { ...createChoiceDelta({ content: 'x' }), ...createUsage(1) },
      { ...createChoiceDelta({}, 'stop'), usage: null },
      createUsage(2),
    ];
    expect((await askForStreamedReply(...events)).usage).toEqual({ inputTokens: 5, outputTokens: 2 });
  });
});

describe('the tool calls of a reply', () => {
  const createCall = (input: string, id = 'a') => ({ id, name: 'f', input });

  it.each<[string, readonly object[], ModelReply['toolCalls']]>([
    [
      'fragmented input',
      [
        createCallDelta(
          createCallFragment({ index: 0, id: 'a', type: 'function' }, { name: 'f', arguments: '' }),
        ),
        createCallDelta(createCallFragment({ index: 0 }, { arguments: '{"x"' })),
        createCallDelta(createCallFragment({ index: 0 }, { arguments: ':1}' })),
      ],
      [createCall('{"x":1}')],
    ],
    [
      'parallel calls that are interleaved by index',
      [
        createCallDelta(createCallFragment({ index: 0, id: 'a' }, { name: 'f', arguments: '{' })),
        createCallDelta(
          createCallFragment({ index: 1, id: 'b' }, { name: 'g', arguments: '{"y"' }),
          createCallFragment({ index: 0 }, { arguments: '"x":1' }),
        ),
        createCallDelta(createCallFragment({ index: 1 }, { arguments: ':2}' })),
        createCallDelta(createCallFragment({ index: 0 }, { arguments: '}' })),
      ],
      [createCall('{"x":1}'), { id: 'b', name: 'g', input: '{"y":2}' }],
    ],
    [
      'an id and a name in each fragment',
      [
        createCallDelta(createCallFragment({ index: 0, id: 'a' }, { name: 'f', arguments: '{"x"' })),
        createCallDelta(createCallFragment({ index: 0, id: 'a' }, { name: 'f', arguments: ':1}' })),
        createCallDelta(createCallFragment({ index: 0, id: 'a' }, { name: 'f', arguments: '' })),
      ],
      [createCall('{"x":1}')],
    ],
    [
      'fragments without an index',
      [
        createCallDelta(createCallFragment({ id: 'a' }, { name: 'f', arguments: '{"x"' })),
        createCallDelta(createCallFragment({}, { arguments: ':1}' })),
        createCallDelta(createCallFragment({ id: 'b' }, { name: 'f', arguments: '{}' })),
      ],
      [createCall('{"x":1}'), createCall('{}', 'b')],
    ],
    [
      'whole calls without an index or ids',
      [
        createCallDelta(
          createCallFragment({}, { name: 'f', arguments: '{"x":1}' }),
          createCallFragment({}, { name: 'f', arguments: '{"x":2}' }),
        ),
        createCallDelta(createCallFragment({}, { name: 'g', arguments: '' })),
        createCallDelta(createCallFragment({}, { name: 'h', arguments: '' })),
      ],
      [
        createCall('{"x":1}', 'call_0'),
        createCall('{"x":2}', 'call_1'),
        { id: 'call_2', name: 'g', input: '' },
        { id: 'call_3', name: 'h', input: '' },
      ],
    ],
    [
      'whole calls that all have index 0',
      [
        createCallDelta(createCallFragment({ index: 0, id: 'a' }, { name: 'f', arguments: '{}' })),
        createCallDelta(createCallFragment({ index: 0, id: 'b' }, { name: 'f', arguments: '{}' })),
      ],
      [createCall('{}', 'a'), createCall('{}', 'b')],
    ],
    [
      'whole calls without input that all have index 0',
      [
        createCallDelta(createCallFragment({ index: 0, id: 'a' }, { name: 'f', arguments: '' })),
        createCallDelta(createCallFragment({ index: 0, id: 'b' }, { name: 'f', arguments: '' })),
      ],
      [createCall('', 'a'), createCall('', 'b')],
    ],
    [
      'repeated ids',
      [
        createCallDelta(createCallFragment({ index: 0, id: 'a' }, { name: 'f', arguments: '{}' })),
        createCallDelta(createCallFragment({ index: 1, id: 'a' }, { name: 'f', arguments: '{}' })),
        createCallDelta(createCallFragment({ index: 2, id: 'a_2' }, { name: 'f', arguments: '{}' })),
        createCallDelta(createCallFragment({ index: 3, id: 'a' }, { name: 'f', arguments: '{}' })),
      ],
      [createCall('{}', 'a'), createCall('{}', 'a_2'), createCall('{}', 'a_2_2'), createCall('{}', 'a_3')],
    ],
    [
      'an id that follows the name, and null values',
      [
        createCallDelta(createCallFragment({ index: 0, id: null }, { name: 'f', arguments: null })),
        createCallDelta(createCallFragment({ index: 0, id: 'a' }, { name: null, arguments: '{}' })),
      ],
      [createCall('{}')],
    ],
    [
      'input that is not JSON',
      [createCallDelta(createCallFragment({ index: 0, id: 'a' }, { name: 'f', arguments: '{oops' }))],
      [createCall('{oops')],
    ],
    [
      'names of prototypes',
      [
        createCallDelta(
          createCallFragment(
            { index: 0, id: '__proto__' },
            { name: 'constructor', arguments: '{"__proto__":1}' },
          ),
        ),
      ],
      [{ id: '__proto__', name: 'constructor', input: '{"__proto__":1}' }],
    ],
  ])('are read from a stream with %s', async (_, events, toolCalls) => {
    const expected: ModelReply = { text: '', toolCalls, finish: 'tool-calls', usage: undefined };
    expect(await askForStreamedReply(...events, end, '[DONE]')).toEqual(expected);
  });

  it('are also read from a response that is not streamed, even if it also has text', async () => {
    const now = createCallFragment({}, { name: 'now', arguments: '' });
    const reply = await askForWholeReply(
      createCompletion({ content: 'Wait.', tool_calls: [now, now, { ...now, id: 'x' }] }, 'tool_calls'),
    );
    expect(reply).toEqual({
      text: 'Wait.',
      toolCalls: [
        { id: 'call_0', name: 'now', input: '' },
        { id: 'call_1', name: 'now', input: '' },
        { id: 'x', name: 'now', input: '' },
      ],
      finish: 'tool-calls',
      usage: undefined,
    });
  });

  it('change the finish from stop to tool-calls, but not if the reply was cut off', async () => {
    const events = createCallDelta(
      createCallFragment({ index: 0, id: 'a' }, { name: 'f', arguments: '{"x' }),
    );
    expect((await askForStreamedReply(events, createChoiceDelta({}, 'stop'))).finish).toBe('tool-calls');
    expect((await askForStreamedReply(events, createChoiceDelta({}, 'length'))).finish).toBe('length');
  });
});

describe('a response from a server', () => {
  it('can be JSON instead of the requested stream, and the text is one piece', async () => {
    const { pieces, ...outcome } = await ask(() => Response.json(createCompletion({ content: 'hi there' })), {
      stream: true,
    });
    expect(pieces).toEqual(['hi there']);
    expect(outcome).toMatchObject({ reply: { text: 'hi there', finish: 'stop' } });
  });

  it('can be a stream instead of the requested JSON', async () => {
    const reply = await askForReply(() =>
      createStreamResponse(
        toSseText(createChoiceDelta({ content: 'a' }), createChoiceDelta({ content: 'b' }, 'stop')),
      ),
    );
    expect(reply.text).toBe('ab');
  });

  it('has the requested format if there is no content type', async () => {
    const events = toSseText(createChoiceDelta({ content: 'a' }, 'stop'));
    expect((await askForReply(() => new Response(createBodyStream([events])), { stream: true })).text).toBe(
      'a',
    );
    const json = JSON.stringify(createCompletion({ content: 'b' }));
    expect((await askForReply(() => new Response(createBodyStream([json])))).text).toBe('b');
  });

  it('is complete after a finish_reason, even without [DONE], a last empty line and a clean end', async () => {
    const last = toSseText(createChoiceDelta({ content: 'a' }, 'stop'));
    for (const text of [last, last.trimEnd(), `${last}data: [DONE]`, `\uFEFF: ping\r\n\r\n${last}`]) {
      expect((await askForReply(() => createStreamResponse(text), { stream: true })).text).toBe('a');
    }
    expect((await askForReply(() => createStreamResponse(last, 'break'), { stream: true })).text).toBe('a');
    expect(
      (await askForReply(() => createStreamResponse(last, 'hang'), { stream: true, timeout: 20 })).text,
    ).toBe('a');
  });

  it('is complete after [DONE], even without a finish_reason', async () => {
    const usage = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } };
    const counted = { usage: { inputTokens: 3, outputTokens: 2 } };
    expect(
      await askForStreamedReply(
        createChoiceDelta({ content: 'hi ' }),
        createChoiceDelta({ content: 'there' }),
        usage,
        '[DONE]',
      ),
    ).toEqual({
      text: 'hi there',
      toolCalls: [],
      finish: 'stop',
      ...counted,
    });
    const called = createCallDelta(
      createCallFragment({ index: 0, id: 'a' }, { name: 'f', arguments: '{"x":' }),
      createCallFragment({ index: 0 }, { arguments: '1}' }),
      createCallFragment({ index: 1, id: 'b' }, { name: 'now' }),
    );
    expect(await askForStreamedReply(called, usage, '[DONE]')).toEqual({
      text: '',
      toolCalls: [
        { id: 'a', name: 'f', input: '{"x":1}' },
        { id: 'b', name: 'now', input: '' },
      ],
      finish: 'tool-calls',
      ...counted,
    });
  });

  it.each<[string, readonly unknown[]]>([
    ['has no content', [createChoiceDelta({ role: 'assistant' })]],
    ['has empty content', []],
    [
      'breaks off inside a call',
      [createCallDelta(createCallFragment({ index: 0, id: 'a' }, { name: 'f', arguments: '{"x":1' }))],
    ],
    [
      'breaks off inside its second call',
      [
        createChoiceDelta({ content: 'I pay.' }),
        createCallDelta(createCallFragment({ index: 0, id: 'a' }, { name: 'f', arguments: '{}' })),
        createCallDelta(createCallFragment({ index: 1, id: 'b' }, { name: 'f', arguments: '{"x":[1,' })),
      ],
    ],
  ])('is truncated if it ends with only [DONE] and %s', async (_, events) => {
    expect(await askForFailure(() => createStreamResponse(toSseText(...events, '[DONE]')))).toMatchObject({
      failure: 'truncated',
      message: "The model's reply ended before it was complete.",
    });
  });

  it('is not read after [DONE], and its reader is released', async () => {
    let cancelled = false;
    const answer = () =>
      createStreamResponse(
        toSseText(createChoiceDelta({ content: 'a' }, 'stop'), '[DONE]', createChoiceDelta({ content: 'b' })),
        'hang',
        () => {
          cancelled = true;
        },
      );
    expect((await askForReply(answer, { stream: true })).text).toBe('a');
    expect(cancelled).toBe(true);
  });
});
