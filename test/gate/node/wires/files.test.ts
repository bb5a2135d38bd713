/** Files in messages and results, as providers' packages send them to servers as strict as the real ones. */
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import { fromAiSdk } from '../../../../src/model/ai-sdk/entry.ts';
import type { MessagePart } from '../../../../src/model/entry.ts';
import { createChatCompletionsWire, readChatFiles } from '../../../wires/chat-completions.ts';
import { hashFiles, type SentFile } from '../../../wires/files.ts';
import {
  createLinkedSample,
  createSampleFile,
  SAMPLE_FILES,
  type SampleType,
} from '../../../wires/sample-files.ts';
import type { WireName } from '../../../wires/session/servers.ts';
import { createFetch } from '../../../wires/wire.ts';
import { type FileScene, playScene } from './file-scene.ts';

const words: MessagePart = { type: 'text', text: 'What is it?' };
const photo = createSampleFile('image/png', 'photo.png');
const paper = createSampleFile('application/pdf', 'paper.pdf');
const sound = createSampleFile('audio/wav');
const photoLink = createLinkedSample('image/png', 'https://files.test/photo.png');
const paperLink = createLinkedSample('application/pdf', 'https://files.test/paper.pdf');

type FilePlace = SentFile['where'];

const hashSample = async (type: SampleType): Promise<string> =>
  (await hashFiles([{ where: 'message', base64: SAMPLE_FILES[type] }]))[0]?.sha256 ?? '';
const PNG_HASH = await hashSample('image/png');
const PDF_HASH = await hashSample('application/pdf');
const WAV_HASH = await hashSample('audio/wav');

const createPngFile = (where: FilePlace): SentFile => ({ where, mediaType: 'image/png', sha256: PNG_HASH });
const createPdfFile = (where: FilePlace, name?: string): SentFile => ({
  where,
  mediaType: 'application/pdf',
  sha256: PDF_HASH,
  ...(name !== undefined && { name }),
});
const createWavFile = (where: FilePlace): SentFile => ({ where, mediaType: 'audio/wav', sha256: WAV_HASH });
const createLinkedFile = (where: FilePlace, url: string, mediaType?: string): SentFile => ({
  where,
  url: `https://files.test/${url}`,
  ...(mediaType !== undefined && { mediaType }),
});

const listExpectedFiles = (where: FilePlace): readonly SentFile[] => [
  createPngFile(where),
  createPdfFile(where, 'paper.pdf'),
  createLinkedFile(where, 'photo.png'),
  createLinkedFile(where, 'paper.pdf'),
];

describe('files that a model accepts', () => {
  const all = [words, photo, paper, photoLink, paperLink];

  it.each<[WireName, FileScene, readonly SentFile[]]>([
    [
      'anthropic-budget',
      { message: all, result: all },
      [
        ...listExpectedFiles('message'),
        createPngFile('result'),
        createPdfFile('result'),
        createLinkedFile('result', 'photo.png'),
        createLinkedFile('result', 'paper.pdf'),
      ],
    ],
    [
      'anthropic-preserved',
      { message: [photo], result: [photo] },
      [createPngFile('message'), createPngFile('result')],
    ],
    [
      'gemini',
      { message: [...all, sound], result: [words, photo, paper] },
      [
        createPngFile('message'),
        createPdfFile('message'),
        createLinkedFile('message', 'photo.png', 'image/png'),
        createLinkedFile('message', 'paper.pdf', 'application/pdf'),
        createWavFile('message'),
        createPngFile('result'),
        createPdfFile('result'),
      ],
    ],
    [
      'gemini',
      { message: [words, photo], result: [photo] },
      [createPngFile('message'), createPngFile('result')],
    ],
    [
      'responses-unstored',
      { message: all, result: all },
      [...listExpectedFiles('message'), ...listExpectedFiles('result')],
    ],
    [
      'responses-stored',
      { message: [paper], result: [photo] },
      [createPdfFile('message', 'paper.pdf'), createPngFile('result')],
    ],
    [
      'deepseek-sdk',
      { message: [words, photo, photoLink], result: [words, photo, photoLink] },
      [
        createPngFile('message'),
        createLinkedFile('message', 'photo.png'),
        createPngFile('result'),
        createLinkedFile('result', 'photo.png'),
      ],
    ],
    [
      'openrouter-sdk',
      { message: [...all, sound], result: [...all, sound] },
      [
        ...listExpectedFiles('message').slice(0, 3),
        createLinkedFile('message', 'paper.pdf'),
        createWavFile('message'),
        ...listExpectedFiles('result').slice(0, 3),
        createLinkedFile('result', 'paper.pdf'),
        createWavFile('result'),
      ],
    ],
    [
      'kimi',
      { message: [words, photo, photoLink, paper, sound] },
      [
        createPngFile('message'),
        createLinkedFile('message', 'photo.png'),
        createPdfFile('message', 'paper.pdf'),
        createWavFile('message'),
      ],
    ],
    [
      'kimi-sdk',
      { message: [words, photo, photoLink, paper, sound] },
      [
        createPngFile('message'),
        createLinkedFile('message', 'photo.png'),
        createPdfFile('message', 'paper.pdf'),
        createWavFile('message'),
      ],
    ],
    ['kimi', { message: [photo], result: [photo] }, [createPngFile('message')]],
  ])('reach the server of %s (case %#)', async (name, scene, files) => {
    const played = await playScene(name, scene);
    expect(played.server.refused).toEqual([]);
    expect(played.files).toEqual(files);
    expect(played.answer).toBe('It is seen.');
  });

  it("reach OpenAI's chat completions", async () => {
    const server = createChatCompletionsWire({
      script: { turns: [{ steps: [], answer: 'It is seen.' }] },
      dialect: 'kimi',
    });
    const model = fromAiSdk(createOpenAI({ apiKey: 'k', fetch: createFetch(server) }).chat('gpt-5.5'));
    const messages = [{ role: 'user', text: '', parts: [words, photo, photoLink, paper] } as const];
    const { text } = await model.ask({ messages, tools: [] }, { signal: new AbortController().signal });
    expect([text, server.refused]).toEqual(['It is seen.', []]);
    expect(await readChatFiles(server.requests[0])).toEqual([
      createPngFile('message'),
      createLinkedFile('message', 'photo.png'),
      createPdfFile('message', 'paper.pdf'),
    ]);
  });
});
