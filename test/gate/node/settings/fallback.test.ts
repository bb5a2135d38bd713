/** Tests a fallback, which asks the next model if the first one is overloaded or unavailable. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ChatModel, defineTool, fallback, ModelError } from '../../../../src/index.ts';
import type { ModelFailure, ModelRequest, ReplyPart } from '../../../../src/model/entry.ts';
import { budget } from '../../../../src/modules/limits/entry.ts';
import {
  createManualClock,
  createTestSession,
  type ScriptedReply,
  scriptedModel,
} from '../../../../src/testing/entry.ts';
import { createAgent } from '../agentic/scenes.ts';
import { listEvents, readReservations } from '../tool-loop/budget-scene.ts';

const GO_REQUEST: ModelRequest = { messages: [{ role: 'user', text: 'Go.' }], tools: [] };
const { signal } = new AbortController();
const busyError = new ModelError('rate-limited', 'Too many requests.', { status: 429 });

const createNamedModel = (name: string, replies: readonly ScriptedReply[], more: object = {}) =>
  scriptedModel(replies, { name, provider: `of-${name}`, ...more });

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a fallback', () => {
  it('asks the first model, and returns which model replied', async () => {
    const [a, b] = [createNamedModel('a', ['From a.']), createNamedModel('b', [])];
    const reply = await fallback([a, b]).ask(GO_REQUEST, { signal });
    expect([reply.text, reply.madeBy, b.requests.length]).toEqual([
      'From a.',
      { provider: 'of-a', model: 'a' },
      0,
    ]);
  });

  it.each<[ModelFailure, number | undefined]>([
    ['rate-limited', 429],
    ['server-error', 503],
    ['unreachable', undefined],
    ['timeout', undefined],
    ['truncated', undefined],
    ['bad-request', 404],
    ['bad-request', 410],
  ])(
    'asks the next model after the failure %s with the status %s, and logs a warning',
    async (failure, status) => {
      const a = createNamedModel('a', [new ModelError(failure, 'No.', { status })]);
      const again = vi.fn(async () => {});
      const told = vi.fn();
      const reply = await fallback([a, createNamedModel('b', ['From b.'])]).ask(GO_REQUEST, {
        signal,
        again,
        warn: told,
      });
      expect([reply.text, reply.madeBy, again.mock.calls.length]).toEqual([
        'From b.',
        { provider: 'of-b', model: 'b' },
        1,
      ]);
      expect(told.mock.calls).toEqual([[`the model 'a' failed (${failure}); 'b' is asked instead`]]);
    },
  );

  it.each<[ModelFailure, number | undefined]>([
    ['unauthorized', 401],
    ['bad-request', 400],
    ['context-length', 400],
    ['invalid-reply', undefined],
  ])('rejects with the error of the first model for %s', async (failure, status) => {
    const error = new ModelError(failure, 'No.', { status });
    const b = createNamedModel('b', ['From b.']);
    await expect(fallback([createNamedModel('a', [error]), b]).ask(GO_REQUEST, { signal })).rejects.toBe(
      error,
    );
    expect(b.requests).toEqual([]);
  });

  it('stays with the model that last called tools, until that model fails too', async () => {
    const made = {
      role: 'assistant',
      text: '',
      toolCalls: [{ id: 'c', name: 'look', input: '{}' }],
    } as const;
    const open = (model: string) => [
      { role: 'user', text: 'Go.' } as const,
      { ...made, parts: [], madeBy: { provider: `of-${model}`, model } },
      { role: 'tool', id: 'c', name: 'look', text: 'seen' } as const,
      { role: 'user', text: 'Hurry.' } as const,
    ];
    const [a, b] = [
      createNamedModel('a', ['From a.', busyError, busyError]),
      createNamedModel('b', ['From b.', busyError, busyError]),
    ];
    const c = createNamedModel('c', ['From c.']);
    const all = fallback([a, b, c]);
    const findAnsweringModel = async (messages: ModelRequest['messages']) =>
      (await all.ask({ messages, tools: [] }, { signal })).madeBy?.model;
    expect(await findAnsweringModel(open('b'))).toBe('b');
    // The other models follow in order.
    expect(await findAnsweringModel(open('b'))).toBe('a');
    expect(await findAnsweringModel(open('b'))).toBe('c');
    const answered = { role: 'assistant', text: 'Done.', toolCalls: [] } as const;
    const closed = [...open('b'), answered, { role: 'user', text: 'And?' } as const];
    await expect(findAnsweringModel(closed)).rejects.toThrow(/^3 models failed\. a: .* b: .* c: /);
  });

  it('starts with the first model again in the next request', async () => {
    const a = createNamedModel('a', [busyError, 'From a.']);
    const both = fallback([a, createNamedModel('b', ['From b.'])]);
    expect([
      (await both.ask(GO_REQUEST, { signal })).text,
      (await both.ask(GO_REQUEST, { signal })).text,
    ]).toEqual(['From b.', 'From a.']);
  });

  it.each(['onText', 'onReasoning'] as const)(
    'does not call the next model after a call to %s',
    async (hand) => {
      const a: ChatModel = {
        name: 'a',
        async ask(_, options) {
          options[hand]?.('Be');
          throw new ModelError('truncated', 'The stream broke off.');
        },
      };
      const b = createNamedModel('b', ['From b.']);
      const asked = fallback([a, b]).ask(GO_REQUEST, { signal, [hand]: () => {} });
      await expect(asked).rejects.toMatchObject({ failure: 'truncated', outputBegan: true });
      expect(b.requests).toEqual([]);
    },
  );

  it('calls no other model if the turn has ended or its budget is spent', async () => {
    const b = createNamedModel('b', ['From b.']);
    const over = new AbortController();
    const a = createNamedModel('a', [
      () => {
        over.abort();
        return busyError;
      },
    ]);
    await expect(fallback([a, b]).ask(GO_REQUEST, { signal: over.signal })).rejects.toMatchObject({
      failure: 'aborted',
    });
    const refused = new Error('The budget is spent.');
    const again = () => Promise.reject(refused);
    await expect(
      fallback([createNamedModel('a', [busyError]), b]).ask(GO_REQUEST, { signal, again }),
    ).rejects.toBe(refused);
    expect(b.requests).toEqual([]);
  });

  it('rejects with the error of each model if all fail, and with the details of the last one', async () => {
    const late = new ModelError('server-error', 'Overloaded.', { status: 529, retryAfter: 7 });
    const asked = fallback([createNamedModel('a', [busyError]), createNamedModel('b', [late])]).ask(
      GO_REQUEST,
      { signal },
    );
    await expect(asked).rejects.toMatchObject({
      failure: 'server-error',
      status: 529,
      retryAfter: 7,
      message: '2 models failed. a: Too many requests. b: Overloaded.',
    });
  });

  it('sends each model only the settings, tokens and reply parts that the model supports', async () => {
    const parts: readonly ReplyPart[] = [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Hello.' },
    ];
    const own = {
      role: 'assistant',
      text: 'Hello.',
      toolCalls: [],
      parts,
      madeBy: { provider: 'of-a', model: 'a' },
    } as const;
    const messages = [own, { role: 'user', text: 'Go.' }] as const;
    const a = createNamedModel('a', [busyError], { settings: { seed: 1 } });
    const b = createNamedModel('b', ['Yes.'], {
      settings: { topK: 5, temperature: 1 },
      maxOutputTokens: 100,
    });
    const request = { messages, tools: [], settings: { temperature: 0 }, maxOutputTokens: 300 };
    await fallback([a, b]).ask(request, { signal });
    expect(a.requests).toEqual([{ ...request, settings: { seed: 1, temperature: 0 } }]);
    expect(b.requests).toEqual([
      {
        messages: [{ role: 'assistant', text: 'Hello.', toolCalls: [] }, messages[1]],
        tools: [],
        settings: { topK: 5, temperature: 0 },
        maxOutputTokens: 100,
      },
    ]);
  });

  it('passes the media types that the agent accepts to each model, and declares no media types itself', async () => {
    const a = createNamedModel('a', [busyError]);
    const b = createNamedModel('b', ['Yes.']);
    const media = { message: { data: ['image/png'], url: [] }, result: { data: [], url: [] } };
    const both = fallback([{ ...a, media }, b]);
    await both.ask({ ...GO_REQUEST, accepts: ['image/png'] }, { signal });
    expect(both.media).toBeUndefined();
    expect([...a.requests, ...b.requests].map(({ accepts }) => accepts)).toEqual([
      ['image/png'],
      ['image/png'],
    ]);
  });

  it('declares the limits and prices that hold for all candidates', () => {
    const a = createNamedModel('a', [], { prices: { input: 1, output: 9 }, maxOutputTokens: 10 });
    const b = createNamedModel('b', [], { prices: { input: 2, output: 8 }, maxOutputTokens: 20 });
    const c = createNamedModel('c', [], { heedsToolChoice: false });
    expect(fallback([a, b])).toMatchObject({
      name: 'a or b',
      candidates: [a, b],
      prices: { input: 2, output: 9 },
      maxOutputTokens: 20,
      heedsToolChoice: true,
    });
    const { prices, maxOutputTokens, heedsToolChoice } = fallback([a, c]);
    expect([prices, maxOutputTokens, heedsToolChoice]).toEqual([undefined, undefined, undefined]);
    const refusing = { ...a, refuses: ({ topK }: { topK?: number | undefined }) => `no ${topK}` };
    expect(fallback([b, refusing]).refuses?.({ topK: 5 })).toBe('no 5');
    expect(fallback([a, b]).refuses?.({ topK: 5 })).toBeUndefined();
  });

  it.each<[string, readonly ChatModel[], string]>([
    ['one model', [createNamedModel('a', [])], "'fallback' needs two or more models, but received 1."],
    [
      'a model that is a fallback itself',
      [createNamedModel('a', []), createNamedModel('b', [], { settings: { toolChoice: 'required' } })],
      "'fallback' received the model 'b', whose settings contain a 'toolChoice'. Set it on the agent.",
    ],
  ])('throws for %s', (_, models, message) => {
    expect(() => fallback(models)).toThrow(new TypeError(message));
  });
});

describe('a loop with a fallback', () => {
  const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });
  const thinking: ScriptedReply = {
    parts: [
      { type: 'reasoning', text: 'Hm.', provider: { b: { signature: 's' } } },
      { type: 'tool-call', id: 'c1', name: 'look', input: '{}' },
    ],
    usage: { inputTokens: 1_000, outputTokens: 100 },
  };

  it('journals which model replied, and uses the prices of that model', async () => {
    const a = createNamedModel(
      'a',
      [busyError, { text: 'Done.', usage: { inputTokens: 1_000, outputTokens: 100 } }],
      {
        prices: { input: 1, output: 10 },
      },
    );
    const b = createNamedModel('b', [thinking, busyError], { prices: { input: 3, output: 30 } });
    const session = createTestSession(createAgent('clerk', [look], { use: [budget({ cost: 10 })] }), {
      model: fallback([a, b]),
      clock: createManualClock(1_000),
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', model: 'a' });
    const replies = await listEvents(session, 'model-replied');
    expect(replies.map(({ model, servedBy, usage }) => [model, servedBy, usage?.cost])).toEqual([
      ['b', 'of-b', 0.006],
      ['a', 'of-a', 0.002],
    ]);
    expect(replies.map(({ tookOver }) => tookOver)).toEqual([
      undefined,
      { from: 'b', unshown: ['reasoning'] },
    ]);
    // The highest price of all models is reserved. The model that takes over reserves again.
    const asked = await readReservations(session);
    expect(asked).toHaveLength(4);
    for (const { reserved } of asked)
      expect(reserved.cost).toBeCloseTo((reserved.inputTokens * 3 + reserved.outputTokens * 30) / 1e6, 12);
    // Another model counts the tokens of the same text differently.
    expect(Math.min(...asked.map(({ reserved }) => reserved.inputTokens))).toBe(
      asked[0]?.reserved.inputTokens,
    );
  });

  it('sends private data of a candidate back only to that candidate', async () => {
    const a = createNamedModel('a', [busyError, 'Done.']);
    const b = createNamedModel('b', [thinking, thinking, busyError]);
    const session = createTestSession(createAgent('clerk', [look]), { model: fallback([a, b]) });
    await session.send('Go.');
    const listKeptParts = (request: ModelRequest | undefined) =>
      (request?.messages ?? []).flatMap((message) =>
        message.role === 'assistant' ? [message.parts?.map(({ type }) => type)] : [],
      );
    expect(listKeptParts(b.requests[1])).toEqual([['reasoning', 'tool-call']]);
    expect(listKeptParts(a.requests[1])).toEqual([undefined, undefined]);
  });
});
