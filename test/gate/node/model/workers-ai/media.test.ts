import { describe, expect, it } from 'vitest';
import type { MessagePart, ModelMedia, ModelRequest } from '../../../../../src/model/entry.ts';
import { workersAi } from '../../../../../src/model/workers-ai/entry.ts';
import { createLinkedSample, createSampleFile, SAMPLE_FILES } from '../../../../wires/sample-files.ts';
import { getFailure } from '../settle.ts';
import { ask, createFakeBinding } from './fake-binding.ts';

const answerHi = () => ({ response: 'hi' });
const none = { data: [], url: [] };

const createRequest = (...parts: readonly MessagePart[]): ModelRequest => ({
  messages: [
    { role: 'user', text: 'In words.', parts },
    { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'look', input: '{}' }] },
    { role: 'tool', id: 'a', name: 'look', text: 'In words.', parts },
  ],
  tools: [],
});

it('an image in a message is sent as a part, and an image in a result is sent as text', async () => {
  const request = createRequest(createSampleFile('image/png'), { type: 'text', text: 'What is it?' });
  const { runs } = await ask(answerHi, { request });
  const url = `data:image/png;base64,${SAMPLE_FILES['image/png']}`;
  expect(runs[0]?.inputs.messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url } },
        { type: 'text', text: 'What is it?' },
      ],
    },
    expect.objectContaining({ role: 'assistant', content: '' }),
    { role: 'tool', tool_call_id: 'a', name: 'look', content: 'In words.' },
  ]);
});

it.each([
  [createLinkedSample('image/png'), "'image/png' by its URL"],
  [{ ...createSampleFile('image/png'), mediaType: 'video/mp4' }, "'video/mp4'"],
])(
  'a file that the binding does not accept causes an error with its type, and the binding is not called: %#',
  async (file, what) => {
    const outcome = await ask(answerHi, { request: createRequest(file) });
    expect(getFailure(outcome)).toMatchObject({
      failure: 'bad-request',
      message: `Workers AI cannot accept a file of the type ${what}.`,
    });
    expect(outcome.runs).toEqual([]);
  },
);

describe('the media support of a model', () => {
  const getMedia = (media?: ModelMedia) =>
    workersAi(createFakeBinding([answerHi]).binding, { model: 'm', media }).media;

  it('is unknown unless it is declared', () => {
    expect(getMedia()).toBeUndefined();
    const media = { message: { data: ['image/*'], url: [] }, result: none };
    expect(getMedia(media)).toEqual(media);
  });

  it.each([
    [
      { message: { data: [], url: ['image/png'] }, result: none },
      "'media.message.url' contains 'image/png', but the adapter sends no files there. Leave it empty.",
    ],
    [
      { message: none, result: { data: ['image/png'], url: [] } },
      "'media.result.data' contains 'image/png', but the adapter sends no files there. Leave it empty.",
    ],
  ])('cannot be declared as %j', (media, message) => {
    expect(() => getMedia(media)).toThrow(new TypeError(message));
  });
});
