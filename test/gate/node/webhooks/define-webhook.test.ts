import { describe, expect, it } from 'vitest';
import type { SecretSource } from '../../../../src/create-holdfast.ts';
import {
  defineWebhook,
  fromHex,
  githubWebhook,
  ignored,
  isSigned,
  notSigned,
  secretsOf,
  stripeWebhook,
  verified,
  WebhookDefinitionError,
  type WebhookTurn,
} from '../../../../src/modules/webhooks/entry.ts';
import { INVALID_SIGNATURE, NO_SECRET_REASON, receive } from '../../../fixtures/arrive.ts';
import { computeHmacHex, SECRET, signAsGithub } from '../../../fixtures/signed.ts';

const verify = () => verified('1', { name: 'Ada' });
const turn: WebhookTurn = { session: 's', message: 'Hello' };
const start = () => turn;

describe('`defineWebhook`', () => {
  /** A sender without a ready-made webhook. */
  const linear = defineWebhook({
    name: 'linear',
    agent: 'planner',
    verify: async ({ headers, body, env }) => {
      const signature = fromHex(headers.get('linear-signature') ?? '');
      const secrets = await secretsOf(env, 'SECRET');
      if (!signature || !(await isSigned({ secrets, signatures: [signature], content: [body] })))
        throw notSigned();
      const payload: unknown = JSON.parse(new TextDecoder().decode(body));
      return verified(headers.get('linear-delivery') ?? '', payload);
    },
    start: ({ hook, id, payload, headers, env }) =>
      payload === null
        ? ignored('nothing')
        : { session: `${hook}-${id}`, message: `${headers.get('linear-event')} ${typeof env.SECRET}` },
  });

  it('accepts deliveries of any sender', async () => {
    const body = '{}';
    const headers = {
      'linear-signature': await computeHmacHex(SECRET, body),
      'linear-delivery': 'd1',
      'linear-event': 'Issue',
    };
    expect(await receive(linear, { headers, body })).toEqual({
      type: 'start',
      agent: 'planner',
      session: 'linear-d1',
      message: 'Issue string',
      context: {},
      key: 'd1',
      acknowledge: 'address',
    });
    expect(await receive(linear, { headers, body: '[]' })).toEqual(INVALID_SIGNATURE);
  });

  it('uses the agent, owner, context and key that `start` returns', async () => {
    const given = { agent: 'b', owner: { tenant: 'acme' }, context: { a: 1 }, key: 'k' };
    const webhook = defineWebhook({
      name: 'x',
      agent: 'a',
      owner: { id: 'o' },
      verify,
      start: () => ({ ...turn, ...given }),
    });
    expect(await receive(webhook, { headers: {}, body: '' })).toMatchObject(given);
    const usual = defineWebhook({ name: 'x', agent: 'a', owner: { id: 'o' }, verify, start });
    expect(await receive(usual, { headers: {}, body: '' })).toMatchObject({
      agent: 'a',
      owner: { id: 'o' },
      key: '1',
      context: {},
    });
  });

  it('ignores a delivery if `start` ignores it', async () => {
    const webhook = defineWebhook({
      name: 'x',
      agent: 'a',
      verify,
      start: async () => ignored('Not today.'),
    });
    expect(await receive(webhook, { headers: {}, body: '' })).toEqual({
      type: 'ignored',
      reason: 'Not today.',
      acknowledge: 'address',
    });
  });

  it('makes distinct keys from long and unusual ids', async () => {
    const computeKey = async (id: string): Promise<unknown> => {
      const webhook = defineWebhook({ name: 'x', agent: 'a', verify: () => verified(id, null), start });
      const received = await webhook.receive({
        headers: new Headers(),
        body: new Uint8Array(),
        env: {},
        now: 0,
      });
      return received.type === 'start' && received.key;
    };
    expect(await computeKey('x'.repeat(200))).toBe('x'.repeat(200));
    const strange = await Promise.all(['x'.repeat(201), 'a b', 'é', '\ud800', '\ufffd'].map(computeKey));
    for (const key of strange) expect(key).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(new Set(strange).size).toBe(5);
    await expect(computeKey('')).rejects.toThrow(
      'The delivery has an empty id or key, so other deliveries would count as repeats of it.',
    );
  });

  it.each([
    ['', "Webhook '' needs a name of 1 to 64 of the characters A-Z a-z 0-9 _ -."],
    ['a/b', "Webhook 'a/b' needs a name of 1 to 64 of the characters A-Z a-z 0-9 _ -."],
  ])('throws for the name %j', (name, message) => {
    expect(() => defineWebhook({ name, agent: 'a', verify, start })).toThrow(
      expect.objectContaining({ name: 'WebhookDefinitionError', webhook: name, field: 'name', message }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'throws for a maxBodyBytes of %d',
    (maxBodyBytes) => {
      expect(() => defineWebhook({ name: 'x', agent: 'a', verify, start, maxBodyBytes })).toThrow(
        `Webhook 'x' has a maxBodyBytes of ${maxBodyBytes}. It must be a whole number of bytes above 0.`,
      );
    },
  );

  it('throws for an invalid whenBusy', () => {
    const whenBusy = JSON.parse('"wait"');
    expect(() => defineWebhook({ name: 'x', agent: 'a', verify, start, whenBusy })).toThrow(
      "Webhook 'x' has a whenBusy of 'wait'. It must be 'queue' or 'steer'.",
    );
  });
});

describe('a ready-made webhook', () => {
  it.each(
    [
      '',
      ' ',
      [],
      ['A', ''],
      'hunter 2',
      'correct-horse',
      'sk_live_51H8xYzAbCdEfGh',
      ['A', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'],
    ].map((secret) => [secret] as const),
  )('throws for the secret %j without repeating it', (secret) => {
    expect(() => githubWebhook({ agent: 'a', secret })).toThrow(
      new WebhookDefinitionError(
        'github',
        'secret',
        "needs its secret as '(env) => env.NAME', or the name of the var that holds it. Do not put the secret itself in code",
      ),
    );
  });

  it('reads its secret from the environment with a function, which can return several secrets', async () => {
    const signed = await signAsGithub('issues', { secret: SECRET, body: '{"action":"opened"}' });
    const receiveSigned = (secret: SecretSource) => receive(githubWebhook({ agent: 'a', secret }), signed);
    const taken = await receiveSigned('SECRET');
    expect(await receiveSigned((env) => env.SECRET)).toEqual(taken);
    expect(await receiveSigned((env) => [env.UNSET, env.OLD, env.SECRET])).toEqual(taken);
    expect(taken).not.toMatchObject({ type: 'refused' });
  });

  it('returns an error for a missing secret, without the configured value', async () => {
    const signed = await signAsGithub('issues', { secret: SECRET, body: '{"action":"opened"}' });
    for (const secret of ['hunter2', () => undefined, () => ['', ' ']]) {
      expect(await receive(githubWebhook({ agent: 'a', secret }), signed)).toEqual({
        type: 'refused',
        kind: 'not-configured',
        why: NO_SECRET_REASON,
      });
    }
  });

  it('throws for an empty list of events', () => {
    expect(() => stripeWebhook({ agent: 'a', secret: 'S', events: [] })).toThrow(
      "Webhook 'stripe' has no names in its `events`. Omit `events` to accept all.",
    );
  });

  it('accepts 5 MB and queues messages by default', () => {
    expect(githubWebhook({ agent: 'a', secret: 'S' })).toMatchObject({
      name: 'github',
      agent: 'a',
      maxBodyBytes: 5_000_000,
      whenBusy: 'queue',
    });
    const told = { name: 'issues', maxBodyBytes: 25_000_000, whenBusy: 'steer' } as const;
    expect(githubWebhook({ agent: 'a', secret: 'S', ...told })).toMatchObject(told);
  });
});
