import { describe, expect, it } from 'vitest';
import { toContentWords, toOneLine } from '../../../../doors/mcp.ts';

describe('foreign text in our own lines', () => {
  it.each([
    ['a\r\n\u2028\u2029\u0085\v\fb', 'a b', 'line breaks'],
    ['a\0\u001b\u009b[31mb', 'a [31mb', 'control characters'],
    ['a\u202e\u2066\u200b\ufeff\u00ad\u{e0041}b', 'ab', 'format characters'],
    ['  a \t b  ', 'a b', 'repeated spaces'],
    ['a\ud800b', 'a\ufffdb', 'half a character'],
    ['\u202e\n\u202e', '', 'any visible character'],
  ])('is converted from %j to %j, without %s', (text, shown) => {
    expect(toOneLine(text, 100)).toBe(shown);
  });

  it('is limited in length after the conversion', () => {
    expect(toOneLine(`${'\u200b\n'.repeat(50)}four`, 4)).toBe('four');
    expect(toOneLine('fives', 4)).toBe('fiv…');
  });

  it('can describe the content of a response', () => {
    const link = {
      type: 'resource_link',
      name: 'notes\u202e',
      uri: 'https://a.test/\nb',
      description: 'x]\n[y',
    };
    expect(toContentWords([link]).words).toBe('[resource link: notes (https://a.test/ b): x] [y]');
  });
});
