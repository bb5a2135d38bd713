import { afterEach, expect, it, vi } from 'vitest';
import { fromHex, isSigned } from '../../../../src/modules/webhooks/entry.ts';
import { computeHmacHex } from '../../../fixtures/signed.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('a body is hashed once per secret, for any number of signatures', async () => {
  const signed = vi.spyOn(crypto.subtle, 'sign');
  const verified = vi.spyOn(crypto.subtle, 'verify');
  const signatures = Array.from({ length: 8 }, () => new Uint8Array(32));
  expect(await isSigned({ secrets: ['new', 'old'], signatures, content: ['body'] })).toBe(false);
  expect([signed.mock.calls.length, verified.mock.calls.length]).toEqual([2, 0]);
});

it('a signature is valid only if every byte matches', async () => {
  const good = fromHex(await computeHmacHex('secret', 'body')) ?? expect.fail();
  const checkSignature = (signature: Uint8Array<ArrayBuffer>): Promise<boolean> =>
    isSigned({ secrets: ['old', 'secret'], signatures: [signature], content: ['bo', 'dy'] });
  expect(await checkSignature(good)).toBe(true);
  for (const at of good.keys()) {
    expect(await checkSignature(good.map((byte, index) => (index === at ? byte ^ 1 : byte)))).toBe(false);
  }
  for (const other of [good.slice(0, 31), new Uint8Array(0), new Uint8Array([...good, 0])]) {
    expect(await checkSignature(other)).toBe(false);
  }
});
