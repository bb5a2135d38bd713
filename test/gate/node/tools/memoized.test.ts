import { describe, expect, it, vi } from 'vitest';
import { memoize } from '../../../doors/tools.ts';

describe('memoize', () => {
  it('returns one value per object, and another value for an equal object', () => {
    const twin = memoize((one: { readonly id: number }) => ({ of: one.id }));
    const first = { id: 1 };
    expect(twin(first)).toBe(twin(first));
    expect(twin(first)).toEqual({ of: 1 });
    expect(twin({ id: 1 })).not.toBe(twin(first));
  });

  it('does not remember a call that threw', () => {
    const make = vi.fn<(key: object) => object>(() => ({}));
    make.mockImplementationOnce(() => {
      throw new Error('Not yet.');
    });
    const made = memoize(make);
    const key = {};
    expect(() => made(key)).toThrow('Not yet.');
    expect(made(key)).toEqual({});
    expect(make).toHaveBeenCalledTimes(2);
  });
});
