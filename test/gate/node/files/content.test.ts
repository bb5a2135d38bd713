import { describe, expect, it } from 'vitest';
import { artifact, content, file, image, type ToolResult, text } from '../../../../src/index.ts';
import { withRemark } from '../../../doors/loop.ts';
import {
  formatFileLine,
  fromBase64,
  getModelText,
  isTextType,
  toBase64,
  toFileName,
  toMediaType,
  toPartsWithFiles,
  withText,
} from '../../../doors/tools.ts';

const PNG = new Uint8Array([137, 80, 78, 71]);
const STORED_FILE = { type: 'file', id: 'ab12', mediaType: 'image/png', size: 12_345 } as const;
const LINKED_FILE = {
  type: 'file',
  url: 'https://x.test/a.pdf',
  mediaType: 'application/pdf',
  name: 'a.pdf',
} as const;

const getParts = (result: ToolResult): unknown => ('parts' in result ? result.parts : undefined);

describe('content()', () => {
  it('keeps text and files in order, from any form of input', () => {
    const result = content(['Before:', image(PNG, 'image/PNG', 'a.png'), STORED_FILE, content(['After.'])]);
    expect(getParts(result)).toEqual([
      { type: 'text', text: 'Before:' },
      { type: 'file', mediaType: 'image/png', name: 'a.png', bytes: PNG },
      STORED_FILE,
      { type: 'text', text: 'After.' },
    ]);
    expect(getModelText(result)).toBe(
      'Before:\n\n[file not kept: image/png, "a.png", 4 bytes]\n\n[file ab12: image/png, 12,345 bytes]\n\nAfter.',
    );
    expect(result.content).toBe(getModelText(result));
  });

  it('copies the bytes, so that the tool can reuse its buffer', () => {
    const bytes = new Uint8Array([1, 2]);
    const result = file(bytes, 'application/pdf');
    bytes[0] = 9;
    expect(getParts(result)).toMatchObject([{ bytes: new Uint8Array([1, 2]) }]);
    const ofBuffer = file(bytes.buffer, 'application/pdf');
    const ofPool = file(Buffer.from('ab'), 'application/pdf');
    bytes[0] = 7;
    expect(getParts(ofBuffer)).toMatchObject([{ bytes: new Uint8Array([9, 2]) }]);
    expect(getParts(ofPool)).toEqual([
      { type: 'file', mediaType: 'application/pdf', bytes: new Uint8Array([97, 98]) },
    ]);
  });

  it('keeps an https URL', () => {
    expect(getParts(file(new URL('https://x.test/a b.pdf'), 'application/pdf', 'a.pdf'))).toEqual([
      { type: 'file', mediaType: 'application/pdf', name: 'a.pdf', url: 'https://x.test/a%20b.pdf' },
    ]);
    expect(formatFileLine(LINKED_FILE)).toBe('[file https://x.test/a.pdf: application/pdf, "a.pdf"]');
  });

  it.each([
    [() => file(PNG, 'png'), "'png' is not a media type such as image/png."],
    [() => file(PNG, 'image/png\nx'), "'image/png\nx' is not a media type such as image/png."],
    [() => image(PNG, 'text/html'), "'text/html' is not the media type of an image."],
    [
      () => file(new URL('http://x.test/a'), 'image/png'),
      'The URL of a file must begin with https: and must not contain a user name.',
    ],
    [
      () => file(new URL('data:image/png;base64,AA=='), 'image/png'),
      'The URL of a file must begin with https: and must not contain a user name.',
    ],
    [
      () => file(new URL('https://me:key@x.test/a.png'), 'image/png'),
      'The URL of a file must begin with https: and must not contain a user name.',
    ],
    ...[
      ['iVBORw0KGgo=', 'String'],
      [new Blob([PNG]), 'Blob'],
      [new Response(PNG), 'Response'],
      [12_000_000, 'Number'],
      [new Uint16Array(2), 'Uint16Array'],
      [undefined, 'Undefined'],
    ].map(([source, kind]): [() => unknown, string] => [
      () => image(source as never, 'image/png'),
      `A file must be a Uint8Array, an ArrayBuffer or a URL, but is of the type ${kind}.`,
    ]),
    ...[
      null,
      { type: 'text' },
      { type: 'text', content: 'A' },
      { type: 'file', mediaType: 'image/png' },
      { type: 'file', mediaType: 'image/png', id: 'ab12' },
      { type: 'file', mediaType: 'PNG', id: 'ab12', size: 3 },
      { type: 'image', bytes: PNG },
      { type: 'file', mediaType: 'image/png', name: 7, id: 'ab12', size: 3 },
    ].map((part): [() => unknown, string] => [
      () => content(['A', part as never]),
      'content[1] is neither text nor a file. Use a string, or the result of `image` or `file`.',
    ]),
    [
      () => content([{ type: 'file', mediaType: 'image/png', url: 'http://x.test/a.png' }]),
      'The URL of a file must begin with https: and must not contain a user name.',
    ],
    [
      () => content([{ type: 'file', mediaType: 'image/png', bytes: 'iVBORw0KGgo=' as never }]),
      'A file must be a Uint8Array, an ArrayBuffer or a URL, but is of the type String.',
    ],
  ])('throws if a part is invalid (%#)', (make, problem) => {
    expect(make).toThrow(new TypeError(problem));
  });

  it('can be the text and files of an artifact, whose value stays separate', () => {
    const result = artifact(content(['A chart:', STORED_FILE]), { total: 3 });
    expect({ ...result }).toEqual({
      type: 'artifact',
      value: { total: 3 },
      parts: [{ type: 'text', text: 'A chart:' }, STORED_FILE],
    });
    expect(result.content).toBe('A chart:\n\n[file ab12: image/png, 12,345 bytes]');
  });
});

describe('a result with a new text', () => {
  const parts = [{ type: 'text', text: 'A' }, STORED_FILE, { type: 'text', text: 'B' }] as const;

  it('keeps each file at the position of its line', () => {
    const { content: words } = content(parts);
    expect(withText(content(parts), `${words}\n\nC`)).toEqual({
      type: 'content',
      parts: [{ type: 'text', text: 'A' }, STORED_FILE, { type: 'text', text: 'B\n\nC' }],
    });
  });

  it('has its files after the text if the text no longer mentions them', () => {
    expect(withText(content(parts), 'Short.')).toEqual({
      type: 'content',
      parts: [{ type: 'text', text: 'Short.' }, STORED_FILE],
    });
    expect(toPartsWithFiles('', [STORED_FILE, LINKED_FILE])).toEqual([STORED_FILE, LINKED_FILE]);
  });

  it('is text if the original result has no files', () => {
    expect(withText(text('A'), 'B')).toEqual({ type: 'text', content: 'B' });
    expect(withText(content(['A']), 'B')).toEqual({ type: 'text', content: 'B' });
    expect(withText({ ...artifact(content(['A']), { n: 1 }) }, 'B')).toEqual({
      type: 'artifact',
      value: { n: 1 },
      content: 'B',
    });
    expect(withText({ type: 'error', message: 'A' }, 'B')).toEqual({ type: 'error', message: 'B' });
  });

  it('can have a remark below its text', () => {
    expect(withRemark(content(parts), ['Next: x.'])).toMatchObject({
      parts: [{ text: 'A' }, STORED_FILE, { text: 'B\n\nNext: x.' }],
    });
  });

  it('can have a remark below its text and files, even if it is an artifact', () => {
    const remarked = withRemark(artifact(content(['A chart:', STORED_FILE]), { total: 3 }), ['Next: x.']);
    expect(getModelText(remarked)).toBe('A chart:\n\n[file ab12: image/png, 12,345 bytes]\n\nNext: x.');
    expect(remarked).toMatchObject({ type: 'artifact', value: { total: 3 }, parts: [{}, STORED_FILE, {}] });
  });
});

describe('the metadata of a file', () => {
  it.each([
    ['image/PNG; charset=x', 'image/png'],
    [
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    ],
    ['image', undefined],
    ['image/', undefined],
    ['image/png/x', undefined],
    ['ima ge/png', undefined],
    [`a/${'b'.repeat(126)}`, undefined],
  ])('normalizes the media type %j to %j', (given, type) => {
    expect(toMediaType(given)).toBe(type);
  });

  it.each([
    ['a.png', 'a.png'],
    ['a\r\n\u202Egnp.exe', 'a gnp.exe'],
    ['a\u2028b\u2029c', 'a b c'],
    [' \u0000 ', undefined],
    ['x'.repeat(300), 'x'.repeat(255)],
    [`${'x'.repeat(254)}\u{1F600}`, `${'x'.repeat(254)}\uFFFD`],
  ])('normalizes the name %j to %j', (given, name) => {
    expect(toFileName(given)).toBe(name);
  });

  it.each([
    ['text/plain', true],
    ['application/json', true],
    ['application/ld+json', true],
    ['image/svg+xml', false],
    ['application/pdf', false],
  ])('states for the media type %s whether the file is text: %s', (type, is) => {
    expect(isTextType(type)).toBe(is);
  });
});

describe('base64', () => {
  it('decodes to the same bytes at any length, with and without native support', () => {
    for (const length of [0, 1, 2, 3, 32_766, 32_767, 100_000]) {
      const bytes = new Uint8Array(length).map((_, index) => index % 251);
      const written = toBase64(bytes);
      expect(written).toBe(Buffer.from(bytes).toString('base64'));
      expect(fromBase64(written)).toEqual(bytes);
    }
  });

  it.each(['A', 'AAA', 'AA==AA', 'AA=A', 'A A=', 'AA-_', '====', 'AAAAA==='])(
    'throws for the invalid text %j',
    (text) => {
      expect(fromBase64(text)).toBeUndefined();
    },
  );
});
