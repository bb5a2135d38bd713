/** Tests how replies are stored: as parts, or in the older format if they contain only text and calls. */
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import type { ReplyPart } from '../../../../src/model/entry.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import { createMemoryApp } from '../session/memory-app.ts';
import { createSignedReply } from './signed.ts';

const look = defineTool({ name: 'look', description: 'Looks.', effect: 'read', run: () => 'seen' });

/** Returns the bodies of the stored replies. */
async function journalReplies(...replies: readonly ScriptedReply[]): Promise<readonly string[]> {
  const app = createMemoryApp({ tools: [look], replies, modelOptions: { provider: 'maker' } });
  await app.say('Go.');
  const page = await app.port.read({ from: 1 });
  return (page?.rows ?? []).flatMap(({ type, body }) => (type === 'model-replied' ? body : []));
}

/** Returns the body without the details of its request. */
const createKnownFields = (body = ''): Record<string, unknown> => {
  const { asked: _, usage: __, turn: ___, ...rest } = JSON.parse(body);
  return rest;
};

describe('a stored reply', () => {
  it('contains its text and calls only in the parts if it has parts', async () => {
    const reply = createSignedReply('one', {
      text: 'One moment.',
      calls: ['look'],
      provider: { maker: { whole: true } },
    });
    const [first] = await journalReplies(reply, 'Done.');
    expect(createKnownFields(first)).toEqual({
      v: 1,
      type: 'model-replied',
      model: 'scripted',
      parts: reply.parts.map((part) =>
        part.type === 'tool-call'
          ? { ...part, id: expect.stringMatching(/\.3\.0$/), providerId: part.id }
          : part,
      ),
      provider: { maker: { whole: true } },
      servedBy: 'maker',
      finish: 'tool-calls',
    });
    expect(Object.keys(JSON.parse(first ?? ''))).not.toContain('text');
    expect(first?.split('One moment.')).toHaveLength(2);
  });

  it.each<[string, readonly ReplyPart[]]>([
    ['calls', [{ type: 'tool-call', id: 'c', name: 'look', input: '{}' }]],
    [
      'text and calls',
      [
        { type: 'text', text: 'Well.' },
        { type: 'tool-call', id: 'c', name: 'look', input: '{}' },
      ],
    ],
    [
      'calls after an empty text',
      [
        { type: 'text', text: '' },
        { type: 'tool-call', id: 'c', name: 'look', input: '{}' },
      ],
    ],
  ])('is byte-identical to a version 1 reply if its parts are only %s', async (_, parts) => {
    const text = parts[0]?.type === 'text' ? parts[0].text : '';
    const plain = { text, calls: [{ id: 'c', name: 'look', input: '{}' }] };
    const ofParts = await journalReplies({ parts }, 'Done.');
    expect(ofParts).toEqual(await journalReplies(plain, 'Done.'));
    const [turn, hashes] = [
      JSON.parse(ofParts[0] ?? '').turn,
      JSON.stringify(JSON.parse(ofParts[0] ?? '').asked),
    ];
    expect(ofParts[0]).toBe(
      `{"v":1,"type":"model-replied","turn":"${turn}","model":"scripted","text":"${text}",` +
        `"toolCalls":[{"id":"${turn}.3.0","providerId":"c","name":"look","input":"{}"}],"finish":"tool-calls",` +
        `"asked":${hashes},"usage":{"inputTokens":10,"outputTokens":5}}`,
    );
  });

  it.each<[string, ScriptedReply]>([
    ['has provider data on a part', { parts: [{ type: 'text', text: 'Hi.', provider: { maker: 1 } }] }],
    ['has provider data on the reply', { text: 'Hi.', provider: { maker: 1 } }],
    ['has two texts', { parts: ['H', 'i.'].map((text) => ({ type: 'text', text })) }],
    [
      'has text after a call',
      {
        parts: [
          { type: 'tool-call', id: 'c', name: 'look', input: '{}' },
          { type: 'text', text: 'Hi.' },
        ],
      },
    ],
    [
      'has a source',
      {
        parts: [
          { type: 'text', text: 'Hi.' },
          { type: 'source', id: 's' },
        ],
      },
    ],
  ])('contains parts if it %s', async (_, reply) => {
    const [first] = await journalReplies(reply, 'Done.');
    expect(JSON.parse(first ?? '')).toMatchObject({ parts: expect.any(Array) });
  });
});
