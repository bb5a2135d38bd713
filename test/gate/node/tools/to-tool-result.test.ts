import { describe, expect, it } from 'vitest';
import { artifact, error, text } from '../../../../src/index.ts';
import { isToolResult, modelText, toToolResult } from '../../../doors/tools.ts';

const lost = (where: string) =>
  `Error: Tool 'search' ran and finished, but its value is lost: the value at ${where}, which does not survive JSON. ` +
  'This is a mistake in the code of the tool; do not call it again for this.';

const NEW_YEAR = '1970-01-01T00:00:00.000Z';
const artifactOf = (value: unknown) => ({ type: 'artifact', value });

describe('toToolResult', () => {
  it.each<[string, unknown, object]>([
    ['undefined is the text "Done" (AET-04)', undefined, { type: 'text', content: 'Done' }],
    ['null is the empty text (SPM-03)', null, { type: 'text', content: '' }],
    ['a string is its text, without quotes (TYP-02)', 'found', { type: 'text', content: 'found' }],
    ['a number is its JSON', 4.5, { type: 'text', content: '4.5' }],
    ['a boolean is its JSON', false, { type: 'text', content: 'false' }],
    ['an object is an artifact (TYP-07)', { id: 7 }, { type: 'artifact', value: { id: 7 } }],
    ['an array is an artifact', [1, 'b'], { type: 'artifact', value: [1, 'b'] }],
    ['what has toJSON is what that says', { at: new Date(0) }, artifactOf({ at: NEW_YEAR })],
    ['a date is its text', new Date(0), { type: 'text', content: NEW_YEAR }],
    ['what says that it is nothing is the empty text', { toJSON: () => null }, { type: 'text', content: '' }],
    ['what says a number is its JSON', { toJSON: () => 4.5 }, { type: 'text', content: '4.5' }],
    ['what looks like a result is data', { type: 'error' }, { type: 'artifact', value: { type: 'error' } }],
  ])('%s', (_, returned, expected) => {
    const result = toToolResult('search', returned);
    expect({ ...result }).toEqual(expected);
    expect(isToolResult(result)).toBe(true);
  });

  it('lets the model read the JSON of an object', () => {
    expect(modelText(toToolResult('search', { id: 7, tags: ['a'] }))).toBe('{"id":7,"tags":["a"]}');
  });

  it('leaves text and errors as they are (TYP-02)', () => {
    const said = text('hi');
    const failed = error('no such order');
    expect(toToolResult('search', said)).toBe(said);
    expect(toToolResult('search', failed)).toBe(failed);
  });

  it('keeps the words and the type of an artifact', () => {
    const result = toToolResult('search', artifact('Ada', { name: 'Customer' }, { id: '7', fax: undefined }));
    expect({ ...result }).toStrictEqual({
      type: 'artifact',
      content: 'Ada',
      value: { id: '7' },
      artifactType: 'Customer',
    });
    expect(isToolResult(result)).toBe(true);
  });

  it('copies the value, so that the tool may go on changing its own', () => {
    const cart = { items: ['a'] };
    const results = [toToolResult('search', cart), toToolResult('search', artifact('a cart', cart))];
    cart.items.push('b');
    expect(results.map((result) => ({ ...result }))).toEqual([
      { type: 'artifact', value: { items: ['a'] } },
      { type: 'artifact', content: 'a cart', value: { items: ['a'] } },
    ]);
  });

  it('makes JSON of the value of an artifact in the same manner', () => {
    const result = toToolResult('search', artifact('the order', { name: 'Order' }, { at: new Date(0) }));
    expect({ ...result }).toEqual({
      type: 'artifact',
      content: 'the order',
      value: { at: NEW_YEAR },
      artifactType: 'Order',
    });
  });

  it('tells the developer of a value that is lost, in words with the mend, and of nothing else', () => {
    const told: string[] = [];
    const tell = (problem: string): void => void told.push(problem);
    for (const kept of [undefined, 'found', { at: new Date(0) }, error('no'), artifact('a', [1])]) {
      toToolResult('search', kept, tell);
    }
    expect(told).toEqual([]);
    toToolResult('search', { rows: new Map() }, tell);
    toToolResult('search', artifact('rows', [10n]), tell);
    const where = (place: string) =>
      `Tool 'search' ran and finished, but its value is lost: the value at ${place}, which does not survive JSON. ` +
      'Return JSON, or give the value a toJSON that says it.';
    expect(told).toEqual([where('`$.rows` is a Map'), where('`$[0]` is a bigint')]);
  });

  it.each<[unknown, string]>([
    [new Uint8Array(2), '`$` is an Uint8Array'],
    [Buffer.from('ab'), '`$` is a Buffer'],
    [new ArrayBuffer(2), '`$` is an ArrayBuffer'],
    [new Blob(['a']), '`$` is a Blob'],
    [new Response('a'), '`$` is a Response'],
    [{ type: 'file', mediaType: 'image/png', bytes: new Uint8Array(2) }, '`$.bytes` is an Uint8Array'],
  ])('tells the developer of bytes how they are answered (%#)', (bytes, where) => {
    const told: string[] = [];
    expect(modelText(toToolResult('search', bytes, (problem) => told.push(problem)))).toBe(lost(where));
    expect(told).toEqual([
      `Tool 'search' ran and finished, but its value is lost: the value at ${where}, which does not survive JSON. ` +
        'Return bytes as `file(bytes, mediaType)` or `image(bytes, mediaType)`.',
    ]);
  });

  it('says that the tool ran when its value does not survive JSON', () => {
    expect(modelText(toToolResult('search', { a: { b: new Set() } }))).toBe(lost('`$.a.b` is a Set'));
    expect(modelText(toToolResult('search', artifact('rows', [new Map()])))).toBe(lost('`$[0]` is a Map'));
    expect(modelText(toToolResult('search', 10n))).toBe(lost('`$` is a bigint'));
    expect(modelText(toToolResult('search', Number.NaN))).toBe(lost('`$` is NaN'));
    expect(modelText(toToolResult('search', artifact('nothing', undefined)))).toBe(lost('`$` is undefined'));
  });
});
