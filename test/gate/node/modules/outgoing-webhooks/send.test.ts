import { Webhook as StandardWebhooks } from 'standardwebhooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type OutgoingWebhookConfig,
  outgoingWebhook,
} from '../../../../../src/modules/outgoing-webhooks/entry.ts';
import { standardWebhook, WebhookDefinitionError } from '../../../../../src/modules/webhooks/entry.ts';
import { createManualClock, type ManualClock } from '../../../../../src/testing/entry.ts';
import { STOP_SEAM, type StoppedTurn } from '../../../../doors/session.ts';
import { createSender } from '../../../../doors/webhooks.ts';
import { STANDARD_SECRET } from '../../../../fixtures/signed.ts';

const TEST_URL = 'https://alerts.example/hooks/holdfast?token=hidden';
const OTHER_SECRET = `whsec_${btoa('another secret of 24 bytes or more')}`;
const ENV = { ALERTS_SECRET: STANDARD_SECRET };
const NOW = 1_614_265_330_000;

interface SentRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly headers: Headers;
}

afterEach(() => void vi.unstubAllGlobals());

/** Replaces `fetch` by a receiver that returns these responses. */
function createReceiver(answer: (init: RequestInit) => Response | Promise<Response>): SentRequest[] {
  const sent: SentRequest[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    sent.push({ url, init, headers: new Headers(init.headers) });
    return answer(init);
  });
  return sent;
}

interface SendOptions {
  readonly config?: Partial<OutgoingWebhookConfig>;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly clock?: ManualClock;
  readonly id?: string;
  readonly body?: string;
}

const send = ({
  config,
  env = ENV,
  clock = createManualClock(NOW),
  id = 'msg_1',
  body = '{"type":"turn.ended","data":{}}',
}: SendOptions = {}) =>
  createSender({ url: TEST_URL, secret: 'ALERTS_SECRET', ...config }).send({ id, body, env, clock });

const acceptDelivery = () => new Response(null, { status: 204 });

describe('a message of an outgoing webhook', () => {
  it('is sent in the format of Standard Webhooks, and matches the test vector of its libraries', async () => {
    const sent = createReceiver(acceptDelivery);
    const body = '{"test": 2432232314}';
    expect(await send({ id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body })).toBeUndefined();
    const [{ url, init, headers } = expect.fail('Nothing was sent.')] = sent;
    expect([sent.length, url, init.method, init.body]).toEqual([1, TEST_URL, 'POST', body]);
    expect([...headers]).toEqual([
      ['content-type', 'application/json'],
      ['user-agent', 'holdfast'],
      ['webhook-id', 'msg_p5jXN8AQM9LWM0D4loKWxJek'],
      ['webhook-signature', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
      ['webhook-timestamp', '1614265330'],
    ]);
  });

  it('is accepted by the Standard Webhooks library and by `standardWebhook`', async () => {
    const sent = createReceiver(acceptDelivery);
    const now = Date.now();
    const body = JSON.stringify({ type: 'turn.ended', data: { text: 'Grüße 👋' } });
    await send({ body, clock: createManualClock(now) });
    const [{ init, headers } = expect.fail('Nothing was sent.')] = sent;
    const verified = new StandardWebhooks(STANDARD_SECRET).verify(
      String(init.body),
      Object.fromEntries(headers),
    );
    expect(verified).toEqual(JSON.parse(body));
    const door = standardWebhook({ agent: 'a', secret: 'S' });
    const raw = {
      headers,
      env: { S: STANDARD_SECRET },
      now,
      body: new Uint8Array(new TextEncoder().encode(body)),
    };
    expect(await door.receive(raw)).toMatchObject({ type: 'start', key: 'msg_1' });
    await expect(door.receive({ ...raw, env: { S: OTHER_SECRET } })).rejects.toThrow(
      'does not match the body',
    );
  });

  it('is signed with each secret during a rotation', async () => {
    const sent = createReceiver(acceptDelivery);
    const now = Date.now();
    const config = { secret: ['NEW', 'UNSET', 'OLD'] };
    const env = { NEW: OTHER_SECRET, OLD: ` ${STANDARD_SECRET}\n` };
    await send({ config, env, clock: createManualClock(now) });
    const [{ init, headers } = expect.fail('Nothing was sent.')] = sent;
    expect(headers.get('webhook-signature')?.split(' ')).toHaveLength(2);
    for (const secret of [OTHER_SECRET, STANDARD_SECRET]) {
      const library = new StandardWebhooks(secret);
      expect(library.verify(String(init.body), Object.fromEntries(headers))).toBeDefined();
    }
  });

  it('is sent to the URL that a function returns for the environment', async () => {
    const sent = createReceiver(acceptDelivery);
    const computeUrl = ({ HOST }: Readonly<Record<string, unknown>>) =>
      `http://localhost:8787/${String(HOST)}`;
    await send({ config: { url: computeUrl }, env: { ...ENV, HOST: 'here' } });
    expect(sent.map((one) => one.url)).toEqual(['http://localhost:8787/here']);
  });

  it('does not follow a redirect, which counts as a refusal', async () => {
    const sent = createReceiver(
      () => new Response(null, { status: 307, headers: { location: 'http://169.254.1.1/' } }),
    );
    expect(await send()).toEqual({ why: 'answered 307' });
    expect(sent.map(({ init }) => init.redirect)).toEqual(['manual']);
  });

  it.each<[string, number, Record<string, string>, object]>([
    ['500', 500, {}, {}],
    ['401', 401, {}, {}],
    ['410, which ends the deliveries', 410, {}, { isGone: true }],
    ['429', 429, {}, {}],
    ['429 with seconds', 429, { 'retry-after': '120' }, { retryAfter: 120_000 }],
    ['503 with a date', 503, { 'retry-after': new Date(NOW + 7_000).toUTCString() }, { retryAfter: 7_000 }],
    ['503 with a date in the past', 503, { 'retry-after': new Date(NOW - 7_000).toUTCString() }, {}],
    ['429 with an invalid time', 429, { 'retry-after': 'soon' }, {}],
    ['500 with seconds', 500, { 'retry-after': '120' }, {}],
  ])('is not delivered if the receiver returns %s', async (_, status, headers, more) => {
    createReceiver(() => new Response('no', { status, headers }));
    expect(await send()).toEqual({ why: `answered ${status}`, ...more });
  });

  it('is abandoned if the receiver does not respond within 15 seconds, and the connection is closed', async () => {
    const clock = createManualClock(NOW);
    const signals: unknown[] = [];
    createReceiver(({ signal }) => {
      signals.push(signal);
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    });
    const sending = send({ clock });
    await clock.advance(14_999);
    expect(signals).toMatchObject([{ aborted: false }]);
    await clock.advance(1);
    expect(await sending).toEqual({ why: 'did not answer within 15000 ms' });
    expect(signals).toMatchObject([{ aborted: true }]);
  });

  it('is delivered without a read of the response body', async () => {
    let isCancelled = false;
    const createEndlessBody = () =>
      new ReadableStream({
        pull: (stream) => stream.enqueue(new Uint8Array(1024)),
        cancel: () => {
          isCancelled = true;
        },
      });
    createReceiver(() => new Response(createEndlessBody(), { status: 200 }));
    expect(await send()).toBeUndefined();
    expect(isCancelled).toBe(true);
  });

  it('is not delivered if the receiver is unreachable, and the error omits the address', async () => {
    createReceiver(() => {
      throw new TypeError(`Fetch API cannot load: ${TEST_URL}`);
    });
    expect(await send()).toEqual({ why: 'could not be reached' });
  });

  const NOT_SET =
    'has no secret. Set the var that its `secret` reads (wrangler secret put, or .dev.vars for wrangler dev, which reads it when it starts)';

  it.each<[string, SendOptions, string]>([
    ['no secret is set', { env: {} }, NOT_SET],
    ['its function returns no secret', { config: { secret: ({ NOWHERE }) => NOWHERE } }, NOT_SET],
    ['no secret of several is set', { config: { secret: ['A', 'B'] } }, NOT_SET],
    [
      'a secret is invalid',
      { env: { ALERTS_SECRET: 'hunter2' } },
      'has an invalid secret: it must be whsec_ and the base64 of 24 bytes or more',
    ],
    [
      'its function returns no URL',
      { config: { url: ({ NOWHERE }) => String(NOWHERE) } },
      "has no usable 'url'. It must be an https URL without a user, or http on localhost",
    ],
  ])('is not sent while %s', async (_, sending, why) => {
    const sent = createReceiver(acceptDelivery);
    expect(await send(sending)).toEqual({ why });
    expect(sent).toEqual([]);
  });
});

describe('the options of an outgoing webhook', () => {
  const createUse = (config: object) => outgoingWebhook(config as OutgoingWebhookConfig);

  it('have defaults', () => {
    const use = outgoingWebhook({ url: TEST_URL, secret: 'S' });
    const runStopSeam = (stop: StoppedTurn['stop']) =>
      STOP_SEAM.of(use)?.({ id: 't1', stop, seq: 3, name: '["owner","any","s1"]' });
    expect([use.module.name, use.key]).toEqual(['outgoing-webhooks', 'outgoing']);
    expect(runStopSeam('ended')).toEqual({ agenda: [{ ref: '["t1",3]' }] });
    expect([runStopSeam('suspended'), runStopSeam('failed')]).toEqual([
      runStopSeam('ended'),
      runStopSeam('ended'),
    ]);
  });

  const WHSEC = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

  const ADDRESS =
    "Webhook 'outgoing' has no usable 'url'. It must be an https URL without a user, or http on localhost.";
  const SECRET =
    "Webhook 'outgoing' needs its secret as '(env) => env.NAME', or the name of the var that holds it. Do not put the secret itself in code.";

  it.each<[string, object, string]>([
    ['no url', { url: undefined }, ADDRESS],
    ['no secret', { secret: undefined }, SECRET],
    ['http', { url: 'http://alerts.example' }, ADDRESS],
    ['a path', { url: '/hooks/alerts' }, ADDRESS],
    ['another scheme', { url: 'ftp://localhost/' }, ADDRESS],
    ['a user in the address', { url: 'https://me:hunter2@alerts.example' }, ADDRESS],
    ['a host like localhost', { url: 'http://localhost.evil.example' }, ADDRESS],
    ['a list without a secret', { secret: [] }, SECRET],
    ['a secret in place of its name', { secret: WHSEC }, SECRET],
    ['a phrase in place of its name', { secret: 'correct horse' }, SECRET],
    ['a secret in a list of names', { secret: ['NEW', WHSEC] }, SECRET],
    [
      'an invalid name',
      { name: 'my alerts' },
      "Webhook 'my alerts' needs a name of 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    ],
    [
      'no events',
      { on: [] },
      "Webhook 'outgoing' has no events. Use one or more of suspended, ended, failed.",
    ],
    [
      'an unknown event',
      { on: ['failed', 'end'] },
      "Webhook 'outgoing' has 'end' in its 'on'. It must be 'suspended' or 'ended' or 'failed'.",
    ],
    [
      'an unknown key',
      { when: ['failed'] },
      "Webhook 'outgoing' has an unknown option 'when'. Use one of name, url, secret, on, agents.",
    ],
    [
      'the option of an incoming webhook',
      { events: ['failed'] },
      "Webhook 'outgoing' has 'events' instead of 'on'. Rename it.",
    ],
  ])('are refused with %s', (_, more, message) => {
    const make = () => createUse({ url: TEST_URL, secret: 'S', ...more });
    expect(make).toThrow(WebhookDefinitionError);
    expect(make).toThrow(expect.objectContaining({ message }));
  });
});
