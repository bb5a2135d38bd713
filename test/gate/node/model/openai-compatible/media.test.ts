import { describe, expect, it, vi } from 'vitest';
import type { MessagePart, ModelMedia, ModelRequest } from '../../../../../src/model/entry.ts';
import { openaiCompatible } from '../../../../../src/model/openai-compatible/entry.ts';
import { linked, SAMPLES, sampleFile } from '../../../../wires/sample-files.ts';
import { ask, completion, failureOf } from './fake-server.ts';

const respondOk = () => Response.json(completion({ content: 'hi' }));
const none = { data: [], url: [] };
const png = `data:image/png;base64,${SAMPLES['image/png']}`;
const pdf = `data:application/pdf;base64,${SAMPLES['application/pdf']}`;

const requestWith = (...parts: readonly MessagePart[]): ModelRequest => ({
  messages: [{ role: 'user', text: 'In words.', parts }],
  tools: [],
});
const sentMessages = async (request: ModelRequest) =>
  Object((await ask(respondOk, { request })).requests[0]?.body).messages;

describe('a message with files', () => {
  it('is sent in its parts, in order', async () => {
    const request = requestWith(
      sampleFile('image/png', 'a.png'),
      { type: 'text', text: 'What is it?' },
      linked('image/jpeg'),
      sampleFile('application/pdf', 'a.pdf'),
      sampleFile('application/pdf'),
      sampleFile('audio/wav'),
      sampleFile('audio/mpeg'),
    );
    expect(await sentMessages(request)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: png } },
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: 'https://files.test/one' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: pdf } },
          { type: 'file', file: { filename: 'document.pdf', file_data: pdf } },
          { type: 'input_audio', input_audio: { data: SAMPLES['audio/wav'], format: 'wav' } },
          { type: 'input_audio', input_audio: { data: SAMPLES['audio/mpeg'], format: 'mp3' } },
        ],
      },
    ]);
  });

  it('is encoded in pieces, because a single string would need several times the memory', async () => {
    const stringify = vi.spyOn(JSON, 'stringify');
    const large = { ...sampleFile('image/png'), data: 'iVBO'.repeat(250_000) };
    const words = { type: 'text', text: 'What’s on the 2️⃣ images?' } as const;
    const tools = [{ name: 'look', description: 'Looks “closely”.', inputSchema: { type: 'object' } }];
    const { messages } = requestWith(large, words, large);
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
    const body = await sentMessages(
      requestWith({ ...sampleFile('image/png'), data }, sampleFile('image/png')),
    );
    expect(body[0].content[0].image_url.url).toBe(`data:image/png;base64,${data}`);
  });

  it.each([
    [sampleFile('image/png'), { ...sampleFile('audio/wav'), mediaType: 'audio/ogg' }, "'audio/ogg'"],
    [linked('application/pdf'), sampleFile('image/png'), "'application/pdf' by its URL"],
    [linked('audio/wav'), sampleFile('image/png'), "'audio/wav' by its URL"],
    [{ ...sampleFile('image/png'), mediaType: 'video/mp4' }, sampleFile('image/png'), "'video/mp4'"],
  ])(
    'causes an error that names the type of the file before the request: %#',
    async (first, second, what) => {
      const { requests } = await ask(respondOk, { request: requestWith(first, second) });
      expect(requests).toEqual([]);
      expect(await failureOf(respondOk, { request: requestWith(first, second) })).toMatchObject({
        failure: 'bad-request',
        message: `Chat completions cannot accept a file of the type ${what}.`,
      });
    },
  );
});

it('a result with files is described in text', async () => {
  const messages: ModelRequest['messages'] = [
    { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'look', input: '{}' }] },
    { role: 'tool', id: 'a', name: 'look', text: 'In words.', parts: [sampleFile('image/png')] },
  ];
  expect((await sentMessages({ messages, tools: [] }))[1]).toEqual({
    role: 'tool',
    tool_call_id: 'a',
    content: 'In words.',
  });
});

describe('the media support of a model', () => {
  const made = (media?: ModelMedia) =>
    openaiCompatible({ baseURL: 'http://localhost:1/v1', model: 'm-1', media }).media;

  it('is unknown unless it is declared', () => {
    expect(made()).toBeUndefined();
    const media = { message: { data: ['image/*'], url: ['image/png'] }, result: none };
    expect(made(media)).toEqual(media);
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
    expect(() => made(media)).toThrow(new TypeError(message));
  });
});
