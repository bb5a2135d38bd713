import { describe, expect, it } from 'vitest';
import { artifact, error, text } from '../../../../src/index.ts';
import { getModelText, isToolResult, toToolResult } from '../../../doors/tools.ts';

const NEW_YEAR = '1970-01-01T00:00:00.000Z';
const createArtifactResult = (value: unknown) => ({ type: 'artifact', value });

/** The hint for the developer, which production builds omit. */
const formatFixAdvice = (how: string): string => (process.env.NODE_ENV === 'production' ? '' : ` ${how}`);

describe('toToolResult', () => {
  it.each<[string, unknown, object]>([
    ['undefined is the text "Done" (AET-04)', undefined, { type: 'text', content: 'Done' }],
    ['null is the empty text (SPM-03)', null, { type: 'text', content: '' }],
    ['a string is its text, without quotes (TYP-02)', 'found', { type: 'text', content: 'found' }],
    ['a number is its JSON', 4.5, { type: 'text', content: '4.5' }],
    ['a boolean is its JSON', false, { type: 'text', content: 'false' }],
    ['an object is an artifact (TYP-07)', { id: 7 }, { type: 'artifact', value: { id: 7 } }],
    ['an array is an artifact', [1, 'b'], { type: 'artifact', value: [1, 'b'] }],
    ['a value with toJSON is its output', { at: new Date(0) }, createArtifactResult({ at: NEW_YEAR })],
    ['a date is its text', new Date(0), { type: 'text', content: NEW_YEAR }],
    [
      'a value whose toJSON returns null is the empty text',
      { toJSON: () => null },
      { type: 'text', content: '' },
    ],
    [
      'a value whose toJSON returns a number is its JSON',
      { toJSON: () => 4.5 },
      { type: 'text', content: '4.5' },
    ],
    [
      'a value that looks like a result is data',
      { type: 'error' },
      { type: 'artifact', value: { type: 'error' } },
    ],
  ])('converts the returned value: %s', (_, returned, expected) => {
    const result = toToolResult('search', returned);
    expect({ ...result }).toEqual(expected);
    expect(isToolResult(result)).toBe(true);
  });

  it('shows the JSON of an object to the model', () => {
    expect(getModelText(toToolResult('search', { id: 7, tags: ['a'] }))).toBe('{"id":7,"tags":["a"]}');
  });

  it('leaves text and errors unchanged (TYP-02)', () => {
    const said = text('hi');
    const failed = error('no such order');
    expect(toToolResult('search', said)).toBe(said);
    expect(toToolResult('search', failed)).toBe(failed);
  });

  it('keeps the text and the type of an artifact', () => {
    const result = toToolResult('search', artifact('Ada', { name: 'Customer' }, { id: '7', fax: undefined }));
    expect({ ...result }).toStrictEqual({
      type: 'artifact',
      content: 'Ada',
      value: { id: '7' },
      artifactType: 'Customer',
    });
    expect(isToolResult(result)).toBe(true);
  });

  it('copies the value, so that later changes have no effect', () => {
    const cart = { items: ['a'] };
    const results = [toToolResult('search', cart), toToolResult('search', artifact('a cart', cart))];
    cart.items.push('b');
    expect(results.map((result) => ({ ...result }))).toEqual([
      { type: 'artifact', value: { items: ['a'] } },
      { type: 'artifact', content: 'a cart', value: { items: ['a'] } },
    ]);
  });

  it('converts the value of an artifact in the same way', () => {
    const result = toToolResult('search', artifact('the order', { name: 'Order' }, { at: new Date(0) }));
    expect({ ...result }).toEqual({
      type: 'artifact',
      content: 'the order',
      value: { at: NEW_YEAR },
      artifactType: 'Order',
    });
  });

  it('omits values that JSON cannot express, lists their paths for the model, and reports a fix to the developer', () => {
    const told: string[] = [];
    const recordProblem = (problem: string): void => void told.push(problem);
    for (const kept of [undefined, 'found', { at: new Date(0) }, error('no'), artifact('a', [1])]) {
      toToolResult('search', kept, recordProblem);
    }
    expect(told).toEqual([]);
    const result = toToolResult('search', { rows: () => 1, id: 7, all: [Symbol('a'), 2n] }, recordProblem);
    expect({ ...result }).toEqual({
      type: 'artifact',
      value: { id: 7, all: [null, null] },
      remark: '(not shown: $.rows is a function, $.all[0] is a symbol, $.all[1] is a bigint)',
    });
    expect(getModelText(result)).toBe(
      '{"id":7,"all":[null,null]}\n\n(not shown: $.rows is a function, $.all[0] is a symbol, $.all[1] is a bigint)',
    );
    toToolResult('search', artifact('rows', [10n]), recordProblem);
    expect(told).toEqual([
      "Tool 'search' returned values that JSON does not keep, and they were left out: $.rows is a function, $.all[0] is a symbol, " +
        `$.all[1] is a bigint.${formatFixAdvice('Return JSON, or give the value a toJSON method.')}`,
      "Tool 'search' returned values that JSON does not keep, and they were left out: $[0] is a bigint." +
        formatFixAdvice('Return JSON, or give the value a toJSON method.'),
    ]);
  });

  it('lists five omitted paths, and counts the others', () => {
    const all = Object.fromEntries([...'abcdefg'].map((key) => [key, () => key]));
    expect(getModelText(toToolResult('search', all))).toBe(
      '{}\n\n(not shown: $.a is a function, $.b is a function, $.c is a function, $.d is a function, ' +
        '$.e is a function, and 2 more)',
    );
  });

  it.each<[unknown, string]>([
    [10n, '$ is a bigint'],
    [() => 1, '$ is a function'],
    [new Response('a'), '$ is a Response'],
    [new Blob(['a']), '$ is a Blob'],
    [artifact('', undefined), ''],
  ])('returns `Done` and the reason if no part of the value is JSON (%#)', (returned, what) => {
    expect({ ...toToolResult('search', returned) }).toEqual({
      type: 'text',
      content: what === '' ? '' : `Done\n(not shown: ${what})`,
    });
  });

  it('cuts a cycle where it starts, and suggests a missing `await`', () => {
    const cyclic: { self?: unknown; later?: unknown } = {};
    cyclic.self = [cyclic];
    cyclic.later = Promise.resolve(1);
    expect(getModelText(toToolResult('search', cyclic))).toBe(
      '{"self":[null]}\n\n(not shown: $.self[0] is one of its own parents, $.later is a Promise: an `await` is missing)',
    );
  });

  it('writes null for a number that JSON cannot express, and warns only the developer', () => {
    const told: string[] = [];
    const recordProblem = (problem: string): void => void told.push(problem);
    expect(getModelText(toToolResult('search', { n: Number.NaN, m: [-Infinity] }, recordProblem))).toBe(
      '{"n":null,"m":[null]}',
    );
    expect(getModelText(toToolResult('search', Number.NaN, recordProblem))).toBe('null');
    expect(told).toEqual([
      "Tool 'search' returned numbers that are null in JSON: $.n is NaN, $.m[0] is -Infinity.",
      "Tool 'search' returned numbers that are null in JSON: $ is NaN.",
    ]);
  });

  it.each<[Uint8Array | ArrayBuffer, string]>([
    [Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), 'image/png'],
    [Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]), 'image/jpeg'],
    [new TextEncoder().encode('GIF89a'), 'image/gif'],
    [new TextEncoder().encode('RIFF1234WEBPVP8 '), 'image/webp'],
    [Buffer.from('%PDF-1.7'), 'application/pdf'],
    [Buffer.from('PDF'), 'application/octet-stream'],
    [new ArrayBuffer(2), 'application/octet-stream'],
  ])(
    'returns bytes as a file, whose media type is detected from the first bytes (%#)',
    (bytes, mediaType) => {
      const copy = new Uint8Array(bytes.slice(0));
      expect({ ...toToolResult('search', bytes) }).toEqual({
        type: 'content',
        parts: [{ type: 'file', mediaType, bytes: copy }],
      });
    },
  );

  it('returns bytes inside a value as files, replaces them with file names, and keeps the text of an artifact', () => {
    const bytes = new Uint8Array(2);
    const createFileResult = (name: string) => ({
      type: 'file',
      mediaType: 'application/octet-stream',
      name,
      bytes,
    });
    expect({ ...toToolResult('search', { a: { b: bytes }, c: [bytes], d: () => 1 }) }).toEqual({
      type: 'artifact',
      value: { a: { b: '[file "a.b"]' }, c: ['[file "c[0]"]'] },
      parts: [
        {
          type: 'text',
          text: '{"a":{"b":"[file \\"a.b\\"]"},"c":["[file \\"c[0]\\"]"]}\n\n(not shown: $.d is a function)',
        },
        createFileResult('a.b'),
        createFileResult('c[0]'),
      ],
    });
    expect({ ...toToolResult('search', artifact('Two.', { name: 'Scan' }, { page: bytes })) }).toEqual({
      type: 'artifact',
      artifactType: 'Scan',
      value: { page: '[file "page"]' },
      parts: [{ type: 'text', text: 'Two.' }, createFileResult('page')],
    });
  });

  it.each<[unknown, string]>([
    [{ a: new Blob(['a']) }, '$.a is a Blob'],
    [{ a: new Response('a') }, '$.a is a Response'],
  ])('shows the developer how to return bytes that it cannot read (%#)', (returned, what) => {
    const told: string[] = [];
    toToolResult('search', returned, (problem) => told.push(problem));
    expect(told).toEqual([
      `Tool 'search' returned values that JSON does not keep, and they were left out: ${what}.` +
        formatFixAdvice(
          'Return bytes as they are, or as `file(bytes, mediaType)` or `image(bytes, mediaType)`.',
        ),
    ]);
  });
});
