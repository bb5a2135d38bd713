/**
 * Images, audio and bytes of resources from a server's tool: files for the model, in the order of the blocks.
 */
import { describe, expect, it } from 'vitest';
import type { ContentPart, JsonObject, ResultData } from '../../../../../src/index.ts';
import { mcpResult } from '../../../../../src/mcp/server/entry.ts';
import { toResult } from '../../../../doors/mcp.ts';
import { getModelText } from '../../../../doors/tools.ts';
import { createListedTool } from './listing-fixtures.ts';

const convertResult = (answer: object): Promise<ResultData> =>
  toResult(createListedTool(), { content: [], ...answer });
const convertContent = (...blocks: readonly object[]): Promise<ResultData> =>
  convertResult({ content: blocks });

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const toBytes = (words: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(words));

async function computeSha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

const PIXEL_BYTES = toBytes(
  'the pixels of a picture, of which there are some more than a hundred bytes, as pictures have',
);
const SOUND_BYTES = toBytes('beep');
const image = { type: 'image', data: toBase64(PIXEL_BYTES), mimeType: 'image/png' };
const audio = { type: 'audio', data: toBase64(SOUND_BYTES), mimeType: 'audio/wav' };
const createPdfBlock = (resource: JsonObject = {}) => ({
  type: 'resource',
  resource: { uri: 'file:///a/x.pdf', mimeType: 'application/pdf', blob: toBase64(SOUND_BYTES), ...resource },
});
const createTextBlock = (said: string) => ({ type: 'text', text: said });
const png = { type: 'file', mediaType: 'image/png', bytes: PIXEL_BYTES };
const hashAndSize = async (bytes: Uint8Array<ArrayBuffer>) => ({
  sha256: await computeSha256(bytes),
  size: bytes.byteLength,
});

const getParts = (made: ResultData): readonly ContentPart[] | undefined =>
  'parts' in made ? made.parts : undefined;

describe('files in a result', () => {
  it('are shown among the text in block order, and the value refers to them by their hashes', async () => {
    const made = await convertContent(
      createTextBlock('Look:'),
      createTextBlock('here.'),
      image,
      createTextBlock('Listen:'),
      audio,
      createPdfBlock(),
    );
    expect({ ...made }).toEqual({
      type: 'artifact',
      artifactType: 'McpContent',
      value: {
        content: [
          createTextBlock('Look:'),
          createTextBlock('here.'),
          { ...image, data: await hashAndSize(PIXEL_BYTES) },
          createTextBlock('Listen:'),
          { ...audio, data: await hashAndSize(SOUND_BYTES) },
          createPdfBlock({ blob: await hashAndSize(SOUND_BYTES) }),
        ],
      },
      parts: [
        createTextBlock('Look:\n\nhere.'),
        png,
        createTextBlock('Listen:'),
        { type: 'file', mediaType: 'audio/wav', bytes: SOUND_BYTES },
        createTextBlock('[resource file:///a/x.pdf]'),
        { type: 'file', mediaType: 'application/pdf', name: 'x.pdf', bytes: SOUND_BYTES },
      ],
    });
    expect(getModelText(made)).toBe(
      'Look:\n\nhere.\n\n[file not kept: image/png, 92 bytes]\n\nListen:\n\n[file not kept: audio/wav, 4 bytes]\n\n' +
        '[resource file:///a/x.pdf]\n\n[file not kept: application/pdf, "x.pdf", 4 bytes]',
    );
  });

  it('are shown together with the lines of other blocks, without empty text', async () => {
    const link = { type: 'resource_link', name: 'b', uri: 'test://b' };
    const note = { type: 'resource', resource: { uri: 'test://n', text: 'A note.' } };
    expect(
      getParts(await convertContent(createTextBlock(' \n'), image, link, note, image, createTextBlock(''))),
    ).toEqual([png, createTextBlock('[resource link: b (test://b)]\n\n[resource test://n]\nA note.'), png]);
  });

  it('follow the data of the result as JSON, unless the text contains it', async () => {
    const structuredContent = { degrees: 4 };
    const told = createTextBlock('{"degrees":4}');
    expect({ ...(await convertResult({ content: [image], structuredContent })) }).toMatchObject({
      value: { content: [{ ...image, data: await hashAndSize(PIXEL_BYTES) }], structuredContent },
      parts: [told, png],
    });
    const cold = await convertResult({ content: [image, createTextBlock('Cold.')], structuredContent });
    expect(getParts(cold)).toEqual([png, createTextBlock('Cold.')]);
  });

  it('are in the value once, even if the server repeats whole blocks as data', async () => {
    const structuredContent = {
      content: [image],
      of: [{ png: image.data }, 'beep', null, 7],
      constructor: 1,
    };
    const kept = await hashAndSize(PIXEL_BYTES);
    const made = await convertResult({ content: [image], structuredContent });
    expect({ ...made }).toMatchObject({
      value: {
        structuredContent: {
          content: [{ ...image, data: kept }],
          of: [{ png: kept }, 'beep', null, 7],
          constructor: 1,
        },
      },
      parts: [png],
    });
    expect(JSON.stringify(made)).not.toContain(image.data);
  });

  it('do not replace text in the data that happens to equal their base64', async () => {
    const tiny = { ...image, data: 'beep' };
    const made = await convertResult({
      content: [tiny, createTextBlock('A tone.')],
      structuredContent: { says: 'beep' },
    });
    expect({ ...made }).toMatchObject({ value: { structuredContent: { says: 'beep' } } });
  });

  it('are read from base64 with line breaks and without padding', async () => {
    const [one, other] = [
      { ...image, data: 'AAEC\r\nAw==\r\n' },
      { ...image, data: 'AAECAw' },
    ];
    const file = { ...png, bytes: new Uint8Array([0, 1, 2, 3]) };
    expect(getParts(await convertContent(one, other))).toEqual([file, file]);
  });

  it.each([
    ['image/svg+xml', 'image/svg+xml'],
    ['text/html', 'text/html'],
    ['Image/PNG; charset=binary', 'image/png'],
  ])('have the type that the server declares: %s', async (mimeType, mediaType) => {
    expect(getParts(await convertContent({ ...image, mimeType }))).toEqual([{ ...png, mediaType }]);
  });

  it.each<[JsonObject, string | undefined]>([
    [{ uri: 'demo://resource/dynamic/blob/2' }, '2'],
    [{ uri: 'https://a.example/b/c%20d.pdf?e=/f#/g' }, 'c d.pdf'],
    [{ uri: 'file:///a/..%2Fetc%5Cpass"wd' }, 'pass"wd'],
    [{ uri: 'file:///a/%E0%A4%A' }, '%E0%A4%A'],
    [{ uri: 'file:///a/b\u202egnp.exe\n' }, 'b gnp.exe'],
    [{ uri: `file:///${'n'.repeat(300)}` }, 'n'.repeat(255)],
    [{ uri: 'file:///a/..', title: 'The plan' }, 'The plan'],
    [{ uri: 'urn:isbn:1', title: 'The\nplan' }, 'The plan'],
    [{ uri: 'data:text/plain,a/b' }, undefined],
    [{ uri: 'file:///a/', title: 7 }, undefined],
    [{ uri: 7 }, undefined],
  ])('have a name from the resource: %j', async (resource, name) => {
    const files = getParts(await convertContent(createPdfBlock(resource)))?.filter(
      ({ type }) => type === 'file',
    );
    expect(files).toEqual([
      { type: 'file', mediaType: 'application/pdf', bytes: SOUND_BYTES, ...(name !== undefined && { name }) },
    ]);
  });
});

describe('a block that is not a file', () => {
  it.each<[string, object, string]>([
    ['invalid base64', { ...image, data: 'no base64!' }, '[image image/png, 6 bytes]'],
    ['base64 of half a byte', { ...image, data: 'AAAAA' }, '[image image/png, 3 bytes]'],
    ['an image without a type', { type: 'image', data: 'AAAA' }, '[image, 3 bytes]'],
    ['an image with an invalid type', { ...image, data: 'AAAA', mimeType: 'png' }, '[image png, 3 bytes]'],
    ['a type with a line break', { ...image, data: 'AAAA', mimeType: 'a/b\nc' }, '[image a/b c, 3 bytes]'],
    ['a type that is not text', { ...image, data: 'AAAA', mimeType: 7 }, '[image, 3 bytes]'],
    ['an image without bytes', { ...image, data: '' }, '[image image/png, 0 bytes]'],
    ['an image of whitespace', { ...image, data: ' \n' }, '[image image/png, 0 bytes]'],
    ['bytes without a type', createPdfBlock({ mimeType: null }), '[resource file:///a/x.pdf, 4 bytes]'],
    [
      'a resource with text and bytes',
      createPdfBlock({ text: 'Beep.' }),
      '[resource file:///a/x.pdf, application/pdf, 4 bytes]\nBeep.',
    ],
    [
      'a block for the user only',
      { ...image, annotations: { audience: ['user'] } },
      '[1 block is for the user only]',
    ],
    [
      'a block of an unknown type',
      { ...image, type: 'video' },
      "[content of the type 'video', which is not known here]",
    ],
  ])('is described in text and kept unchanged: %s', async (_, block, words) => {
    expect({ ...(await convertContent(block)) }).toEqual({
      type: 'artifact',
      artifactType: 'McpContent',
      value: { content: [block] },
      content: words,
    });
    expect(getParts(await convertContent(block, image))).toEqual(
      words.startsWith('[1 block') ? [png, createTextBlock(words)] : [createTextBlock(words), png],
    );
  });

  it('can be any file block after the hundredth', async () => {
    const createImageBlock = (index: number) => ({ ...image, data: toBase64(toBytes(`picture ${index}`)) });
    const blocks = Array.from({ length: 10_000 }, (_, index) => createImageBlock(index));
    const made = await convertContent(...blocks);
    const parts = getParts(made) ?? [];
    expect(parts.slice(0, 100)).toEqual(
      blocks.slice(0, 100).map((_, index) => ({ ...png, bytes: toBytes(`picture ${index}`) })),
    );
    expect(parts.slice(100)).toEqual([
      createTextBlock(
        blocks
          .slice(100)
          .map((_, index) => `[image image/png, ${index < 900 ? 11 : 12} bytes]`)
          .join('\n\n'),
      ),
    ]);
    expect({ ...made }).toMatchObject({
      value: { content: blocks.map((one, index) => (index < 100 ? { type: 'image' } : one)) },
    });
  });
});

describe('`mcpResult`', () => {
  it('shows a model the files of its blocks in order', async () => {
    const made = await mcpResult([
      { type: 'text', text: 'Look:' },
      { type: 'image', data: image.data, mimeType: 'image/png' },
    ]);
    expect({ ...made }).toEqual({
      type: 'artifact',
      artifactType: 'McpContent',
      value: { content: [createTextBlock('Look:'), { ...image, data: await hashAndSize(PIXEL_BYTES) }] },
      parts: [createTextBlock('Look:'), png],
    });
  });

  it('shows the model only the text if the tool passes one', async () => {
    const block = { type: 'image', data: image.data, mimeType: 'image/png' } as const;
    expect({ ...(await mcpResult([block], 'A picture.')) }).toEqual({
      type: 'artifact',
      artifactType: 'McpContent',
      value: { content: [image] },
      content: 'A picture.',
    });
  });
});
