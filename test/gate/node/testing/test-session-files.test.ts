/** Tests files in a test session: sending, storing and reading them. */
import { describe, expect, it } from 'vitest';
import { type AnyTool, type ChatModel, defineAgent, defineTool } from '../../../../src/index.ts';
import type { StoredEvent } from '../../../../src/journal/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { createTestSession, scriptedModel } from '../../../../src/testing/entry.ts';

const createTestAgent = (...tools: readonly AnyTool[]) =>
  defineAgent({ name: 'seer', description: 'Sees.', instructions: 'Look.', tools });
const bytes = new TextEncoder().encode('a png');
const png = { type: 'file', mediaType: 'image/png', bytes, name: 'chart.png' } as const;
const FILE_ID = 'f0e0b8f7ed8b7d2ccf7bdeaab3be4d38b4a2d4c0ee9a0a1c9a3a7f6bb9e3d3b1';

/** Returns the ids of the files in the message of an event. */
const listFileIds = (stored: StoredEvent | undefined): string[] =>
  stored?.type === 'turn-started' || stored?.type === 'turn-steered'
    ? (stored.parts ?? []).flatMap((part) => ('id' in part ? part.id : []))
    : [];

/** Returns a model that accepts images and follows a script. */
const createSeeingModel = (...replies: readonly string[]): ChatModel => ({
  ...scriptedModel(replies),
  media: { message: { data: ['image/*'], url: ['image/*'] }, result: { data: [], url: [] } },
});

describe('a test session with files', () => {
  it('sends files in messages, stores them, and returns their bytes', async () => {
    const session = createTestSession(createTestAgent(), {
      use: [files()],
      model: createSeeingModel('A chart.', 'Still a chart.'),
    });
    const link = { type: 'file', mediaType: 'image/jpeg', url: 'https://img.example/a.jpg' } as const;
    const answer = await session.send([{ type: 'text', text: 'What is this?' }, png, link]);
    expect(answer.text).toBe('A chart.');
    const stored = {
      type: 'file',
      mediaType: 'image/png',
      name: 'chart.png',
      id: expect.any(String),
      size: 5,
    };
    const [, started] = await session.events();
    expect(started).toMatchObject({
      type: 'turn-started',
      message: 'What is this?',
      parts: [{ type: 'text', text: 'What is this?' }, stored, link],
    });
    const shown = session.requests[0]?.messages.at(-1);
    expect(Object(shown).parts.filter(({ type }: { type: string }) => type === 'file')).toMatchObject([
      { mediaType: 'image/png', data: btoa('a png') },
      { mediaType: 'image/jpeg', data: link.url },
    ]);
    const [id = ''] = listFileIds(started);
    session.restart();
    expect(await session.file(id)).toEqual(bytes);
    await session.send('And now?');
    expect(session.requests[1]?.messages[1]).toEqual(session.requests[0]?.messages[1]);
  });

  it('returns `undefined` for an unknown file', async () => {
    const session = createTestSession(createTestAgent(), { use: [files()], replies: ['Hello.'] });
    expect(await session.file(FILE_ID)).toBeNull();
    await session.send('Hello.');
    expect(await session.file(FILE_ID)).toBeNull();
  });

  it('reads a file of several pages as one file', async () => {
    const page = 4 * 1024 * 1024;
    const large = new Uint8Array(page + 3);
    large.set([1, 2, 3, 4, 5], page - 2);
    const session = createTestSession(createTestAgent(), { use: [files()], replies: ['Long.'] });
    await session.send([{ type: 'file', mediaType: 'application/pdf', bytes: large }]);
    const [id = ''] = listFileIds((await session.events())[1]);
    const kept = await session.file(id);
    expect(kept?.byteLength).toBe(large.byteLength);
    expect(kept?.slice(page - 3)).toEqual(new Uint8Array([0, 1, 2, 3, 4, 5]));
  });

  it('adds the files of a steering message to the running turn, and stores them', async () => {
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      run: async () => {
        await session.post([{ type: 'text', text: 'This one too.' }, png], { whenBusy: 'steer' });
        return 'seen';
      },
    });
    const session = createTestSession(createTestAgent(look), {
      use: [files()],
      model: {
        ...createSeeingModel(),
        ...scriptedModel([{ calls: [{ name: 'look', input: {} }] }, 'Both.']),
      },
    });
    expect((await session.send('Look.')).text).toBe('Both.');
    const steered = (await session.events()).find((event) => event.type === 'turn-steered');
    expect(steered).toMatchObject({
      message: 'This one too.',
      parts: [{ type: 'text' }, { name: 'chart.png' }],
    });
    const [id = ''] = listFileIds(steered);
    expect(await session.file(id)).toEqual(bytes);
  });

  it('accepts a message of parts without files as text', async () => {
    const session = createTestSession(createTestAgent(), { use: [files()], replies: ['Hello.'] });
    await session.send([
      { type: 'text', text: 'One.' },
      { type: 'text', text: 'Two.' },
    ]);
    const started = (await session.events())[1];
    expect(started).toMatchObject({ message: 'One.\n\nTwo.' });
    expect(started).not.toHaveProperty('parts');
  });

  it('throws for an empty or oversized file, like a session', async () => {
    const session = createTestSession(createTestAgent(), { use: [files()], replies: ['Hello.'] });
    const send = (size: number) => session.send([{ ...png, bytes: new Uint8Array(size) }]);
    await expect(send(0)).rejects.toThrow('It is empty.');
    await expect(send(8 * 1024 * 1024 + 1)).rejects.toThrow('It is larger than 8388608 bytes.');
    expect(await session.events()).toEqual([]);
  });
});
