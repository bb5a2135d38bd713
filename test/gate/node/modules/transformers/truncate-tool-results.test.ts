import { describe, expect, it } from 'vitest';
import {
  fullLength,
  type TruncationOptions,
  truncateToolResults,
} from '../../../../../src/modules/transformers/entry.ts';
import { getModelText } from '../../../../doors/tools.ts';
import { showThrough } from './shown-by.ts';

const truncateResult = (content: string, options?: TruncationOptions): string | undefined => {
  const call = { id: 'c', name: 'look', input: '{}', result: { type: 'text', content } } as const;
  const [reply] = showThrough(truncateToolResults(options), [{ role: 'assistant', text: '', calls: [call] }]);
  const result = reply?.role === 'assistant' ? reply.calls[0]?.result : undefined;
  return result && getModelText(result);
};

describe('a long result', () => {
  it('is cut to its first characters, with their number (CBK-08)', () => {
    expect(truncateResult('abcdef', { maxLength: 4 })).toBe('abcd\n... [truncated, 4 chars shown]');
  });

  it('has more than 10,000 characters by default (CBK-08)', () => {
    expect(truncateResult('x'.repeat(10_000))).toBe('x'.repeat(10_000));
    expect(truncateResult('x'.repeat(10_001))).toBe(
      `${'x'.repeat(10_000)}\n... [truncated, 10000 chars shown]`,
    );
  });

  it('has more characters than the limit, not the same number (CBK-08)', () => {
    expect(truncateResult('abcd', { maxLength: 4 })).toBe('abcd');
  });

  it.each<[string, TruncationOptions, string]>([
    ['a text', { maxLength: 2, marker: '…' }, 'ab…'],
    ['the full length', { maxLength: 2, marker: fullLength }, 'ab... [truncated, full length: 6 chars]'],
    ['the full length alone', { maxLength: 0, marker: fullLength }, '... [truncated, full length: 6 chars]'],
    ['a function', { maxLength: 2, marker: (n, all) => ` (${n}/${all})` }, 'ab (2/6)'],
  ])('can have %s as its marker (CBK-08, AEL-03)', (_, options, text) => {
    expect(truncateResult('abcdef', options)).toBe(text);
  });

  it('is not cut inside a character', () => {
    expect(truncateResult('ab😀cd', { maxLength: 3 })).toBe('ab\n... [truncated, 2 chars shown]');
  });

  it.each([-1, 0.5])('cannot have a limit of %d', (maxLength) => {
    expect(() => truncateToolResults({ maxLength })).toThrow(
      new RangeError(`truncateToolResults: maxLength is ${maxLength}. Use a whole number of at least 0.`),
    );
  });
});
