import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSessionId } from '../../../../src/modules/webhooks/entry.ts';

const SEED = 20261122;

describe('the session id of a webhook', () => {
  it.each<[readonly string[], string]>([
    [['acme', 'shop', '42'], 'acme:shop:42'],
    [['acme', 'shop.github_io-2'], 'acme:shop.github_io-2'],
    [['a:b'], 'a@003ab'],
    [['a', 'b'], 'a:b'],
    [['a@b'], 'a@0040b'],
    [['Ärger im Büro'], '@00c4rger@0020im@0020B@00fcro'],
    [['', ''], ':'],
    [[''], '@@'],
  ])('is derived from the parts %j: %j', async (parts, id) => {
    expect(await toSessionId(...parts)).toBe(id);
  });

  it('is shortened but remains distinct if it would be too long', async () => {
    const [one, two] = await Promise.all([
      toSessionId('x'.repeat(200), '1'),
      toSessionId('x'.repeat(200), '2'),
    ]);
    expect(one).toMatch(/^x{60}@@[0-9a-f]{64}$/);
    expect(one).not.toBe(two);
    expect(await toSessionId('x'.repeat(128))).toBe('x'.repeat(128));
    expect(await toSessionId('x'.repeat(129))).toMatch(/@@/);
  });

  it('can be made from any parts, and differs if the parts differ', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('a', ':', '@', '@@', 'a:b', '\ud800', '\ufffd', 'é', 'x'.repeat(130)),
    );
    const parts = fc.array(text, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(parts, parts, async (one, other) => {
        const [id, its] = await Promise.all([toSessionId(...one), toSessionId(...other)]);
        expect(id).toMatch(/^[A-Za-z0-9_.:@-]{1,128}$/);
        expect(id === its).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
      { seed: SEED, numRuns: 300 },
    );
  });
});
