import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../../../src/create-holdfast.ts';
import {
  defineWebhook,
  githubWebhook,
  verified,
  type WebhookTurn,
} from '../../../../src/modules/webhooks/entry.ts';
import { ENV, NO_SECRET_REASON } from '../../../fixtures/arrive.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from './app.ts';
import { readJson } from './client.ts';
import {
  config,
  createHookApp,
  createHookProblem,
  createIssueBody,
  deliver,
  expectProblem,
  FAILED_PROBLEM,
  HOOK_PATH,
  plainWebhook,
  signIssue,
} from './hook-deliveries.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a refused delivery', () => {
  it('is not read to its end if it is too large', async () => {
    const small = createTestApp({ use: [githubWebhook({ ...config, maxBodyBytes: 1_000 })] }, ENV);
    const tooLarge = createHookProblem(
      413,
      'body-too-large',
      'The body is larger than 1000 bytes. Send less.',
    );
    const signed = await signIssue(createIssueBody({ filler: 'x'.repeat(1_000) }));
    await expectProblem(await deliver(small, signed), tooLarge);
    let pulled = 0;
    const endless = new ReadableStream({
      pull(stream) {
        pulled += 1;
        stream.enqueue(new Uint8Array(400));
      },
    });
    const { headers } = signed;
    await expectProblem(await small(HOOK_PATH, { method: 'POST', headers, body: endless }), tooLarge);
    expect(pulled).toBeLessThan(10);
  });

  it('has a body of more than 5 MB, and exactly 5 MB are accepted', async () => {
    const frame = createIssueBody({ filler: '' });
    const most = frame.replace('"filler":""', `"filler":"${'x'.repeat(5_000_000 - frame.length)}"`);
    expect(most.length).toBe(5_000_000);
    const { message } = registerScript('Done.');
    expect((await deliver(createHookApp(message), await signIssue(most))).status).toBe(202);
    expect((await deliver(plainWebhook, await signIssue(`${most} `))).status).toBe(413);
  });

  it('reports invalid JSON if its signature is valid', async () => {
    const signed = await signIssue('{"action":');
    await expectProblem(
      await deliver(plainWebhook, signed),
      createHookProblem(400, 'bad-json', 'The body is not JSON.'),
    );
  });

  it('does not reveal which secret is missing', async () => {
    const bare = createTestApp(
      { use: [githubWebhook({ ...config, secret: ['GITHUB_WEBHOOK_SECRET', 'EMPTY'] })] },
      ENV,
    );
    await expectProblem(
      await deliver(bare, await signIssue()),
      createHookProblem(503, 'not-configured', NO_SECRET_REASON),
    );
  });

  it('can be sent again if its session could not be reached', async () => {
    const accept = () => Promise.reject(Object.assign(new Error('overloaded'), { overloaded: true }));
    const SESSIONS = wrapObjects(() => ({ accept }));
    const app = createTestApp({ use: [githubWebhook(config)] }, { ...ENV, SESSIONS });
    const response = await deliver(app, await signIssue());
    expect(response.headers.get('retry-after')).toBe('1');
    await expectProblem(
      response,
      createHookProblem(
        503,
        'session-unavailable',
        'The session cannot be reached now. Send the request again.',
      ),
    );
  });

  it('reports that the Worker has no binding for sessions', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const app = createTestApp({ use: [githubWebhook(config)] }, { ...ENV, SESSIONS: undefined });
    const response = await deliver(app, await signIssue());
    const { detail } = await readJson(response.clone());
    expect(detail).toMatch(/^This Worker has no Durable Object binding SESSIONS\. /);
    await expectProblem(response, createHookProblem(500, 'misconfigured', String(detail)));
    expect(log.mock.calls).toEqual([[`holdfast: ${detail}`]]);
    log.mockRestore();
  });

  it('can be sent again later if its session is full', async () => {
    const SESSIONS = wrapObjects(() => ({ accept: async () => ({ status: 'full', most: 100 }) }));
    const app = createTestApp({ use: [githubWebhook(config)] }, { ...ENV, SESSIONS });
    const response = await deliver(app, await signIssue());
    expect(response.headers.get('retry-after')).toBe('30');
    await expectProblem(
      response,
      createHookProblem(
        429,
        'queue-full',
        'No more messages can wait in this session. The limit is 100 messages or 10000000 bytes. Send the message again when some have been answered.',
      ),
    );
  });
});

describe('a delivery to a session with a full database', () => {
  it('is refused with a suggested fix', async () => {
    const full = { status: 'session-full', most: 7, used: 8 };
    const SESSIONS = wrapObjects(() => ({ accept: async () => full }));
    const app = createTestApp({ use: [githubWebhook(config)] }, { ...ENV, SESSIONS });
    const detail =
      'The session is full: it uses 8 bytes, and the limit is 7. Start a new session, or erase this one.';
    const expected = { ...createHookProblem(507, 'session-full', detail), most: 7, used: 8 };
    await expectProblem(await deliver(app, await signIssue()), expected);
  });
});

describe('a misconfigured webhook', () => {
  const turn: WebhookTurn = { session: 's', message: 'Hello' };
  const verify = () => verified('1', null);
  const spyOnErrors = () => vi.spyOn(console, 'error').mockImplementation(() => {});

  it.each<[string, () => WebhookTurn, string]>([
    [
      'throws',
      () => {
        throw new Error('an internal secret');
      },
      'an internal secret',
    ],
    [
      'names an unknown agent',
      () => ({ ...turn, agent: 'nobody' }),
      "There is no agent 'nobody'. GET /agents lists the agents.",
    ],
    [
      'names an invalid session',
      () => ({ ...turn, session: 'a/b' }),
      'A session id must be 1 to 128 of the characters A-Z a-z 0-9 _ . : @ -',
    ],
    ['returns a blank message', () => ({ ...turn, message: ' ' }), 'The message of the turn is blank.'],
    [
      'names an empty owner',
      () => ({ ...turn, owner: { id: '' } }),
      'The owner of the turn is blank. Use { tenant } for the sessions of all callers of a tenant, or { id } for those of one caller.',
    ],
    [
      'names an owner that could be an id or a tenant',
      () => ({ ...turn, owner: 'acme' as never }),
      'The owner of the turn is a string, which could be an id or a tenant. Use { tenant } for the sessions of all callers of a tenant, or { id } ' +
        'for those of one caller.',
    ],
    [
      'has a context that is not JSON',
      () => ({ ...turn, context: { at: JSON.parse('{}').at ?? (Number.NaN as number) } }),
      "The tool-call context's 'at' is not JSON: at `$` it is NaN.",
    ],
  ])('returns 500 if its mapping %s, and only the log shows why', async (_, start, why) => {
    const error = spyOnErrors();
    const webhook = defineWebhook({ name: 'own', agent: 'scripted', verify, start });
    await expectProblem(
      await deliver(createTestApp({ use: [webhook] }), { headers: {}, body: '' }, '/hooks/own'),
      FAILED_PROBLEM,
    );
    expect(error.mock.calls).toEqual([
      ["holdfast: webhook 'own' could not start a turn", expect.objectContaining({ message: why })],
    ]);
  });

  it('returns 500 if it has no agent', async () => {
    const error = spyOnErrors();
    const start = () => JSON.parse('{"session":"s","message":"Hello"}');
    const webhook = defineWebhook({ name: 'own', verify, start });
    await expectProblem(
      await deliver(createTestApp({ use: [webhook] }), { headers: {}, body: '' }, '/hooks/own'),
      FAILED_PROBLEM,
    );
    expect(error.mock.calls[0]?.[1]).toMatchObject({
      message: 'The webhook has no agent, and `start` did not return one.',
    });
  });

  it('has accepted no delivery, so a repeated delivery is accepted', async () => {
    spyOnErrors();
    const { message } = registerScript('Done.');
    const broken = { isSo: true };
    const app = createHookApp(message, {
      start: async ({ usual }) => {
        if (broken.isSo) throw new Error('the database is unavailable');
        return { ...usual, message: message() };
      },
    });
    const signed = await signIssue();
    expect((await deliver(app, signed)).status).toBe(500);
    broken.isSo = false;
    expect((await readJson(await deliver(app, signed))).status).toBe('accepted');
  });

  it('is reported when the Worker starts if it shares a name or starts no agent', () => {
    expect(() => createTestApp({ use: [githubWebhook(config), githubWebhook(config)] })).toThrow(
      expect.objectContaining({
        name: 'ConfigurationError',
        message: "The module 'webhooks' is used twice under the key 'github'. Give one of them another key.",
      }),
    );
    expect(() =>
      createTestApp({ agents: [scripted], use: [githubWebhook({ ...config, agent: 'triage' })] }),
    ).toThrow(
      new ConfigurationError("Webhook 'github' starts the agent 'triage', which is not among the agents."),
    );
  });
});
