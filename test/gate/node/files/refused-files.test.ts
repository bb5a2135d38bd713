/** Tests requests that a model refuses, with files and with files described in text. */

import { beforeEach, expect, it, vi } from 'vitest';
import {
  type ChatModel,
  content,
  defineAgent,
  defineTool,
  image,
  ModelError,
} from '../../../../src/index.ts';
import type { ModelMedia, ModelMessage } from '../../../../src/model/entry.ts';
import { files } from '../../../../src/modules/files/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';

const images = { data: ['image/png'], url: [] };
const none = { data: [], url: [] };

const shotTool = defineTool({
  name: 'shot',
  description: 'Takes a shot.',
  effect: 'read',
  input: jsonSchema({ type: 'object' }),
  run: () => content(['A shot:', image(new Uint8Array([1]), 'image/png')]),
});

const warnings: string[] = [];
beforeEach(() => {
  warnings.length = 0;
  vi.spyOn(console, 'warn').mockImplementation((line) => warnings.push(String(line)));
});

/**
 * Returns the number of files in each request and the outcome. The model refuses all later requests for which
 * `refuses` is true.
 */
async function play(media: ModelMedia | undefined, refuses: (files: number) => boolean) {
  const sent: number[] = [];
  const model: ChatModel = {
    name: 'm',
    ...(media && { media }),
    async ask({ messages }) {
      const files = messages.flatMap(getParts).filter(({ type }) => type === 'file').length;
      sent.push(files);
      if (sent.length > 1 && refuses(files)) throw new ModelError('bad-request', 'No.');
      const toolCalls = sent.length === 1 ? [{ id: 'c1', name: 'shot', input: '{}' }] : [];
      return { text: 'Seen.', toolCalls, finish: toolCalls.length > 0 ? 'tool-calls' : 'stop' };
    },
  };
  const agent = defineAgent({
    ...{ name: 'seer', description: 'Looks.', instructions: 'Look.', tools: [shotTool] },
    model,
  });
  const { outcome } = await createTestSession(agent, { use: [files()], model }).send('Look.');
  return { sent, outcome };
}

const getParts = (message: ModelMessage) =>
  message.role === 'user' || message.role === 'tool' ? (message.parts ?? []) : [];

it('a refused request is retried once without the files of results', async () => {
  const media = { message: images, result: images };
  expect(await play(media, (files) => files > 0)).toEqual({ sent: [0, 1, 0], outcome: 'completed' });
  expect(warnings).toEqual([
    "holdfast: the model 'm' refused a request with files; it is asked again without those of earlier messages and of " +
      'results. No.',
  ]);
  expect(await play(media, () => true)).toEqual({ sent: [0, 1, 0], outcome: 'failed' });
});

it.each([undefined, { message: none, result: none }])(
  'a refused request is not retried if no file was sent: the model accepts %o',
  async (media) => {
    expect(await play(media, () => true)).toEqual({ sent: [0, 0], outcome: 'failed' });
    expect(warnings).toEqual([]);
  },
);
