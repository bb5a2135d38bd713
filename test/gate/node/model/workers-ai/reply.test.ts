import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelReply } from '../../../../../src/model/entry.ts';
import { MAX_STREAM_BYTES } from '../../../../doors/model.ts';
import {
  createBodyStream,
  createChoiceDelta,
  createCompletion,
  hello,
  toSseText,
} from '../openai-compatible/fake-server.ts';
import { getFailure, getReply } from '../settle.ts';
import { ask } from './fake-binding.ts';

const DONE_EVENT = '[DONE]';
const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
const expectedUsage = { inputTokens: 3, outputTokens: 4 };
const callOfF = (id: string, input: string) => ({ id, name: 'f', input });

const askForWholeReply = async (reply: unknown) => getReply(await ask(() => reply));
const askForStreamedReply = async (...events: readonly unknown[]) =>
  ask(() => createBodyStream([toSseText(...events)]), { stream: true });

describe('a whole reply', () => {
  it.each<[string, unknown, Partial<ModelReply>]>([
    ['in the native format', { response: 'hi', usage }, { text: 'hi', usage: expectedUsage }],
    [
      'in the native format, without calls',
      { response: 'hi', tool_calls: [], usage },
      { text: 'hi', usage: expectedUsage },
    ],
    [
      'in the OpenAI format',
      createCompletion({ content: 'hi' }, 'stop', { usage }),
      { text: 'hi', usage: expectedUsage },
    ],
    [
      'with a count of cached tokens',
      { response: 'hi', usage: { ...usage, prompt_tokens_details: { cached_tokens: 2 } } },
      { text: 'hi', usage: { ...expectedUsage, cachedInputTokens: 2 } },
    ],
    ['that is only a string', 'hi', { text: 'hi' }],
    ['in JSON mode, already parsed', { response: { mood: 'good' } }, { text: '{"mood":"good"}' }],
    ['in JSON mode, as text', { response: '{"mood":"good"}' }, { text: '{"mood":"good"}' }],
    ['that is a number', { response: 42 }, { text: '42' }],
    ['without usage', { response: 'hi', usage: null }, { text: 'hi' }],
    ['that was cut off', createCompletion({ content: 'hi' }, 'length'), { text: 'hi', finish: 'length' }],
    ['with a finish reason', { response: 'hi', finish_reason: 'length' }, { text: 'hi', finish: 'length' }],
  ])('%s is read', async (_, reply, expected) => {
    expect(await askForWholeReply(reply)).toEqual({
      text: '',
      toolCalls: [],
      finish: 'stop',
      usage: undefined,
      ...expected,
    });
  });

  it.each<[string, unknown, ModelReply['toolCalls']]>([
    [
      'flat calls whose input is parsed',
      {
        response: null,
        tool_calls: [
          { name: 'f', arguments: { x: 1 } },
          { name: 'f', arguments: '{"x":2}' },
          { name: 'f', arguments: {} },
          { name: 'f' },
        ],
      },
      [
        callOfF('call_0', '{"x":1}'),
        callOfF('call_1', '{"x":2}'),
        callOfF('call_2', '{}'),
        callOfF('call_3', ''),
      ],
    ],
    [
      'calls in the OpenAI format',
      {
        response: '',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      },
      [callOfF('a', '{"x":1}')],
    ],
    [
      'calls in the OpenAI format whose input is parsed',
      createCompletion({
        content: null,
        tool_calls: [{ id: 'a', function: { name: 'f', arguments: { x: 1 } } }],
      }),
      [callOfF('a', '{"x":1}')],
    ],
    [
      'a repeated id',
      {
        tool_calls: [
          { id: 'functions.f:0', name: 'f', arguments: {} },
          { id: 'functions.f:0', name: 'f', arguments: {} },
        ],
      },
      [callOfF('functions.f:0', '{}'), callOfF('functions.f:0_2', '{}')],
    ],
    [
      'names of prototypes',
      { tool_calls: [{ id: '__proto__', name: 'constructor', arguments: '{"__proto__":1}' }] },
      [{ id: '__proto__', name: 'constructor', input: '{"__proto__":1}' }],
    ],
  ])('is read with %s', async (_, reply, toolCalls) => {
    expect(await askForWholeReply(reply)).toEqual({
      text: '',
      toolCalls,
      finish: 'tool-calls',
      usage: undefined,
    });
  });

  it('is one piece if the model does not stream', async () => {
    const outcome = await ask(() => ({ response: 'hi there' }), { stream: true });
    expect([getReply(outcome).text, outcome.pieces]).toEqual(['hi there', ['hi there']]);
    const request = { ...hello, output: { name: 'mood', schema: {} } };
    const formed = await ask(() => ({ response: { mood: 'good' } }), { stream: true, request });
    expect(formed.pieces).toEqual(['{"mood":"good"}']);
  });
});

describe('a stream', () => {
  it('is passed on as it arrives in the native format, and ends with [DONE]', async () => {
    const { pieces, ...outcome } = await askForStreamedReply(
      { response: 'Grüße', p: 'abcdef' },
      { response: '', p: 'abc' },
      { response: ', 世界' },
      { response: 4 },
      { response: '', usage },
      DONE_EVENT,
      { response: 'nothing more' },
    );
    expect(outcome).toMatchObject({
      reply: { text: 'Grüße, 世界4', toolCalls: [], finish: 'stop', usage: expectedUsage },
    });
    expect(pieces).toEqual(['Grüße', ', 世界', '4']);
  });

  it('ends with a finish_reason in OpenAI’s format', async () => {
    const events = [
      createChoiceDelta({ content: 'a' }),
      createChoiceDelta({ content: 'b' }, 'length'),
      { choices: [], usage },
    ];
    expect(getReply(await askForStreamedReply(...events, DONE_EVENT))).toEqual({
      text: 'ab',
      toolCalls: [],
      finish: 'length',
      usage: expectedUsage,
    });
    expect(getReply(await askForStreamedReply(...events)).text).toBe('ab');
  });

  it('can end with only [DONE] in OpenAI’s format', async () => {
    expect(
      getReply(await askForStreamedReply(createChoiceDelta({ content: 'a' }), DONE_EVENT)),
    ).toMatchObject({
      text: 'a',
      finish: 'stop',
    });
  });

  it.each<[string, readonly unknown[]]>([
    [
      'fragments in the native format',
      [
        { response: '', tool_calls: [{ id: 'a', type: 'function', index: 0, function: { name: 'f' } }] },
        { tool_calls: [{ index: 0, function: { arguments: '{"x"' } }] },
        { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
        { tool_calls: [{ index: 1, id: 'b', function: { name: 'f', arguments: '{}' } }] },
        { tool_calls: [{ id: null, type: null, index: 2, function: { name: null, arguments: '' } }] },
        { response: '', usage },
        DONE_EVENT,
      ],
    ],
    [
      'whole flat calls',
      [
        {
          tool_calls: [
            { id: 'a', name: 'f', arguments: { x: 1 } },
            { id: 'b', name: 'f', arguments: {} },
          ],
        },
        { response: '', usage },
        DONE_EVENT,
      ],
    ],
    [
      'fragments in the OpenAI format',
      [
        createChoiceDelta({
          tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":' } }],
        }),
        createChoiceDelta({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
        createChoiceDelta(
          { tool_calls: [{ index: 1, id: 'b', function: { name: 'f', arguments: {} } }] },
          'tool_calls',
        ),
        { choices: [], usage },
      ],
    ],
  ])('is read with %s', async (_, events) => {
    expect(getReply(await askForStreamedReply(...events))).toEqual({
      text: '',
      toolCalls: [callOfF('a', '{"x":1}'), callOfF('b', '{}')],
      finish: 'tool-calls',
      usage: expectedUsage,
    });
  });

  it('is read completely, regardless of its division into chunks', async () => {
    const bytes = new TextEncoder().encode(
      toSseText({ response: 'Grüße 🌊' }, { response: '', usage }, DONE_EVENT),
    );
    for (let size = 1; size <= 9; size += 1) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.slice(at * size, (at + 1) * size),
      );
      expect(getReply(await ask(() => createBodyStream(chunks), { stream: true })).text).toBe('Grüße 🌊');
    }
  });
});

describe('an invalid reply', () => {
  const neither = "The model's reply has neither a response nor choices.";
  const notAnObject = "The model's reply is not a JSON object.";

  it.each<[string, unknown, string]>([
    ['undefined', undefined, notAnObject],
    ['null', null, notAnObject],
    ['a list', ['hi'], notAnObject],
    ['an empty object', {}, neither],
    ['a queued job', { request_id: 'r' }, neither],
    [
      'calls that are not a list',
      { tool_calls: {} },
      "The model's reply holds 'tool_calls' that is not a list.",
    ],
    [
      'a call that is not an object',
      { tool_calls: ['f'] },
      "The model's reply holds a tool call that is not an object.",
    ],
    [
      'a call whose function is not an object',
      { tool_calls: [{ function: 'f' }] },
      "The model's reply holds a tool call whose 'function' is not an object.",
    ],
    [
      'a call without a name',
      { tool_calls: [{ id: 'a', arguments: {} }] },
      "The model's reply asks for a tool without naming it.",
    ],
    ['choices that are not a list', { choices: {} }, "The model's reply holds 'choices' that is not a list."],
    ['an empty list of choices', { choices: [] }, "The model's reply has no choices."],
    [
      'a finish reason that is not a string',
      { response: 'hi', finish_reason: 7 },
      "The model's reply holds a 'finish_reason' that is not a string.",
    ],
    ['a bigint', { response: { n: 7n } }, "The model's reply holds a value that is not JSON."],
  ])('is not retried: %s', async (_, reply, message) => {
    const outcome = await ask(() => reply);
    expect(getFailure(outcome)).toMatchObject({ failure: 'invalid-reply', message, outputBegan: false });
    expect(outcome.runs).toHaveLength(1);
  });

  it.each<[string, unknown, string]>([
    ['text', 'not json', "The model's reply is not JSON."],
    ['a number', 7, notAnObject],
    ['an empty object', {}, neither],
  ])('causes a ModelError if it is in a stream: %s', async (_, event, message) => {
    expect(getFailure(await askForStreamedReply(event, DONE_EVENT))).toMatchObject({
      failure: 'invalid-reply',
      message,
    });
  });

  it('causes a ModelError if its stream contains values other than bytes', async () => {
    const stream = new ReadableStream<unknown>({
      start(controller) {
        controller.enqueue('data: {}');
        controller.close();
      },
    });
    expect(getFailure(await ask(() => stream, { stream: true }))).toMatchObject({
      failure: 'invalid-reply',
      message: "The model's reply is not a stream of bytes.",
    });
  });

  it('causes a ModelError if its stream exceeds the size limit, and the stream is cancelled', async () => {
    let cancelled = false;
    const chunks = Array.from({ length: 70 }, () => `: ${'x'.repeat(1024 * 1024)}\n\n`);
    const answer = () =>
      createBodyStream(chunks, 'hang', () => {
        cancelled = true;
      });
    expect(getFailure(await ask(answer, { stream: true }))).toMatchObject({
      failure: 'invalid-reply',
      message: `The model's reply is larger than ${MAX_STREAM_BYTES} bytes.`,
    });
    expect(cancelled).toBe(true);
  });

  it('is read as a reply or causes a ModelError, in any form', async () => {
    const keys = [
      'response',
      'tool_calls',
      'name',
      'arguments',
      'function',
      'id',
      'index',
      'usage',
      'choices',
      'message',
      'delta',
      'content',
      'finish_reason',
      'error',
      'object',
      'code',
      'retryable',
      '__proto__',
    ];
    const shape = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<unknown>(null, '', 'stop', 0, -1, true, 'text', 'error'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 6 }),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(shape, fc.boolean(), async (value, stream) => {
        const answer = () =>
          stream ? createBodyStream([toSseText(JSON.stringify(value), DONE_EVENT)]) : value;
        const outcome = await ask(answer, { stream, retries: 0 });
        expect('reply' in outcome || outcome.error.name === 'ModelError').toBe(true);
        const thrown = await ask(() => Promise.reject(value), { retries: 0 });
        expect('error' in thrown && thrown.error.name).toBe('ModelError');
      }),
      { seed: 20_261_117, numRuns: 300 },
    );
  });
});
