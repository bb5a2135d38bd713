import { describe, expect, it } from 'vitest';
import { type FromAiSdkOptions, fromAiSdk } from '../../../../../src/model/ai-sdk/entry.ts';
import type { AcceptedMedia, MessagePart, ModelMedia, ModelMessage } from '../../../../../src/model/entry.ts';
import { createLinkedSample, createSampleFile, SAMPLE_FILES } from '../../../../wires/sample-files.ts';
import { getFailure } from '../settle.ts';
import { ask, createDelta, createFakeModel, createFinish, createStreamedResult } from './fake-model.ts';

const answerHi = () => createStreamedResult([createDelta('hi'), createFinish()]);
const PHOTO_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const PDF_TYPE = 'application/pdf';
const noMedia: AcceptedMedia = { data: [], url: [] };
const createBytesAndUrlsMedia = (...types: readonly string[]): AcceptedMedia => ({ data: types, url: types });
const createBytesMedia = (...types: readonly string[]): AcceptedMedia => ({ data: types, url: [] });
const geminiAudio = ['wav', 'mp3', 'mpeg', 'aiff', 'aac', 'ogg', 'flac'].map((name) => `audio/${name}`);
const gemini = {
  data: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif', PDF_TYPE, ...geminiAudio],
  url: ['image/png', 'image/jpeg', 'image/webp', PDF_TYPE],
};
const spokenTypes = ['audio/wav', 'audio/mpeg', 'audio/mp3'];

const getMedia = (provider: string, modelId = 'm-1', options: FromAiSdkOptions = {}) =>
  fromAiSdk(createFakeModel([answerHi], { provider, modelId }).model, options).media;

describe('the media support of a model', () => {
  it.each<[string, string, ModelMedia]>([
    [
      'anthropic.messages',
      'claude',
      {
        message: createBytesAndUrlsMedia(...PHOTO_TYPES, PDF_TYPE),
        result: createBytesAndUrlsMedia(...PHOTO_TYPES, PDF_TYPE),
      },
    ],
    [
      'vertex.anthropic.messages',
      'claude',
      {
        message: createBytesMedia(...PHOTO_TYPES, PDF_TYPE),
        result: createBytesMedia(...PHOTO_TYPES, PDF_TYPE),
      },
    ],
    [
      'bedrock.anthropic.messages',
      'claude',
      {
        message: createBytesMedia(...PHOTO_TYPES, PDF_TYPE),
        result: createBytesMedia(...PHOTO_TYPES, PDF_TYPE),
      },
    ],
    [
      'google.generative-ai',
      'gemini-3-pro-preview',
      { message: gemini, result: createBytesMedia('image/png', 'image/jpeg', 'image/webp', PDF_TYPE) },
    ],
    [
      'google.vertex.chat',
      'publishers/google/models/gemini-3.8-flash',
      { message: gemini, result: createBytesMedia('image/png', 'image/jpeg', 'image/webp', PDF_TYPE) },
    ],
    ['google.generative-ai', 'gemini-2.5-pro', { message: gemini, result: noMedia }],
    ['google.generative-ai', 'gemma-3-27b-it', { message: gemini, result: noMedia }],
    [
      'openai.responses',
      'gpt-5.5',
      {
        message: createBytesAndUrlsMedia(...PHOTO_TYPES, PDF_TYPE),
        result: createBytesAndUrlsMedia(...PHOTO_TYPES, PDF_TYPE),
      },
    ],
    [
      'azure.responses',
      'mine',
      {
        message: createBytesAndUrlsMedia(...PHOTO_TYPES, PDF_TYPE),
        result: createBytesAndUrlsMedia(...PHOTO_TYPES, PDF_TYPE),
      },
    ],
    [
      'openai.chat',
      'gpt-5',
      { message: { data: [...PHOTO_TYPES, PDF_TYPE], url: PHOTO_TYPES }, result: noMedia },
    ],
    [
      'azure.chat',
      'mine',
      { message: { data: [...PHOTO_TYPES, PDF_TYPE], url: PHOTO_TYPES }, result: noMedia },
    ],
    ['openai.chat', 'gpt-audio', { message: createBytesMedia(...spokenTypes), result: noMedia }],
    [
      'deepseek.chat',
      'deepseek-v4',
      { message: createBytesAndUrlsMedia(...PHOTO_TYPES), result: createBytesAndUrlsMedia(...PHOTO_TYPES) },
    ],
    ['groq.chat', 'llama', { message: createBytesAndUrlsMedia(...PHOTO_TYPES), result: noMedia }],
    [
      'mistral.chat',
      'mistral',
      { message: createBytesAndUrlsMedia(...PHOTO_TYPES, PDF_TYPE), result: noMedia },
    ],
    [
      'xai.responses',
      'grok',
      {
        message: { data: ['image/png', 'image/jpeg'], url: ['image/png', 'image/jpeg', PDF_TYPE] },
        result: createBytesAndUrlsMedia('image/png', 'image/jpeg'),
      },
    ],
    [
      'openrouter',
      'some/model',
      {
        message: {
          data: [...PHOTO_TYPES, PDF_TYPE, ...geminiAudio, 'audio/m4a'],
          url: [...PHOTO_TYPES, PDF_TYPE],
        },
        result: {
          data: [...PHOTO_TYPES, PDF_TYPE, ...geminiAudio, 'audio/m4a'],
          url: [...PHOTO_TYPES, PDF_TYPE],
        },
      },
    ],
    [
      'amazon-bedrock',
      'nova',
      {
        message: createBytesMedia(...PHOTO_TYPES, PDF_TYPE),
        result: createBytesMedia(...PHOTO_TYPES, PDF_TYPE),
      },
    ],
    ['workersai.chat', '@cf/m', { message: createBytesMedia(...PHOTO_TYPES), result: noMedia }],
  ])('is known for %s with the model %s', (provider, modelId, media) => {
    expect(getMedia(provider, modelId)).toEqual(media);
  });

  it.each([
    'own.chat',
    'own.responses',
    'openai.completion',
    'google.generative-ai.interactions',
    'gateway',
    'fake',
  ])('is unknown for %s', (provider) => {
    expect(getMedia(provider)).toBeUndefined();
  });

  it('is unknown for a model of the older specification, which sends other parts', () => {
    const older = createFakeModel([answerHi], { provider: 'anthropic.messages', version: 'v3' });
    expect(fromAiSdk(older.model).media).toBeUndefined();
  });

  it('can be declared by the developer', () => {
    const media = { message: createBytesMedia('image/*'), result: noMedia };
    expect(getMedia('anthropic.messages', 'm', { media })).toEqual(media);
    expect(getMedia('own.chat', 'm', { media })).toEqual(media);
    expect(getMedia('own.chat', 'm', { media: undefined })).toBeUndefined();
  });

  it.each<[unknown, string]>([
    [
      { message: createBytesMedia('png'), result: noMedia },
      "'media.message.data' contains 'png'. Use media types, such as 'image/png' or 'image/*'.",
    ],
    [
      { message: noMedia, result: createBytesAndUrlsMedia('*/*') },
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
    // Only untyped callers can pass these.
    const options = { media } as FromAiSdkOptions;
    expect(() => getMedia('own.chat', 'm', options)).toThrow(new TypeError(message));
  });
});

const png = createSampleFile('image/png', 'chart.png');
const createUserMessage = (...parts: readonly MessagePart[]): ModelMessage => ({
  role: 'user',
  text: 'In words.',
  parts,
});
const createToolMessages = (...parts: readonly MessagePart[]): ModelMessage[] => [
  { role: 'user', text: 'Look.' },
  { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'look', input: '{}' }] },
  { role: 'tool', id: 'a', name: 'look', text: 'In words.', parts },
];

/** Returns the prompt for these messages without the first `skip` messages. */
const getPrompt = async (messages: readonly ModelMessage[], { version = 'v4', skip = 0 } = {}) => {
  const { calls, ...outcome } = await ask(answerHi, {
    stream: true,
    version,
    media: {
      message: createBytesAndUrlsMedia('image/*', PDF_TYPE),
      result: createBytesAndUrlsMedia('image/*', PDF_TYPE),
    },
    request: { messages, tools: [] },
  });
  if ('error' in outcome) throw outcome.error;
  return calls[0]?.prompt.slice(skip);
};

describe('a message with files', () => {
  const said = { type: 'text', text: 'What is it?' } as const;

  it('is sent to the older specification without details of its media', async () => {
    const parts = [png, said, createLinkedSample('application/pdf')];
    const [pdf] = [new URL('https://files.test/one')];
    expect(await getPrompt([createUserMessage(...parts)])).toEqual([
      {
        role: 'user',
        content: [
          {
            type: 'file',
            mediaType: 'image/png',
            data: { type: 'data', data: SAMPLE_FILES['image/png'] },
            filename: 'chart.png',
          },
          { type: 'text', text: 'What is it?' },
          {
            type: 'file',
            mediaType: PDF_TYPE,
            data: { type: 'url', url: pdf, originalUrl: 'https://files.test/one' },
          },
        ],
      },
    ]);
  });

  it('is sent to the older specification without a description of its data', async () => {
    expect(
      await getPrompt([createUserMessage(png, said, createLinkedSample('application/pdf'))], {
        version: 'v3',
      }),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data: SAMPLE_FILES['image/png'], filename: 'chart.png' },
          { type: 'text', text: 'What is it?' },
          { type: 'file', mediaType: PDF_TYPE, data: new URL('https://files.test/one') },
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
    createSampleFile('application/pdf', 'a.pdf'),
    createLinkedSample('image/png'),
    createLinkedSample('application/pdf'),
  ];
  const createToolResult = (value: readonly unknown[]) => [
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
    expect(await getPrompt(createToolMessages(...parts), { skip: 2 })).toEqual(
      createToolResult([
        { type: 'text', text: 'Seen.' },
        {
          type: 'file',
          mediaType: 'image/png',
          data: { type: 'data', data: SAMPLE_FILES['image/png'] },
          filename: 'chart.png',
        },
        {
          type: 'file',
          mediaType: PDF_TYPE,
          data: { type: 'data', data: SAMPLE_FILES[PDF_TYPE] },
          filename: 'a.pdf',
        },
        { type: 'file', mediaType: 'image/png', data: url },
        { type: 'file', mediaType: PDF_TYPE, data: url },
      ]),
    );
  });

  it('is sent in the parts of the older specification', async () => {
    expect(await getPrompt(createToolMessages(...parts), { version: 'v3', skip: 2 })).toEqual(
      createToolResult([
        { type: 'text', text: 'Seen.' },
        { type: 'image-data', mediaType: 'image/png', data: SAMPLE_FILES['image/png'] },
        { type: 'file-data', mediaType: PDF_TYPE, data: SAMPLE_FILES[PDF_TYPE], filename: 'a.pdf' },
        { type: 'image-url', url: 'https://files.test/one' },
        { type: 'file-url', url: 'https://files.test/one' },
      ]),
    );
  });
});

describe('a file that the model does not accept', () => {
  const describeRefusal = (provider: string, what: string) =>
    `The model 'm-1' of '${provider}' cannot accept a file of the type ${what}.`;

  it.each<[string, readonly ModelMessage[], string]>([
    ['anthropic.messages', [createUserMessage(createSampleFile('audio/wav'))], "'audio/wav' in a message"],
    ['anthropic.messages', createToolMessages(createSampleFile('audio/wav')), "'audio/wav' in a result"],
    [
      'bedrock.anthropic.messages',
      [createUserMessage(createLinkedSample('image/png'))],
      "'image/png' by its URL in a message",
    ],
    [
      'deepseek.chat',
      [createUserMessage(png, createSampleFile('application/pdf'))],
      "'application/pdf' in a message",
    ],
    ['groq.chat', createToolMessages(png), "'image/png' in a result"],
    [
      'google.generative-ai',
      createToolMessages(createLinkedSample('image/png')),
      "'image/png' by its URL in a result",
    ],
    [
      'xai.responses',
      [createUserMessage(createSampleFile('application/pdf'))],
      "'application/pdf' in a message",
    ],
    ['own.chat', createToolMessages(png), "'image/png' in a result"],
  ])('causes an error that shows its type before the request of %s: %#', async (provider, messages, what) => {
    const { calls, ...outcome } = await ask(answerHi, {
      stream: true,
      provider,
      request: { messages, tools: [] },
    });
    expect(getFailure(outcome)).toMatchObject({
      failure: 'bad-request',
      message: describeRefusal(provider, what),
    });
    expect(calls).toEqual([]);
  });

  it('is sent if the support is unknown, and causes an error if the provider reports that it was dropped', async () => {
    const request = { messages: [createUserMessage(png, createSampleFile('audio/wav'))], tools: [] };
    expect((await ask(answerHi, { stream: true, provider: 'own.chat', request })).calls).toHaveLength(1);
    const streamWarning = (warning: object) => () =>
      createStreamedResult([
        { type: 'stream-start', warnings: [warning] },
        createDelta('hi'),
        createFinish(),
      ]);
    for (const [warning, why] of [
      [{ type: 'unsupported', feature: 'user message part type: file' }, ''],
      [
        { type: 'other', message: 'unsupported tool content part type: file with media type: audio/wav' },
        ': unsupported tool content part type: file with media type: audio/wav',
      ],
    ] as const) {
      const outcome = await ask(streamWarning(warning), { stream: true, provider: 'own.chat', request });
      expect(getFailure(outcome)).toMatchObject({
        failure: 'bad-request',
        message: `The model 'm-1' of 'own.chat' cannot accept a file of the type 'image/png' or 'audio/wav'${why}.`,
      });
      const without = await ask(streamWarning(warning), { stream: true, provider: 'own.chat' });
      expect('reply' in without).toBe(true);
    }
  });
});
