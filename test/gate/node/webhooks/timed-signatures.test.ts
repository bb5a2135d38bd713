import { describe, expect, it } from 'vitest';
import { slackWebhook, standardWebhook, stripeWebhook } from '../../../../src/modules/webhooks/entry.ts';
import {
  createInvalidSignature,
  ENV,
  INVALID_SIGNATURE,
  type Reception,
  receive,
} from '../../../fixtures/arrive.ts';
import {
  computeHmacHex,
  SECRET,
  type SignedRequest,
  STANDARD_SECRET,
  signAsSlack,
  signAsStandard,
  signAsStripe,
} from '../../../fixtures/signed.ts';

const TIME = 1_700_000_000;
const TIME_OPTIONS = { now: TIME * 1000 };
const body = JSON.stringify({ id: 'evt_1', event_id: 'Ev1', type: 'x', data: { id: 1 } });

const SENDERS = [
  {
    name: 'Stripe',
    header: 'Stripe-Signature',
    webhook: stripeWebhook({ agent: 'a', secret: ['SECRET', 'OLD'] }),
    sign: (time: number, secret = SECRET) => signAsStripe({ secret, body, time }),
  },
  {
    name: 'Slack',
    header: 'X-Slack-Request-Timestamp',
    webhook: slackWebhook({ agent: 'a', secret: ['SECRET', 'OLD'] }),
    sign: (time: number, secret = SECRET) => signAsSlack({ secret, body, time }),
  },
  {
    name: 'Standard Webhooks',
    header: 'webhook-timestamp',
    webhook: standardWebhook({ agent: 'a', secret: ['STANDARD_SECRET', 'OLDER'] }),
    sign: async (time: number, secret = STANDARD_SECRET) => signAsStandard('msg_1', { secret, body, time }),
  },
];

const createStaleError = (apart: string): Reception =>
  createInvalidSignature(
    `The delivery was signed ${apart} by this Worker's clock; at most 300 s are allowed. Send it again with a new signature.`,
  );

describe.each(SENDERS)('a delivery of $name', ({ webhook, sign, header }) => {
  it.each([0, 300, -300])('is accepted %i s after its timestamp', async (late) => {
    expect(await receive(webhook, await sign(TIME - late), TIME_OPTIONS)).toMatchObject({
      type: 'start',
      agent: 'a',
    });
  });

  it.each([
    [301, '301 s ago'],
    [-301, '301 s in the future'],
    [86_400, '86400 s ago'],
  ])('is refused %i s after its timestamp', async (late, apart) => {
    expect(await receive(webhook, await sign(TIME - late), TIME_OPTIONS)).toEqual(createStaleError(apart));
  });

  it('is refused if it was changed in transit, or if another secret signed it', async () => {
    const good = await sign(TIME);
    expect(await receive(webhook, { ...good, body: `${body} ` }, TIME_OPTIONS)).toEqual(INVALID_SIGNATURE);
    const other = await sign(TIME, 'whsec_b3RoZXIgc2VjcmV0IHRoYW4gdGhhdA==');
    expect(await receive(webhook, other, TIME_OPTIONS)).toEqual(INVALID_SIGNATURE);
  });

  it('is refused if its timestamp was changed', async () => {
    const { headers } = await sign(TIME - 1000);
    const moved = Object.entries(headers).map(([name, text]) => [
      name,
      text.replace(String(TIME - 1000), String(TIME)),
    ]);
    expect(await receive(webhook, { headers: Object.fromEntries(moved), body }, TIME_OPTIONS)).toEqual(
      INVALID_SIGNATURE,
    );
  });

  it.each(['', '-1', '1e9', '1700000000.5', ' ', '0x10', '99999999999999999999'])(
    'is refused with the timestamp %j',
    async (time) => {
      const { headers } = await sign(TIME);
      const timed = Object.entries(headers).map(([name, text]) => [name, text.replace(String(TIME), time)]);
      const refusal = await receive(webhook, { headers: Object.fromEntries(timed), body }, TIME_OPTIONS);
      expect(refusal).toMatchObject({ type: 'refused', kind: 'invalid-signature' });
    },
  );

  it('is refused if any of its headers occurs twice', async () => {
    const { headers } = await sign(TIME);
    for (const name of Object.keys(headers).filter((one) => one !== 'content-type')) {
      const twice = new Headers(headers);
      twice.append(name, headers[name] ?? '');
      const refusal = await receive(webhook, { body, headers: {} }, { ...TIME_OPTIONS, headers: twice });
      expect(refusal).toMatchObject({ type: 'refused', kind: 'invalid-signature' });
    }
  });

  it('is refused without its headers, and the error lists them', async () => {
    const refusal = await receive(webhook, { body, headers: {} }, TIME_OPTIONS);
    expect(refusal).toMatchObject({ type: 'refused', why: expect.stringMatching(/ missing\.$/) });
    expect(header).toMatch(/^[A-Za-z-]+$/);
  });
});

describe('Stripe-Signature', () => {
  const { webhook } = SENDERS[0] ?? expect.fail();
  const MALFORMED = createInvalidSignature(
    'Stripe-Signature must be t={time},v1={64 hexadecimal digits}, with one time and one v1 or more.',
  );
  const good = computeHmacHex(SECRET, `${TIME}.${body}`);
  const other = '0'.repeat(64);
  const receiveWithHeader = (header: string): Promise<Reception> =>
    receive(webhook, { body, headers: { 'stripe-signature': header } }, TIME_OPTIONS);

  it.each<[string, (one: string) => string]>([
    ['the only one', (one) => `t=${TIME},v1=${one}`],
    ['the first of two', (one) => `t=${TIME},v1=${one},v1=${other}`],
    ['the second of two', (one) => `t=${TIME},v1=${other},v1=${one}`],
    ['beside one of another scheme', (one) => `t=${TIME},v0=6ffbb59b,v1=${one}`],
    ['before the timestamp', (one) => `v1=${one},t=${TIME}`],
  ])('is accepted if the valid signature is %s', async (_, header) => {
    expect(await receiveWithHeader(header(await good))).toMatchObject({ type: 'start' });
  });

  it.each<[string, (one: string) => string]>([
    ['with only a signature of another scheme', (one) => `t=${TIME},v0=${one}`],
    ['without a timestamp', (one) => `v1=${one}`],
    ['with two timestamps', (one) => `t=${TIME},t=1,v1=${one}`],
    ['with a malformed second signature', (one) => `t=${TIME},v1=${one},v1=abc`],
    ['without a signature', () => `t=${TIME}`],
    ['with spaces', (one) => `t=${TIME}, v1=${one}`],
    ['in upper case', (one) => `t=${TIME},v1=${one.toUpperCase()}`],
    ['if it is empty', () => ''],
  ])('is refused %s', async (_, header) => {
    expect(await receiveWithHeader(header(await good))).toEqual(MALFORMED);
  });

  it('is refused with more signatures than the limit', async () => {
    const many = Array.from({ length: 9 }, () => `v1=${other}`).join(',');
    expect(await receiveWithHeader(`t=${TIME},${many}`)).toEqual(
      createInvalidSignature('The delivery carries 9 signatures; at most 8 are checked.'),
    );
  });

  it('is accepted with the previous secret', async () => {
    const old = await computeHmacHex(ENV.OLD, `${TIME}.${body}`);
    expect(await receiveWithHeader(`t=${TIME},v1=${old}`)).toMatchObject({ type: 'start' });
  });
});

describe('Slack', () => {
  it('is accepted with the signature that Slack documents', async () => {
    const command =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar' +
      '&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com' +
      '%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.' +
      '803a0bc887a14d10d2c447fce8b6703c';
    const headers = {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    };
    const env = { SECRET: '8f742231b10e8888abcd99yyyzzz85a5' };
    const webhook = slackWebhook({ agent: 'a', secret: 'SECRET' });
    const taken = await receive(webhook, { headers, body: command }, { env, now: 1531420618_000 });
    expect(taken).toMatchObject({ type: 'start', session: 'T1DC2JH3J:G8PSS9T3V', acknowledge: 'nothing' });
    const later = await receive(webhook, { headers, body: command }, { env, now: 1531420919_000 });
    expect(later).toEqual(createStaleError('301 s ago'));
  });

  it.each([
    '',
    'v0=',
    `v1=${'0'.repeat(64)}`,
    `v0=${'0'.repeat(63)}`,
    `v0=${'g'.repeat(64)}`,
    '0'.repeat(64),
  ])('is refused with the value %j', async (signature) => {
    const headers = { 'x-slack-request-timestamp': String(TIME), 'x-slack-signature': signature };
    const { webhook } = SENDERS[1] ?? expect.fail();
    expect(await receive(webhook, { headers, body }, TIME_OPTIONS)).toEqual(
      createInvalidSignature('X-Slack-Signature must be v0= and 64 hexadecimal digits, once.'),
    );
  });

  it('is accepted for a challenge, which is answered if it is signed', async () => {
    const webhook = slackWebhook({ agent: 'a', secret: 'SECRET' });
    const question = JSON.stringify({ token: 't', challenge: '3eZbrw1a', type: 'url_verification' });
    const asked = await signAsSlack({ secret: SECRET, body: question });
    expect(await receive(webhook, asked)).toEqual({ type: 'reply', body: { challenge: '3eZbrw1a' } });
    const forged = await signAsSlack({ secret: 'another', body: question });
    expect(await receive(webhook, forged)).toEqual(INVALID_SIGNATURE);
  });
});

describe('webhook-signature', () => {
  const { webhook } = SENDERS[2] ?? expect.fail();
  const signed = signAsStandard('msg_1', { secret: STANDARD_SECRET, body, time: TIME });
  const good = signed.headers['webhook-signature'] ?? '';
  const other = `v1,${'A'.repeat(43)}=`;
  const MALFORMED = createInvalidSignature(
    'webhook-signature must be v1,{base64 of 32 bytes}, or several of them with spaces between.',
  );
  const withHeader = (name: string, text: string): SignedRequest => ({
    body,
    headers: { ...signed.headers, [name]: text },
  });

  it('is accepted for the test vector of the Standard Webhooks libraries', async () => {
    const vector = {
      headers: {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
      body: '{"test": 2432232314}',
    };
    expect(await receive(webhook, vector, { now: 1614265330_000 })).toMatchObject({ type: 'start' });
  });

  it.each([
    ['the second of two', `${other} ${good}`],
    [
      'beside one of another version',
      `v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg== ${good}`,
    ],
  ])('is accepted if the valid signature is %s', async (_, header) => {
    expect(await receive(webhook, withHeader('webhook-signature', header), TIME_OPTIONS)).toMatchObject({
      type: 'start',
    });
  });

  it.each([
    ['if it is empty', ''],
    ['without a version', good.slice(3)],
    ['with only a signature of another version', good.replace('v1,', 'v2,')],
    ['with other bytes', 'v1,AAAA'],
    ['with an additional comma', `${good}, ${good}`],
    ['with two spaces', `${good}  ${good}`],
    ['in URL-safe base64', `v1,${'-'.repeat(43)}=`],
  ])('is refused %s', async (_, header) => {
    expect(await receive(webhook, withHeader('webhook-signature', header), TIME_OPTIONS)).toEqual(MALFORMED);
  });

  it('is refused if it encodes the same bytes differently', async () => {
    const last = good.at(-2) ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const respelled = `${good.slice(0, -2)}${alphabet[alphabet.indexOf(last) + 1]}=`;
    expect(atob(respelled.slice(3))).toBe(atob(good.slice(3)));
    expect(await receive(webhook, withHeader('webhook-signature', respelled), TIME_OPTIONS)).toEqual(
      MALFORMED,
    );
  });

  it.each(['msg.1', 'msg 1', 'x'.repeat(257), ''])('is refused with the id %j', async (id) => {
    const why = 'webhook-id must be 1 to 256 visible ASCII characters without a full stop.';
    expect(await receive(webhook, withHeader('webhook-id', id), TIME_OPTIONS)).toEqual(
      createInvalidSignature(why),
    );
  });

  it('is refused with the id of another delivery', async () => {
    expect(await receive(webhook, withHeader('webhook-id', 'msg_2'), TIME_OPTIONS)).toEqual(
      INVALID_SIGNATURE,
    );
  });

  it('is accepted with a secret without its prefix', async () => {
    const bare = { STANDARD_SECRET: STANDARD_SECRET.replace('whsec_', '') };
    expect(await receive(webhook, signed, { ...TIME_OPTIONS, env: bare })).toMatchObject({ type: 'start' });
  });

  it.each(['whsec_', 'whsec_####', `whsec_${btoa('x'.repeat(23))}`])(
    'is not accepted with the secret %j',
    async (secret) => {
      expect(await receive(webhook, signed, { ...TIME_OPTIONS, env: { STANDARD_SECRET: secret } })).toEqual({
        type: 'refused',
        kind: 'not-configured',
        why:
          'The secret of this Worker is invalid for Standard Webhooks. It must be whsec_ and ' +
          'the base64 of 24 bytes or more.',
      });
    },
  );
});
