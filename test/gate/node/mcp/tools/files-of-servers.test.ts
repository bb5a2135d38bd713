/** Files from a server's tool in a session: for the model, in the journal, and for programs. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ChatModel, defineAgent } from '../../../../../src/index.ts';
import { type McpClientConfig, mcpToolProvider } from '../../../../../src/mcp/tools/entry.ts';
import { files } from '../../../../../src/modules/files/entry.ts';
import { createTestSession, scriptedModel } from '../../../../../src/testing/entry.ts';
import type { FakeTool } from '../../../../fixtures/mcp/fake-server.ts';
import { createScene, requestTool } from './scenes.ts';

type Blocks = Awaited<ReturnType<FakeTool['run']>>['content'];

/**
 * A session whose model calls a tool that returns these blocks, and also returns them as data if `repeats` is
 * true.
 */
function createDesk(
  content: Blocks,
  {
    media,
    repeats = false,
    client: config = {},
  }: {
    readonly media?: ChatModel['media'];
    readonly repeats?: boolean;
    readonly client?: Partial<McpClientConfig>;
  } = {},
) {
  const run = () => ({ content, ...(repeats && { structuredContent: { content } }) });
  const { client } = createScene([{ name: 'look', description: 'Looks.', run }], config);
  const model = scriptedModel([requestTool('look'), 'Seen.']);
  const agent = defineAgent({
    name: 'clerk',
    description: 'Helps.',
    instructions: 'Help.',
    tools: [mcpToolProvider({ clients: [client] })],
  });
  const session = createTestSession(agent, { use: [files()], model: { ...model, ...(media && { media }) } });
  const getShownResults = () => model.requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
  return { session, shown: getShownResults, read: () => getShownResults().map(({ text }) => text) };
}

const DATA = btoa('x'.repeat(300));
const ID = '0d4e2ca9e9cbced7a7a5380eb29e1a3783b9b6d0db72de36a1051038e1c1fbc7';
const look = { type: 'text', text: 'Look:' } as const;
const image = { type: 'image', data: DATA, mimeType: 'image/png' } as const;
const FILE_LINE = `[file ${ID}: image/png, 300 bytes]`;
const NOT_SHOWN_LINE = '(The file is not shown: this model takes no image/png here.)';
const IMAGES = { data: ['image/*'], url: [] };

describe('an image from a server, in a session', () => {
  it('is sent to a model that accepts images in results, in its position', async () => {
    const { session, shown } = createDesk([look, image], { media: { message: IMAGES, result: IMAGES } });
    expect(await session.send('Look.')).toMatchObject({ outcome: 'completed', text: 'Seen.' });
    expect(shown()).toMatchObject([
      {
        text: `Look:\n\n${FILE_LINE}`,
        parts: [
          look,
          { type: 'text', text: FILE_LINE },
          { type: 'file', mediaType: 'image/png', data: DATA, id: ID, size: 300 },
        ],
      },
    ]);
  });

  it('is replaced by text for a model that does not accept images', async () => {
    const { session, read } = createDesk([look, image]);
    await session.send('Look.');
    expect(read()).toEqual([`Look:\n\n${FILE_LINE}\n\n${NOT_SHOWN_LINE}`]);
  });

  it('is in the journal and in artifacts under its hash, never as base64', async () => {
    const { session } = createDesk([look, image], { repeats: true });
    const answer = await session.send('Look.');
    const kept = [look, { ...image, data: { sha256: ID, size: 300 } }];
    const value = { content: kept, structuredContent: { content: kept } };
    expect(answer.artifacts).toMatchObject([{ tool: 'look', type: 'McpContent', value }]);
    const events = await session.events();
    expect(events.find((event) => event.type === 'tool-call-ended')).toMatchObject({
      result: {
        type: 'artifact',
        artifactType: 'McpContent',
        value,
        parts: [look, { type: 'file', mediaType: 'image/png', id: ID, size: 300 }],
      },
    });
    expect(JSON.stringify(events)).not.toContain(DATA);
  });
});

describe('an oversized image from a server', () => {
  it('is replaced by text in its position and logged, while the other blocks remain', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    onTestFinished(() => log.mockRestore());
    const large = { ...image, data: 'AAAA'.repeat(2_796_203) };
    const { session, read } = createDesk([look, large, image], {
      client: { maxResponseBytes: 16 * 1024 * 1024, timeout: 600_000 },
    });
    expect(await session.send('Look.')).toMatchObject({ outcome: 'completed' });
    expect(read()).toEqual([
      `Look:\n\n[file not kept: image/png, 8,388,609 bytes] (It is larger than 8388608 bytes.)\n\n${FILE_LINE}\n\n${NOT_SHOWN_LINE}`,
    ]);
    expect(log.mock.calls).toEqual([
      ["holdfast: A file that tool 'look' returned was not kept. It is larger than 8388608 bytes."],
    ]);
    expect(JSON.stringify(await session.events()).length).toBeLessThan(10_000);
  });
});
