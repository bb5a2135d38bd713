import { describe, expect, it } from 'vitest';
import { type FromAiSdkOptions, fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';
import type { MediaTaken, MessagePart, ModelMedia, ModelMessage } from '../../../../../src/model/entry.ts';
import { linked, SAMPLES, sampleFile } from '../../../../wires/sample-files.ts';
import { failureIn } from '../settle.ts';
import { ask, delta, fakeModel, finish, streamedResult } from './fake-model.ts';

const answerHi = () => streamedResult([delta('hi'), finish()]);
const PHOTOS = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const PDF = 'application/pdf';
const noMedia: MediaTaken = { data: [], url: [] };
const bytesAndUrls = (...types: readonly string[]): MediaTaken => ({ data: types, url: types });
const bytesOnly = (...types: readonly string[]): MediaTaken => ({ data: types, url: [] });
const geminiAudio = ['wav', 'mp3', 'mpeg', 'aiff', 'aac', 'ogg', 'flac'].map((name) => `audio/${name}`);
const gemini = {
  data: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif', PDF, ...geminiAudio],
  url: ['image/png', 'image/jpeg', 'image/webp', PDF],
};
const spokenTypes = ['audio/wav', 'audio/mpeg', 'audio/mp3'];

const mediaOf = (provider: string, modelId = 'm-1', options: FromAiSdkOptions = {}) =>
  fromAiSdk(fakeModel([answerHi], { provider, modelId }).model, options).media;

describe('the media support of a model', () => {
  it.each<[string, string, ModelMedia]>([
    [
      'anthropic.messages',
      'claude',
      { message: bytesAndUrls(...PHOTOS, PDF), result: bytesAndUrls(...PHOTOS, PDF) },
    ],
    [
      'vertex.anthropic.messages',
      'claude',
      { message: bytesOnly(...PHOTOS, PDF), result: bytesOnly(...PHOTOS, PDF) },
    ],
    [
      'bedrock.anthropic.messages',
      'claude',
      { message: bytesOnly(...PHOTOS, PDF), result: bytesOnly(...PHOTOS, PDF) },
    ],
    [
      'google.generative-ai',
      'gemini-3-pro-preview',
      { message: gemini, result: bytesOnly('image/png', 'image/jpeg', 'image/webp', PDF) },
    ],
    [
      'google.vertex.chat',
      'publishers/google/models/gemini-3.8-flash',
      { message: gemini, result: bytesOnly('image/png', 'image/jpeg', 'image/webp', PDF) },
    ],
    ['google.generative-ai', 'gemini-2.5-pro', { message: gemini, result: noMedia }],
    ['google.generative-ai', 'gemma-3-27b-it', { message: gemini, result: noMedia }],
    [
      'openai.responses',
      'gpt-5.5',
      { message: bytesAndUrls(...PHOTOS, PDF), result: bytesAndUrls(...PHOTOS, PDF) },
    ],
    [
      'azure.responses',
      'mine',
      { message: bytesAndUrls(...PHOTOS, PDF), result: bytesAndUrls(...PHOTOS, PDF) },
    ],
    ['openai.chat', 'gpt-5', { message: { data: [...PHOTOS, PDF], url: PHOTOS }, result: noMedia }],
    ['azure.chat', 'mine', { message: { data: [...PHOTOS, PDF], url: PHOTOS }, result: noMedia }],
    ['openai.chat', 'gpt-audio', { message: bytesOnly(...spokenTypes), result: noMedia }],
    ['deepseek.chat', 'deepseek-v4', { message: bytesAndUrls(...PHOTOS), result: bytesAndUrls(...PHOTOS) }],
    ['groq.chat', 'llama', { message: bytesAndUrls(...PHOTOS), result: noMedia }],
    ['mistral.chat', 'mistral', { message: bytesAndUrls(...PHOTOS, PDF), result: noMedia }],
    [
      'xai.responses',
      'grok',
      {
        message: { data: ['image/png', 'image/jpeg'], url: ['image/png', 'image/jpeg', PDF] },
        result: bytesAndUrls('image/png', 'image/jpeg'),
      },
    ],
    [
      'openrouter',
      'some/model',
      {
        message: { data: [...PHOTOS, PDF, ...geminiAudio, 'audio/m4a'], url: [...PHOTOS, PDF] },
        result: { data: [...PHOTOS, PDF, ...geminiAudio, 'audio/m4a'], url: [...PHOTOS, PDF] },
      },
    ],
    ['amazon-bedrock', 'nova', { message: bytesOnly(...PHOTOS, PDF), result: bytesOnly(...PHOTOS, PDF) }],
    ['workersai.chat', '@cf/m', { message: bytesOnly(...PHOTOS), result: noMedia }],
  ])('is known for %s with the model %s', (provider, modelId, media) => {
    expect(mediaOf(provider, modelId)).toEqual(media);
  });

  it.each([
    'own.chat',
    'own.responses',
    'openai.completion',
    'google.generative-ai.interactions',
    'gateway',
    'fake',
  ])('is unknown for %s', (provider) => {
    expect(mediaOf(provider)).toBeUndefined();
  });

  it('is unknown for a model of the older specification, which sends other parts', () => {
    const older = fakeModel([answerHi], { provider: 'anthropic.messages', version: 'v3' });
    expect(fromAiSdk(older.model).media).toBeUndefined();
  });

  it('can be declared by the developer', () => {
    const media = { message: bytesOnly('image/*'), result: noMedia };
    expect(mediaOf('anthropic.messages', 'm', { media })).toEqual(media);
    expect(mediaOf('own.chat', 'm', { media })).toEqual(media);
    expect(mediaOf('own.chat', 'm', { media: undefined })).toBeUndefined();
  });

  it.each<[unknown, string]>([
    [
      { message: bytesOnly('png'), result: noMedia },
      "'media.message.data' contains 'png'. Use media types, such as 'image/png' or 'image/*'.",
    ],
    [
      { message: noMedia, result: bytesAndUrls('*/*') },
      "'media.result.data' contains '*/*'. Use media types, such as 'image/png' or 'image/*'.",
    ],
    [
      { message: { data: [], url: ['Image/PNG'] }, result: noMedia },
      "'media.message.url' contains 'Image/PNG'. Use media types, such as 'image/png' or 'image/*'.",
    ],
    [
      { message: noMedia },
      "'media.result.data' must be a list of media types, such as ['image/png', 'image/*'].",
    ],
    [['image/png'], "'media.message.data' must be a list of media types, such as ['image/png', 'image/*']."],
    [null, "'media.message.data' must be a list of media types, such as ['image/png', 'image/*']."],
  ])('throws for the declaration %j', (media, message) => {
    // Only callers without types can pass these.
    const options = { media } as FromAiSdkOptions;
    expect(() => mediaOf('own.chat', 'm', options)).toThrow(new TypeError(message));
  });
});

const png = sampleFile('image/png', 'chart.png');
const userMessage = (...parts: readonly MessagePart[]): ModelMessage => ({
  role: 'user',
  text: 'In words.',
  parts,
});
const toolMessages = (...parts: readonly MessagePart[]): ModelMessage[] => [
  { role: 'user', text: 'Look.' },
  { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'look', input: '{}' }] },
  { role: 'tool', id: 'a', name: 'look', text: 'In words.', parts },
];

/** Returns the prompt for these messages without the first `skip` messages. */
const promptFor = async (messages: readonly ModelMessage[], { version = 'v4', skip = 0 } = {}) => {
  const { calls, ...outcome } = await ask(answerHi, {
    stream: true,
    version,
    media: { message: bytesAndUrls('image/*', PDF), result: bytesAndUrls('image/*', PDF) },
    request: { messages, tools: [] },
  });
  if ('error' in outcome) throw outcome.error;
  return calls[0]?.prompt.slice(skip);
};

describe('a message with files', () => {
  const said = { type: 'text', text: 'What is it?' } as const;

  it('is sent to the older specification without details of its media', async () => {
    const parts = [png, said, linked('application/pdf')];
    const [pdf] = [new URL('https://files.test/one')];
    expect(await promptFor([userMessage(...parts)])).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'file',
            mediaType: 'image/png',
            data: { type: 'data', data: SAMPLES['image/png'] },
            filename: 'chart.png',
          },
          { type: 'text', text: 'What is it?' },
          {
            type: 'file',
            mediaType: PDF,
            data: { type: 'url', url: pdf, originalUrl: 'https://files.test/one' },
          },
        ],
      },
    ]);
  });

  it('is sent to the older specification without a description of its data', async () => {
    expect(await promptFor([userMessage(png, said, linked('application/pdf'))], { version: 'v3' })).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data: SAMPLES['image/png'], filename: 'chart.png' },
          { type: 'text', text: 'What is it?' },
          { type: 'file', mediaType: PDF, data: new URL('https://files.test/one') },
        ],
      },
    ]);
  });
});

describe('a result with files', () => {
  const said = { type: 'text', text: 'Seen.' } as const;
  const parts = [
    said,
    png,
    sampleFile('application/pdf', 'a.pdf'),
    linked('image/png'),
    linked('application/pdf'),
  ];
  const result = (value: readonly unknown[]) => [
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', toolName: 'look', output: { type: 'content', value } },
      ],
    },
  ];

  it('is sent in its parts, in order', async () => {
    const url = {
      type: 'url',
      url: new URL('https://files.test/one'),
      originalUrl: 'https://files.test/one',
    };
    expect(await promptFor(toolMessages(...parts), { skip: 2 })).toEqual(
      result([
        { type: 'text', text: 'Seen.' },
        {
          type: 'file',
          mediaType: 'image/png',
          data: { type: 'data', data: SAMPLES['image/png'] },
          filename: 'chart.png',
        },
        { type: 'file', mediaType: PDF, data: { type: 'data', data: SAMPLES[PDF] }, filename: 'a.pdf' },
        { type: 'file', mediaType: 'image/png', data: url },
        { type: 'file', mediaType: PDF, data: url },
      ]),
    );
  });

  it('is sent in the parts of the older specification', async () => {
    expect(await promptFor(toolMessages(...parts), { version: 'v3', skip: 2 })).toEqual(
      result([
        { type: 'text', text: 'Seen.' },
        { type: 'image-data', mediaType: 'image/png', data: SAMPLES['image/png'] },
        { type: 'file-data', mediaType: PDF, data: SAMPLES[PDF], filename: 'a.pdf' },
        { type: 'image-url', url: 'https://files.test/one' },
        { type: 'file-url', url: 'https://files.test/one' },
      ]),
    );
  });
});

describe('a file that the model does not accept', () => {
  const cannot = (provider: string, what: string) =>
    `The model 'm-1' of '${provider}' cannot accept a file of the type ${what}.`;

  it.each<[string, readonly ModelMessage[], string]>([
    ['anthropic.messages', [userMessage(sampleFile('audio/wav'))], "'audio/wav' in a message"],
    ['anthropic.messages', toolMessages(sampleFile('audio/wav')), "'audio/wav' in a result"],
    ['bedrock.anthropic.messages', [userMessage(linked('image/png'))], "'image/png' by its URL in a message"],
    ['deepseek.chat', [userMessage(png, sampleFile('application/pdf'))], "'application/pdf' in a message"],
    ['groq.chat', toolMessages(png), "'image/png' in a result"],
    ['google.generative-ai', toolMessages(linked('image/png')), "'image/png' by its URL in a result"],
    ['xai.responses', [userMessage(sampleFile('application/pdf'))], "'application/pdf' in a message"],
    ['own.chat', toolMessages(png), "'image/png' in a result"],
  ])('causes an error that names its type before the request of %s: %#', async (provider, messages, what) => {
    const { calls, ...outcome } = await ask(answerHi, {
      stream: true,
      provider,
      request: { messages, tools: [] },
    });
    expect(failureIn(outcome)).toMatchObject({ failure: 'bad-request', message: cannot(provider, what) });
    expect(calls).toEqual([]);
  });

  it('is sent if the support is unknown, and causes an error if the provider reports that it was dropped', async () => {
    const request = { messages: [userMessage(png, sampleFile('audio/wav'))], tools: [] };
    expect((await ask(answerHi, { stream: true, provider: 'own.chat', request })).calls).toHaveLength(1);
    const warned = (warning: object) => () =>
      streamedResult([{ type: 'stream-start', warnings: [warning] }, delta('hi'), finish()]);
    for (const [warning, why] of [
      [{ type: 'unsupported', feature: 'user message part type: file' }, ''],
      [
        { type: 'other', message: 'unsupported tool content part type: file with media type: audio/wav' },
        ': unsupported tool content part type: file with media type: audio/wav',
      ],
    ] as const) {
      const outcome = await ask(warned(warning), { stream: true, provider: 'own.chat', request });
      expect(failureIn(outcome)).toMatchObject({
        failure: 'bad-request',
        message: `The model 'm-1' of 'own.chat' cannot accept a file of the type 'image/png' or 'audio/wav'${why}.`,
      });
      const without = await ask(warned(warning), { stream: true, provider: 'own.chat' });
      expect('reply' in without).toBe(true);
    }
  });
});
