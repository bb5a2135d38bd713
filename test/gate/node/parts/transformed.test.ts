/** Tests that a reply changed by a transformer is never sent back in part. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defineAgent, defineTool } from '../../../../src/index.ts';
import type { HistoryMessage } from '../../../../src/kinds/entry.ts';
import type { ReplyPart } from '../../../../src/model/entry.ts';
import {
  defineTransformer,
  slidingWindow,
  truncateToolResults,
} from '../../../../src/modules/transformers/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../src/testing/entry.ts';
import type { ModuleUse } from '../../../doors/tools.ts';
import { createSignedReply, createSigningModel, listHeldSignatures } from './signed.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen by 4711' });

const first = createSignedReply('one', { text: 'Ask 4711.', calls: ['look', ['look', '{"of":"4711"}']] });
const second = createSignedReply('two', { calls: ['look'] });
const third = createSignedReply('three', { text: 'Seen.' });
const SCRIPT = [first, second, third];

function createScene(use: readonly ModuleUse[], replies: readonly ScriptedReply[] = [...SCRIPT, 'Yes.']) {
  return createTestSession(
    defineAgent({ name: 'tester', description: 'Tests.', instructions: '', tools: [look], use }),
    { model: createSigningModel(replies) },
  );
}

type AssistantReply = Extract<HistoryMessage, { role: 'assistant' }>;

/** Changes each reply with calls. */
const createReplyTransformer = (change: (reply: AssistantReply) => HistoryMessage): ModuleUse =>
  defineTransformer({
    name: 'changing',
    messages: (messages) =>
      messages.map((message) =>
        message.role === 'assistant' && message.calls.length > 0 ? change(message) : message,
      ),
  });

describe('a reply of parts that a transformer changes', () => {
  it('is sent back as text, with its calls and their results', async () => {
    const masking = defineTransformer({
      name: 'masking',
      reply: (text) => text.replaceAll('4711', '[number]'),
    });
    const session = createScene([masking]);
    await session.send('Go.');
    session.restart();
    await session.send('And?');
    expect(session.requests[1]?.messages).toEqual([
      { role: 'user', text: 'Go.' },
      { role: 'assistant', text: 'Ask [number].', toolCalls: [] },
      {
        role: 'user',
        text:
          'You have called tools before this message, and they answered:\n' +
          '- look with the input {"b": 1,  "a": 2} answered: seen by 4711\n' +
          '- look with the input {"of":"4711"} answered: seen by 4711',
      },
    ]);
    expect(listHeldSignatures(session.requests, SCRIPT)).toEqual([[], [], [1], [1, 2]]);
    expect(JSON.stringify(session.requests)).not.toContain('one thinks.');
  });

  it.each<[string, ModuleUse]>([
    [
      'an input',
      createReplyTransformer((one) => ({
        ...one,
        calls: one.calls.map((call) => ({ ...call, input: '{}' })),
      })),
    ],
    [
      'a name',
      createReplyTransformer((one) => ({
        ...one,
        calls: one.calls.map((call) => ({ ...call, name: 'see' })),
      })),
    ],
    ['the order of its calls', createReplyTransformer((one) => ({ ...one, calls: one.calls.toReversed() }))],
    ['its parts, by removing all of them', createReplyTransformer(({ parts: _, ...one }) => one)],
    [
      'its parts, by removing one of them',
      createReplyTransformer((one) => ({ ...one, parts: one.parts?.slice(1) })),
    ],
  ])('is sent back as text if the transformer changes %s', async (_, transformer) => {
    const session = createScene([transformer]);
    await session.send('Go.');
    const [, request] = session.requests;
    expect(request?.messages.map(({ role, text }) => [role, text.slice(0, 30)])).toEqual([
      ['user', 'Go.'],
      ['assistant', 'Ask 4711.'],
      ['user', 'You have called tools before t'],
    ]);
    expect(JSON.stringify(request)).not.toMatch(/one thinks|tool-call|one_0/);
  });

  it('is sent back with the remaining call if the transformer removes the other one', async () => {
    const session = createScene([
      createReplyTransformer((one) => ({ ...one, calls: one.calls.slice(0, 1) })),
    ]);
    await session.send('Go.');
    expect(session.requests[1]?.messages.slice(1)).toEqual([
      { role: 'assistant', text: 'Ask 4711.', toolCalls: [] },
      {
        role: 'user',
        text:
          'You have called tools before this message, and they answered:\n' +
          '- look with the input {"b": 1,  "a": 2} answered: seen by 4711',
      },
    ]);
  });

  it('is sent back as only its text if the transformer removes all calls', async () => {
    const session = createScene([createReplyTransformer((one) => ({ ...one, calls: [] }))]);
    await session.send('Go.');
    expect(session.requests[1]?.messages.slice(1)).toEqual([
      { role: 'assistant', text: 'Ask 4711.', toolCalls: [] },
    ]);
  });

  it('is sent back with a description of the calls that its provider ran', async () => {
    const searched: readonly ReplyPart[] = [
      { type: 'tool-call', id: 'srv_1', name: 'web_search', input: '{"query":"kelp"}', ranBy: 'provider' },
      { type: 'tool-result', id: 'srv_1', name: 'web_search', result: 'Kelp.' },
      ...first.parts,
    ];
    const session = createScene(
      [createReplyTransformer((one) => ({ ...one, text: 'Changed.' }))],
      [{ parts: searched }, 'Yes.'],
    );
    await session.send('Go.');
    expect(session.requests[1]?.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        text:
          'Changed.\n\n' +
          `(Its provider ran 'web_search' with the input {"query":"kelp"}. 'web_search' answered: Kelp.)`,
        toolCalls: [],
      },
      { role: 'user', text: expect.stringMatching(/^You have called tools before this message/) },
    ]);
  });

  it('is sent back as a description of its file if the transformer removes its text', async () => {
    const pictured: readonly ReplyPart[] = [
      { type: 'reasoning', text: 'A picture.', provider: { maker: { signature: 's' } } },
      { type: 'text', text: 'Here it is.' },
      { type: 'file', mediaType: 'image/png', data: 'AAAA', provider: { maker: { id: 'f' } } },
    ];
    const silent = defineTransformer({ name: 'silent', reply: (text) => text.replace('Here it is.', '') });
    const session = createScene([silent], [{ parts: pictured }, 'Yes.']);
    await session.send('Go.');
    await session.send('And?');
    expect(session.requests[1]?.messages.slice(1)).toEqual([
      { role: 'assistant', text: "(It made a file of the type 'image/png'.)", toolCalls: [] },
      { role: 'user', text: 'And?' },
    ]);
  });
});

describe('a reply of parts that a transformer does not change', () => {
  beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
  afterEach(() => void vi.restoreAllMocks());

  it.each<[string, ModuleUse]>([
    [
      'copies all of',
      defineTransformer({ name: 'copying', messages: (messages) => structuredClone(messages) }),
    ],
    [
      'copies the calls of',
      createReplyTransformer((one) => ({ ...one, calls: one.calls.map((call) => ({ ...call })) })),
    ],
    ['changes results of', defineTransformer({ name: 'loud', result: (text) => text.toUpperCase() })],
    ['shortens results of', truncateToolResults({ maxLength: 2 })],
    [
      'reads',
      defineTransformer({ name: 'reading', reply: (text) => text, messages: (messages) => [...messages] }),
    ],
    [
      'throws for',
      defineTransformer({
        name: 'broken',
        reply: () => {
          throw new Error('broken');
        },
      }),
    ],
  ])('is sent back complete if a transformer %s it', async (_, transformer) => {
    const session = createScene([transformer]);
    await session.send('Go.');
    session.restart();
    await session.send('And?');
    expect(listHeldSignatures(session.requests, SCRIPT)).toEqual([[], [0], [0, 1], [0, 1, 2]]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'is sent back either complete or not at all in a window of %s messages',
    async (maxMessages) => {
      const session = createScene([slidingWindow({ maxMessages })], [...SCRIPT, first, second, third]);
      await session.send('Go.');
      session.restart();
      await session.send('And?');
      const held = listHeldSignatures(session.requests, SCRIPT);
      expect(held.flat().filter((one) => typeof one === 'string')).toEqual([]);
      // The window always includes the newest reply.
      expect(held.map((one) => one.at(-1))).toEqual([
        undefined,
        0,
        1,
        ...held.slice(3).map((one) => one.at(-1)),
      ]);
      for (const { messages } of session.requests) {
        const asked = messages.flatMap((one) => (one.role === 'assistant' ? one.toolCalls : []));
        const answered = messages.flatMap((one) => (one.role === 'tool' ? one.id : []));
        expect(answered).toEqual(asked.map(({ id }) => id));
      }
    },
  );
});
