/** Tests that a session continues if its model cannot read one of the files. */
import { afterEach, expect, it, vi } from 'vitest';
import { type ChatModel, content, defineAgent, image, ModelError } from '../../../../src/index.ts';
import type { ModelRequest } from '../../../../src/model/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { createReadingTool } from '../tool-loop/scenes.ts';

const warnSpy = vi.spyOn(console, 'warn').mockReturnValue(undefined);
afterEach(() => warnSpy.mockClear());

const BROKEN_BYTES = new Uint8Array([66, 65, 68]);
const IMAGE_MEDIA = { data: ['image/*'], url: [] };
const REFUSAL = 'messages.0: the image cannot be read';

const hasFile = ({ messages }: ModelRequest): boolean =>
  messages.some((message) => 'parts' in message && JSON.stringify(message.parts).includes('"data"'));

/**
 * Returns a session whose model calls `look` for the message "Look.", and refuses every request with a file.
 */
function startSession() {
  const model: ChatModel = {
    name: 'blind',
    media: { message: IMAGE_MEDIA, result: IMAGE_MEDIA },
    async ask(request) {
      if (hasFile(request)) throw new ModelError('bad-request', REFUSAL);
      const last = request.messages.at(-1);
      const looks = last?.role === 'user' && last.text === 'Look.';
      const toolCalls = looks ? [{ id: 'a', name: 'look', input: '{}' }] : [];
      return { text: looks ? '' : 'Well.', toolCalls, finish: looks ? 'tool-calls' : 'stop' };
    },
  };
  const look = createReadingTool('look', () => image(BROKEN_BYTES, 'image/png'));
  return createTestSession(
    defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools: [look] }),
    { use: [files()], model },
  );
}

const getFileLines = (request: ModelRequest | undefined): readonly string[] =>
  request?.messages.flatMap(({ text }) => /^\[file.*$/m.exec(text)?.[0].replace(/\w{64}/, 'ID') ?? []) ?? [];

const WARNING =
  "holdfast: the model 'blind' refused a request with files; it is asked again without those of earlier messages and of " +
  `results. ${REFUSAL}`;

it('a message with a file that the model refuses fails its turn, and later turns describe the file in text', async () => {
  const session = startSession();
  const first = await session.send(content(['See:', image(BROKEN_BYTES, 'image/png')]).parts);
  expect(first).toMatchObject({ outcome: 'failed', error: { message: expect.stringContaining(REFUSAL) } });
  expect([session.requests.length, warnSpy.mock.calls]).toEqual([1, []]);
  expect(await session.send('And now?')).toMatchObject({ outcome: 'completed', text: 'Well.' });
  expect(session.requests.slice(1).map(hasFile)).toEqual([true, false]);
  expect(getFileLines(session.requests[2])).toEqual(['[file ID: image/png, 3 bytes] (not shown any more)']);
  expect(warnSpy.mock.calls).toEqual([[WARNING]]);
});

it('a result with a file that the model refuses is described in text for the rest of the turn', async () => {
  const session = startSession();
  expect(await session.send('Look.')).toMatchObject({ outcome: 'completed', text: 'Well.' });
  expect(session.requests.map(hasFile)).toEqual([false, true, false]);
  expect(warnSpy.mock.calls).toEqual([[WARNING]]);
});

it('a refused message with its own file is retried once without earlier files, and then fails', async () => {
  const session = startSession();
  await session.send('Look.');
  warnSpy.mockClear();
  const sent = await session.send(content([image(new Uint8Array([1]), 'image/png')]).parts);
  expect(sent).toMatchObject({ outcome: 'failed' });
  expect(session.requests.slice(3).map(hasFile)).toEqual([true, true]);
  expect(warnSpy.mock.calls).toEqual([[WARNING]]);
});
