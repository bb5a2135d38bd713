import { describe, expect, it, vi } from 'vitest';
import type { MessagePart, ModelMedia, ModelRequest } from '../../../../../src/model/entry.ts';
import { openaiCompatible } from '../../../../../src/model/openai-compatible/entry.ts';
import { createLinkedSample, createSampleFile, SAMPLE_FILES } from '../../../../wires/sample-files.ts';
import { ask, askForFailure, createCompletion } from './fake-server.ts';

const respondOk = () => Response.json(createCompletion({ content: 'hi' }));
const none = { data: [], url: [] };
const png = `data:image/png;base64,${SAMPLE_FILES['image/png']}`;
const pdf = `data:application/pdf;base64,${SAMPLE_FILES['application/pdf']}`;

const createRequest = (...parts: readonly MessagePart[]): ModelRequest => ({
  messages: [{ role: 'user', text: 'In words.', parts }],
  tools: [],
});
const collectSentMessages = async (request: ModelRequest) =>
  Object((await ask(respondOk, { request })).requests[0]?.body).messages;

describe('a message with files', () => {
  it('is sent in its parts, in order', async () => {
    const request = createRequest(
      createSampleFile('image/png', 'a.png'),
      { type: 'text', text: 'What is it?' },
      createLinkedSample('image/jpeg'),
      createSampleFile('application/pdf', 'a.pdf'),
      createSampleFile('application/pdf'),
      createSampleFile('audio/wav'),
      createSampleFile('audio/mpeg'),
    );
    expect(await collectSentMessages(request)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: png } },
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: 'https://files.test/one' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: pdf } },
          { type: 'file', file: { filename: 'document.pdf', file_data: pdf } },
          { type: 'input_audio', input_audio: { data: SAMPLE_FILES['audio/wav'], format: 'wav' } },
          { type: 'input_audio', input_audio: { data: SAMPLE_FILES['audio/mpeg'], format: 'mp3' } },
        ],
      },
    ]);
  });

  it('is encoded in pieces, because a single string would need several times the memory', async () => {
    const stringify = vi.spyOn(JSON, 'stringify');
    const large = { ...createSampleFile('image/png'), data: 'iVBO'.repeat(250_000) };
    const words = { type: 'text', text: 'What’s on the 2️⃣ images?' } as const;
    const tools = [{ name: 'look', description: 'Looks “closely”.', inputSchema: { type: 'object' } }];
    const { messages } = createRequest(large, words, large);
    const { requests } = await ask(respondOk, { request: { messages, tools } });
    const written = stringify.mock.results.map(({ value }) => String(value).length);
    stringify.mockRestore();
    expect(requests[0]?.init.body).toBeInstanceOf(Uint8Array);
    expect(Math.max(...written)).toBeLessThan(2_000);
    const shown = { type: 'image_url', image_url: { url: `data:image/png;base64,${large.data}` } };
    const body = Object(requests[0]?.body);
    expect(body.messages).toEqual([{ role: 'user', content: [shown, words, shown] }]);
    expect(body.tools[0].function.description).toBe('Looks “closely”.');
  });

  it('is encoded as by `JSON.stringify`, even if its base64 is invalid', async () => {
    const data = '"}}]},{"role';
    const body = await collectSentMessages(
      createRequest({ ...createSampleFile('image/png'), data }, createSampleFile('image/png')),
    );
    expect(body[0].content[0].image_url.url).toBe(`data:image/png;base64,${data}`);
  });

  it.each([
    [
      createSampleFile('image/png'),
      { ...createSampleFile('audio/wav'), mediaType: 'audio/ogg' },
      "'audio/ogg'",
    ],
    [createLinkedSample('application/pdf'), createSampleFile('image/png'), "'application/pdf' by its URL"],
    [createLinkedSample('audio/wav'), createSampleFile('image/png'), "'audio/wav' by its URL"],
    [
      { ...createSampleFile('image/png'), mediaType: 'video/mp4' },
      createSampleFile('image/png'),
      "'video/mp4'",
    ],
  ])(
    'causes an error that includes the type of the file before the request: %#',
    async (first, second, what) => {
      const { requests } = await ask(respondOk, { request: createRequest(first, second) });
      expect(requests).toEqual([]);
      expect(await askForFailure(respondOk, { request: createRequest(first, second) })).toMatchObject({
        failure: 'bad-request',
        message: `Chat completions cannot accept a file of the type ${what}.`,
      });
    },
  );
});

it('a result with files is described in text', async () => {
  const messages: ModelRequest['messages'] = [
    { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'look', input: '{}' }] },
    { role: 'tool', id: 'a', name: 'look', text: 'In words.', parts: [createSampleFile('image/png')] },
  ];
  expect((await collectSentMessages({ messages, tools: [] }))[1]).toEqual({
    role: 'tool',
    tool_call_id: 'a',
    content: 'In words.',
  });
});

describe('the media support of a model', () => {
  const getMedia = (media?: ModelMedia) =>
    openaiCompatible({ baseURL: 'http://localhost:1/v1', model: 'm-1', media }).media;

  it('is unknown unless it is declared', () => {
    expect(getMedia()).toBeUndefined();
    const media = { message: { data: ['image/*'], url: ['image/png'] }, result: none };
    expect(getMedia(media)).toEqual(media);
  });

  it.each([
    [
      { message: { data: ['images'], url: [] }, result: none },
      "'media.message.data' contains 'images'. Use media types, such as 'image/png' or 'image/*'.",
    ],
    [
      { message: none, result: { data: ['image/png'], url: [] } },
      "'media.result.data' contains 'image/png', but the adapter sends no files there. Leave it empty.",
    ],
    [
      { message: none, result: { data: [], url: ['image/*'] } },
      "'media.result.url' contains 'image/*', but the adapter sends no files there. Leave it empty.",
    ],
  ])('throws for the declaration %j', (media, message) => {
    expect(() => getMedia(media)).toThrow(new TypeError(message));
  });
});
