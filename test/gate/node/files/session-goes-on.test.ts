/** Tests that a session continues if its model cannot read one of the files. */
import { afterEach, expect, it, vi } from 'vitest';
import { type ChatModel, content, defineAgent, image, ModelError } from '../../../../src/index.ts';
import type { ModelRequest } from '../../../../src/model/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { readingTool } from '../tool-loop/scenes.ts';

const warnSpy = vi.spyOn(console, 'warn').mockReturnValue(undefined);
afterEach(() => warnSpy.mockClear());

const BROKEN = new Uint8Array([66, 65, 68]);
const IMAGES = { data: ['image/*'], url: [] };
const REFUSED = 'messages.0: the image cannot be read';

const holdsFile = ({ messages }: ModelRequest): boolean =>
  messages.some((message) => 'parts' in message && JSON.stringify(message.parts).includes('"data"'));

/**
 * Returns a session whose model calls `look` for the message "Look.", and refuses every request with a file.
 */
function sessionOf() {
  const model: ChatModel = {
    name: 'blind',
    media: { message: IMAGES, result: IMAGES },
    async ask(request) {
      if (holdsFile(request)) throw new ModelError('bad-request', REFUSED);
      const last = request.messages.at(-1);
      const looks = last?.role === 'user' && last.text === 'Look.';
      const toolCalls = looks ? [{ id: 'a', name: 'look', input: '{}' }] : [];
      return { text: looks ? '' : 'Well.', toolCalls, finish: looks ? 'tool-calls' : 'stop' };
    },
  };
  const look = readingTool('look', () => image(BROKEN, 'image/png'));
  return createTestSession(
    defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools: [look] }),
    { use: [files()], model },
  );
}

const fileLines = (request: ModelRequest | undefined): readonly string[] =>
  request?.messages.flatMap(({ text }) => /^\[file.*$/m.exec(text)?.[0].replace(/\w{64}/, 'ID') ?? []) ?? [];

const WARNING =
  "holdfast: the model 'blind' refused a request with files; it is asked again without those of earlier messages and of " +
  `results. ${REFUSED}`;

it('a message with a file that the model refuses fails its turn, and later turns describe the file in text', async () => {
  const session = sessionOf();
  const first = await session.send(content(['See:', image(BROKEN, 'image/png')]).parts);
  expect(first).toMatchObject({ outcome: 'failed', error: { message: expect.stringContaining(REFUSED) } });
  expect([session.requests.length, warnSpy.mock.calls]).toEqual([1, []]);
  expect(await session.send('And now?')).toMatchObject({ outcome: 'completed', text: 'Well.' });
  expect(session.requests.slice(1).map(holdsFile)).toEqual([true, false]);
  expect(fileLines(session.requests[2])).toEqual(['[file ID: image/png, 3 bytes] (not shown any more)']);
  expect(warnSpy.mock.calls).toEqual([[WARNING]]);
});

it('a result with a file that the model refuses is described in text for the rest of the turn', async () => {
  const session = sessionOf();
  expect(await session.send('Look.')).toMatchObject({ outcome: 'completed', text: 'Well.' });
  expect(session.requests.map(holdsFile)).toEqual([false, true, false]);
  expect(warnSpy.mock.calls).toEqual([[WARNING]]);
});

it('a refused message with its own file is retried once without earlier files, and then fails', async () => {
  const session = sessionOf();
  await session.send('Look.');
  warnSpy.mockClear();
  const sent = await session.send(content([image(new Uint8Array([1]), 'image/png')]).parts);
  expect(sent).toMatchObject({ outcome: 'failed' });
  expect(session.requests.slice(3).map(holdsFile)).toEqual([true, true]);
  expect(warnSpy.mock.calls).toEqual([[WARNING]]);
});
