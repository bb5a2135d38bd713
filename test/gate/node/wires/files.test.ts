/**
 * Files in messages and results, as the packages of providers send them to servers that are as strict as the
 * real ones.
 */
import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import { fromAiSdk } from '../../../../src/model/ai-sdk/entry.ts';
import type { MessagePart } from '../../../../src/model/entry.ts';
import { createChatCompletionsWire, filesToChat } from '../../../wires/chat-completions.ts';
import { hashFiles, type SentFile } from '../../../wires/files.ts';
import { linked, SAMPLES, type SampleType, sampleFile } from '../../../wires/sample-files.ts';
import type { WireName } from '../../../wires/session/servers.ts';
import { fetchOf } from '../../../wires/wire.ts';
import { type FileScene, playScene } from './file-scene.ts';

const words: MessagePart = { type: 'text', text: 'What is it?' };
const photo = sampleFile('image/png', 'photo.png');
const paper = sampleFile('application/pdf', 'paper.pdf');
const sound = sampleFile('audio/wav');
const photoLink = linked('image/png', 'https://files.test/photo.png');
const paperLink = linked('application/pdf', 'https://files.test/paper.pdf');

type Where = SentFile['where'];

const sha256 = async (type: SampleType): Promise<string> =>
  (await hashFiles([{ where: 'message', base64: SAMPLES[type] }]))[0]?.sha256 ?? '';
const PNG = await sha256('image/png');
const PDF = await sha256('application/pdf');
const WAV = await sha256('audio/wav');

const pngFile = (where: Where): SentFile => ({ where, mediaType: 'image/png', sha256: PNG });
const pdfFile = (where: Where, name?: string): SentFile => ({
  where,
  mediaType: 'application/pdf',
  sha256: PDF,
  ...(name !== undefined && { name }),
});
const wavFile = (where: Where): SentFile => ({ where, mediaType: 'audio/wav', sha256: WAV });
const linkedFile = (where: Where, url: string, mediaType?: string): SentFile => ({
  where,
  url: `https://files.test/${url}`,
  ...(mediaType !== undefined && { mediaType }),
});

const filesIn = (where: Where): readonly SentFile[] => [
  pngFile(where),
  pdfFile(where, 'paper.pdf'),
  linkedFile(where, 'photo.png'),
  linkedFile(where, 'paper.pdf'),
];

describe('files that a model accepts', () => {
  const all = [words, photo, paper, photoLink, paperLink];

  it.each<[WireName, FileScene, readonly SentFile[]]>([
    [
      'anthropic-budget',
      { message: all, result: all },
      [
        ...filesIn('message'),
        pngFile('result'),
        pdfFile('result'),
        linkedFile('result', 'photo.png'),
        linkedFile('result', 'paper.pdf'),
      ],
    ],
    ['anthropic-preserved', { message: [photo], result: [photo] }, [pngFile('message'), pngFile('result')]],
    [
      'gemini',
      { message: [...all, sound], result: [words, photo, paper] },
      [
        pngFile('message'),
        pdfFile('message'),
        linkedFile('message', 'photo.png', 'image/png'),
        linkedFile('message', 'paper.pdf', 'application/pdf'),
        wavFile('message'),
        pngFile('result'),
        pdfFile('result'),
      ],
    ],
    ['gemini', { message: [words, photo], result: [photo] }, [pngFile('message'), pngFile('result')]],
    ['responses-unstored', { message: all, result: all }, [...filesIn('message'), ...filesIn('result')]],
    [
      'responses-stored',
      { message: [paper], result: [photo] },
      [pdfFile('message', 'paper.pdf'), pngFile('result')],
    ],
    [
      'deepseek-sdk',
      { message: [words, photo, photoLink], result: [words, photo, photoLink] },
      [
        pngFile('message'),
        linkedFile('message', 'photo.png'),
        pngFile('result'),
        linkedFile('result', 'photo.png'),
      ],
    ],
    [
      'openrouter-sdk',
      { message: [...all, sound], result: [...all, sound] },
      [
        ...filesIn('message').slice(0, 3),
        linkedFile('message', 'paper.pdf'),
        wavFile('message'),
        ...filesIn('result').slice(0, 3),
        linkedFile('result', 'paper.pdf'),
        wavFile('result'),
      ],
    ],
    [
      'kimi',
      { message: [words, photo, photoLink, paper, sound] },
      [
        pngFile('message'),
        linkedFile('message', 'photo.png'),
        pdfFile('message', 'paper.pdf'),
        wavFile('message'),
      ],
    ],
    [
      'kimi-sdk',
      { message: [words, photo, photoLink, paper, sound] },
      [
        pngFile('message'),
        linkedFile('message', 'photo.png'),
        pdfFile('message', 'paper.pdf'),
        wavFile('message'),
      ],
    ],
    ['kimi', { message: [photo], result: [photo] }, [pngFile('message')]],
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
    const model = fromAiSdk(createOpenAI({ apiKey: 'k', fetch: fetchOf(server) }).chat('gpt-5.5'));
    const messages = [{ role: 'user', text: '', parts: [words, photo, photoLink, paper] } as const];
    const { text } = await model.ask({ messages, tools: [] }, { signal: new AbortController().signal });
    expect([text, server.refused]).toEqual(['It is seen.', []]);
    expect(await filesToChat(server.requests[0])).toEqual([
      pngFile('message'),
      linkedFile('message', 'photo.png'),
      pdfFile('message', 'paper.pdf'),
    ]);
  });
});
