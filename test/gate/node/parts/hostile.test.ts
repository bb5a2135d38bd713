/** Tests parts from an app's custom model, which can have any form. */
import { describe, expect, it } from 'vitest';
import { type ChatModel, defineAgent, defineTool } from '../../../../src/index.ts';
import type { ModelReply, ReplyPart } from '../../../../src/model/entry.ts';
import { createTestSession, type TestSession } from '../../../../src/testing/entry.ts';
import { createSignedReply, createSigningModel, listHeldSignatures } from './signed.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });
const agent = defineAgent({ name: 'tester', description: 'Tests.', instructions: '', tools: [look] });

/** Returns a model with this reply, which its type may forbid. */
const createModelWithReply = (reply: object): ChatModel => ({
  name: 'homemade',
  ask: async () => ({ text: 'Hello.', toolCalls: [], finish: 'stop', ...reply }) as ModelReply, // Plain JavaScript can return this.
});

const CYCLE: Record<string, unknown> = {};
Object.assign(CYCLE, { itself: CYCLE });

const textPart = { type: 'text', text: 'Hello.' };

const describeMissingType = (index: number): string =>
  `its part ${index} has the type 'undefined'. Use one of 'text', 'reasoning', 'file', 'tool-call', 'tool-result', 'source', 'custom'`;

it.runIf(process.env.NODE_ENV === 'production').each(['Hello.', null, [textPart, null], ['Hello.']])(
  'in production, invalid parts make the turn fail (%#)',
  async (parts) => {
    const session = createTestSession(agent, { model: createModelWithReply({ parts }) });
    expect(await session.send('Go.')).toMatchObject({
      outcome: 'failed',
      error: {
        type: 'model-failure',
        message: "The model 'homemade' returned a reply that cannot be stored: its parts are invalid.",
      },
    });
  },
);

// In development the error explains the problem of the part.
describe.skipIf(process.env.NODE_ENV === 'production')('a reply with invalid parts', () => {
  it.each<[string, object, string | RegExp]>([
    ['a value that is not a list', { parts: 'Hello.' }, "its 'parts' are not a list"],
    ['undefined', { parts: null }, "its 'parts' are not a list"],
    ['null in the list', { parts: [textPart, null] }, describeMissingType(1)],
    ['a string as a part', { parts: ['Hello.'] }, describeMissingType(0)],
    ['a part without a type', { parts: [{ text: 'Hello.' }] }, describeMissingType(0)],
    [
      'an unknown type',
      { parts: [{ type: 'thought', text: 'Hm.' }] },
      "its part 0 has the type 'thought'. Use one of 'text', 'reasoning', 'file', 'tool-call', 'tool-result', 'source', 'custom'",
    ],
    [
      'an inherited property as type',
      { parts: [{ type: 'toString' }] },
      /^its part 0 has the type 'toString'. Use one of /,
    ],
    [
      'a text part without text',
      { parts: [{ type: 'text' }] },
      "its part 0, a 'text', has no text under 'text'",
    ],
    [
      'a part of reasoning without text',
      { parts: [textPart, { type: 'reasoning', text: 7 }] },
      "its part 1, a 'reasoning', has no text under 'text'",
    ],
    [
      'a call whose input is not a string',
      { parts: [{ type: 'tool-call', id: 'c', name: 'look', input: {} }] },
      "its part 0, a 'tool-call', has no text under 'input'",
    ],
    [
      'a result without a call',
      { parts: [{ type: 'tool-result', id: 'c', name: 'look' }] },
      "its part 0, a 'tool-result', has no 'result'",
    ],
    [
      'a cyclic value',
      { parts: [{ ...textPart, provider: { own: CYCLE } }] },
      'its parts contain values that JSON cannot represent',
    ],
    [
      'a bigint',
      { parts: [{ ...textPart, provider: { own: 7n } }] },
      'its parts contain values that JSON cannot represent',
    ],
    ['a bigint in a call', { provider: { own: 7n } }, 'its parts contain values that JSON cannot represent'],
    [
      'calls only outside of the parts',
      { parts: [textPart], toolCalls: [{ id: 'c', name: 'look', input: '{}' }] },
      "the calls in its parts are not its 'toolCalls'",
    ],
    [
      'calls that differ from the parts',
      {
        parts: [{ type: 'tool-call', id: 'c', name: 'look', input: '{"at":1}' }],
        toolCalls: [{ id: 'c', name: 'look', input: '{}' }],
      },
      "the calls in its parts are not its 'toolCalls'",
    ],
  ])('makes the turn fail with the reason: %s', async (_, reply, why) => {
    const session = createTestSession(agent, { model: createModelWithReply(reply) });
    const { outcome, error, text } = (await session.send('Go.')) as Awaited<
      ReturnType<TestSession['send']>
    > & {
      outcome: 'failed';
    };
    expect({ outcome, text, type: error?.type }).toEqual({
      outcome: 'failed',
      text: '',
      type: 'model-failure',
    });
    const said = error?.message ?? '';
    const start = "The model 'homemade' returned a reply that cannot be stored: ";
    expect(said.startsWith(start)).toBe(true);
    const [what] = said.slice(start.length).split(/\.$/);
    if (typeof why === 'string') expect(what).toBe(why);
    else expect(what).toMatch(why);
    expect(await session.send('Again.')).toMatchObject({ outcome: 'failed' });
  });
});

describe('a reply above the size limit of a session', () => {
  const MOST = 16 * 1024 * 1024;
  const createCountingModel = (text: string) => {
    let asked = 0;
    const ask: ChatModel['ask'] = async () => {
      asked += 1;
      return { text, toolCalls: [], finish: 'stop' };
    };
    return { model: { name: 'homemade', ask }, asked: () => asked };
  };

  it.each([
    ['one character too many in Latin-1', 'é'.repeat(MOST)],
    ['half as many characters in another script', 'ж'.repeat(MOST / 2)],
    ['characters that JSON escapes', '\u0001'.repeat(MOST / 6 + 1)],
  ])('makes the turn fail when it arrives, and is not requested again: %s', async (_, text) => {
    const { model, asked } = createCountingModel(text);
    const session = createTestSession(agent, { model });
    const { outcome, ...more } = await session.send('Go.');
    const said =
      /^The model 'homemade' returned a reply that cannot be stored: its event has (\d+) bytes, and a session stores at most 16777216\. Set a smaller maxOutputTokens\.$/;
    expect({ outcome, ...more }).toMatchObject({
      outcome: 'failed',
      text: '',
      error: { type: 'model-failure', message: expect.stringMatching(said) },
    });
    expect(asked()).toBe(1);
    expect(JSON.stringify(await session.events()).length).toBeLessThan(10_000);
  });

  it('is stored if it is below the limit', async () => {
    const { model, asked } = createCountingModel('é'.repeat(MOST - 1_000));
    const session = createTestSession(agent, { model });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed' });
    expect(asked()).toBe(1);
  });
});

describe('a reply with unusual parts', () => {
  it('is stored in its JSON form, warm and cold', async () => {
    const odd = {
      type: 'text',
      text: 'Hello.',
      provider: { maker: { at: new Date(0), none: undefined, list: [undefined, Number.NaN], é: '\ud800' } },
    };
    let asked = 0;
    const replies = [[odd, { type: 'tool-call', id: 'c', name: 'look', input: '{}' }], [odd]];
    const model: ChatModel = {
      name: 'homemade',
      ask: async () => {
        const parts = (replies[asked++] ?? [odd]) as readonly ReplyPart[]; // Plain JavaScript can return this.
        const toolCalls = asked === 1 ? [{ id: 'c', name: 'look', input: '{}' }] : [];
        return { text: 'Hello.', toolCalls, parts, finish: 'stop' };
      },
    };
    const session = createTestSession(agent, { model });
    await session.send('Go.');
    session.restart();
    await session.send('And?');
    const parts = session.requests.slice(1).map(({ messages }) => {
      const said = messages.find((one) => one.role === 'assistant');
      return JSON.stringify(said?.role === 'assistant' ? said.parts?.[0] : undefined);
    });
    expect(new Set(parts)).toEqual(new Set([JSON.stringify(odd)]));
  });

  it('uses the text of its parts if a different text is also present', async () => {
    const session = createTestSession(agent, {
      model: createModelWithReply({ text: 'Other words.', parts: [{ ...textPart, provider: { maker: 1 } }] }),
    });
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', text: 'Hello.' });
  });

  it('is sent back complete even if it is very long', async () => {
    const long: readonly ReplyPart[] = [
      { type: 'reasoning', text: '', provider: { maker: { encrypted: 'é'.repeat(1_000_000) } } },
      { type: 'file', mediaType: 'image/png', data: 'A'.repeat(2_000_000) },
      ...createSignedReply('one', { text: 'Drawn.', calls: ['look'] }).parts,
    ];
    const session = createTestSession(agent, {
      model: createSigningModel([{ parts: long }, 'Done.', 'Yes.']),
    });
    await session.send('Go.');
    session.restart();
    await session.send('And?');
    expect(listHeldSignatures(session.requests, [{ parts: long }])).toEqual([[], [0], [0]]);
  });
});
