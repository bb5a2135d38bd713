import { describe, expect, it } from 'vitest';
import { githubWebhook } from '../../../../src/modules/webhooks/entry.ts';
import {
  createInvalidSignature,
  ENV,
  INVALID_SIGNATURE,
  NO_SECRET_REASON,
  receive,
} from '../../../fixtures/arrive.ts';
import { SECRET, type SignedRequest, signAsGithub } from '../../../fixtures/signed.ts';

const webhook = githubWebhook({ agent: 'triage', secret: 'SECRET' });
const body = JSON.stringify({ action: 'opened', issue: { number: 1, title: 'Broken' } });
const signDelivery = (secret = SECRET): Promise<SignedRequest> => signAsGithub('issues', { secret, body });

/** Returns the delivery with other headers. `undefined` removes a header. */
async function withHeaders(headers: Readonly<Record<string, string | undefined>>): Promise<SignedRequest> {
  const all = Object.entries({ ...(await signDelivery()).headers, ...headers });
  return {
    body,
    headers: Object.fromEntries(all.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]]))),
  };
}

const MISSING_SIGNATURE = createInvalidSignature(
  'X-Hub-Signature-256 is missing. Set the secret of the webhook to the one of this Worker.',
);
const MALFORMED_SIGNATURE = createInvalidSignature(
  'X-Hub-Signature-256 must be sha256= and 64 hexadecimal digits, once.',
);

describe('a GitHub delivery', () => {
  it('is accepted if @octokit/webhooks-methods signed it', async () => {
    expect(await receive(webhook, await signDelivery())).toMatchObject({ type: 'start', agent: 'triage' });
  });

  it("is accepted with the signature from GitHub's documentation", async () => {
    const headers = {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    };
    const env = { SECRET: "It's a Secret to Everybody" };
    const delivery = { headers, body: 'Hello, World!' };
    // The body is parsed only because the signature was accepted.
    const unreadable = { type: 'refused', kind: 'bad-json', why: 'The body is not JSON.' };
    expect(await receive(webhook, delivery, { env })).toEqual(unreadable);
    expect(await receive(webhook, { ...delivery, body: 'Hello, World?' }, { env })).toEqual(
      INVALID_SIGNATURE,
    );
  });

  it.each([
    ['no signature', { 'x-hub-signature-256': undefined }, MISSING_SIGNATURE],
    ['an empty signature', { 'x-hub-signature-256': '' }, MALFORMED_SIGNATURE],
    ['only the scheme', { 'x-hub-signature-256': 'sha256=' }, MALFORMED_SIGNATURE],
    ['a short signature', { 'x-hub-signature-256': `sha256=${'0'.repeat(63)}` }, MALFORMED_SIGNATURE],
    ['a long signature', { 'x-hub-signature-256': `sha256=${'0'.repeat(66)}` }, MALFORMED_SIGNATURE],
    ['an invented signature', { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }, INVALID_SIGNATURE],
  ])('is refused with %s', async (_, headers, refusal) => {
    expect(await receive(webhook, await withHeaders(headers))).toEqual(refusal);
  });

  it('is refused with only a SHA-1 signature', async () => {
    const headers = { 'x-hub-signature-256': undefined, 'x-hub-signature': `sha1=${'0'.repeat(40)}` };
    expect(await receive(webhook, await withHeaders(headers))).toEqual(MISSING_SIGNATURE);
    const named = { 'x-hub-signature-256': `sha1=${'0'.repeat(40)}` };
    expect(await receive(webhook, await withHeaders(named))).toEqual(MALFORMED_SIGNATURE);
  });

  it('is refused with two signatures, even if one of them is valid', async () => {
    const { headers } = await signDelivery();
    const both = new Headers(headers);
    both.append('x-hub-signature-256', `sha256=${'0'.repeat(64)}`);
    expect(await receive(webhook, { body, headers: {} }, { headers: both })).toEqual(MALFORMED_SIGNATURE);
  });

  it('is refused if another secret signed it, or if it was changed in transit', async () => {
    expect(await receive(webhook, await signDelivery('another'))).toEqual(INVALID_SIGNATURE);
    const tampered = { ...(await signDelivery()), body: body.replace('Broken', 'Brokem') };
    expect(await receive(webhook, tampered)).toEqual(INVALID_SIGNATURE);
    const spaced = { ...(await signDelivery()), body: `${body}\n` };
    expect(await receive(webhook, spaced)).toEqual(INVALID_SIGNATURE);
  });

  it('is accepted with either of two secrets during a rotation', async () => {
    const changing = githubWebhook({ agent: 'triage', secret: ['SECRET', 'OLD', 'UNSET'] });
    for (const secret of [SECRET, ENV.OLD]) {
      expect(await receive(changing, await signDelivery(secret))).toMatchObject({ type: 'start' });
    }
    expect(await receive(changing, await signDelivery(''.padEnd(9, 'x')))).toEqual(INVALID_SIGNATURE);
  });

  it.each([
    ['is not set', {}],
    ['is empty', { SECRET: '' }],
    ['is blank', { SECRET: ' \n' }],
    ['is not text', { SECRET: { secret: SECRET } }],
    ['is empty in the Secrets Store', { SECRET: { get: async () => '' } }],
  ])('is not accepted while the secret %s', async (_, env) => {
    expect(await receive(webhook, await signDelivery(), { env })).toEqual({
      type: 'refused',
      kind: 'not-configured',
      why: NO_SECRET_REASON,
    });
  });

  it('is accepted with a secret in the Secrets Store', async () => {
    const env = { SECRET: { get: async () => `${SECRET}\n` } };
    expect(await receive(webhook, await signDelivery(), { env })).toMatchObject({ type: 'start' });
  });

  it('is accepted with a secret that ends in a line break', async () => {
    const env = { SECRET: `${SECRET}\n` };
    expect(await receive(webhook, await signDelivery(), { env })).toMatchObject({ type: 'start' });
  });

  it.each([
    ['is not JSON', '{"action":', 'The body is not JSON.'],
    ['is a list', '[]', 'The body is not a JSON object.'],
    ['is blank', ' ', 'The body is not JSON.'],
    ['is a form without payload', 'a=1', 'The form has no field payload.'],
    ['is a form whose payload is not JSON', 'payload=%7B', 'The field payload is not JSON.'],
  ])('is refused after the signature check if its body %s', async (_, text, why) => {
    const delivery = await signAsGithub('issues', { secret: SECRET, body: text });
    expect(await receive(webhook, delivery)).toEqual({ type: 'refused', kind: 'bad-json', why });
  });

  it('is refused after the signature check if its body is not UTF-8', async () => {
    const bytes = new Uint8Array([0x7b, 0xff, 0x7d]);
    const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(SECRET), HMAC, false, ['sign']);
    const signature = [...new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes))];
    const hex = signature.map((byte) => byte.toString(16).padStart(2, '0')).join('');
    const headers = { 'x-hub-signature-256': `sha256=${hex}` };
    const why = 'The body is not UTF-8.';
    expect(await receive(webhook, { headers, body: '' }, { body: bytes })).toEqual({
      type: 'refused',
      kind: 'bad-json',
      why,
    });
  });
});

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

describe('a GitHub ping', () => {
  it('is answered if its signature is valid', async () => {
    const zen = { secret: SECRET, body: '{"zen":"Keep it logically awesome.","hook_id":1}' };
    const ping = await signAsGithub('ping', zen);
    expect(await receive(webhook, ping)).toEqual({ type: 'reply', body: { hook: 'github', status: 'pong' } });
    expect(await receive(webhook, await signAsGithub('ping', { ...zen, secret: 'x' }))).toEqual(
      INVALID_SIGNATURE,
    );
  });
});
