import { describe, expect, it } from 'vitest';
import { openApi } from '../../../../src/modules/openapi/entry.ts';
import { githubWebhook, webhookDescription } from '../../../../src/modules/webhooks/entry.ts';
import type { TurnStart } from '../../../doors/journal.ts';
import { ENV } from '../../../fixtures/arrive.ts';
import { clerk } from '../../../fixtures/clerk-agent.ts';
import { holdReply, script } from '../../../fixtures/scripts.ts';
import { SECRET } from '../../../fixtures/signed.ts';
import { appWith, objectsWith } from './app.ts';
import { followToEnd, journal, json, ORIGIN, send } from './client.ts';
import {
  appFor,
  config,
  deliver,
  expectProblem,
  HOOK,
  issueBody,
  plainWebhook,
  problem,
  signedIssue,
} from './hook-deliveries.ts';

describe('a delivery', () => {
  it('is stored, and returns the address of its turn, which runs in the background', async () => {
    const { message, model } = script({ calls: [{ name: 'record', input: { note: 'hook' } }] }, 'Labeled.');
    const response = await deliver(appFor(message), await signedIssue());
    expect(response.status).toBe(202);
    const told = await json(response);
    expect(told).toEqual({
      hook: 'github',
      session: expect.stringMatching(/^acme:[0-9a-f-]{36}:1$/),
      agent: 'scripted',
      turn: expect.stringMatching(/^[0-9a-f]{16}$/),
      status: 'accepted',
    });
    const session = `/agents/scripted/sessions/${encodeURIComponent(String(told.session))}`;
    expect(response.headers.get('location')).toBe(`${session}/turns/${told.turn}`);
    const events = await followToEnd(session);
    expect(events.at(-1)).toMatchObject({ type: 'turn-ended', outcome: 'completed' });
    expect(model.requests.length).toBe(2);
    const answer = await send(response.headers.get('location') ?? '');
    expect([answer.status, await json(answer)]).toMatchObject([200, { turn: told.turn, text: 'Labeled.' }]);
  });

  it('journals its sender and the context of the tools, and no secret', async () => {
    const { message } = script('Done.');
    const signed = await signedIssue(issueBody(), 'd-1');
    const { session } = await json(await deliver(appFor(message), signed));
    const path = `/agents/scripted/sessions/${encodeURIComponent(String(session))}`;
    const started = (await followToEnd(path)).find(({ type }) => type === 'turn-started');
    expect(started).toMatchObject({
      message: expect.stringContaining('Broken'),
      principal: { id: 'webhook:github' },
      context: { webhook: { hook: 'github', event: 'issues', action: 'opened', delivery: 'd-1', number: 1 } },
    });
    expect(JSON.stringify(await journal(path))).not.toContain(SECRET);
  });

  it('is recognized if it is repeated later or under another id', async () => {
    const { message, model } = script('Done.');
    const app = appFor(message);
    const body = issueBody();
    const first = await deliver(app, await signedIssue(body, 'd-1'));
    const told = await json(first);
    const path = `/agents/scripted/sessions/${encodeURIComponent(String(told.session))}`;
    for (const delivery of ['d-1', 'd-2']) {
      const again = await deliver(app, await signedIssue(body, delivery));
      expect(await json(again)).toEqual({ ...told, status: 'known' });
      expect([again.status, again.headers.get('location')]).toEqual([202, first.headers.get('location')]);
    }
    await followToEnd(path);
    expect(await json(await deliver(app, await signedIssue(body)))).toEqual({ ...told, status: 'known' });
    expect((await journal(path)).filter(({ type }) => type === 'turn-started').length).toBe(1);
    expect(model.requests.length).toBe(1);
  });

  it('is stored in one write, with a key that is kept for a week', async () => {
    const starts: TurnStart[] = [];
    const accept = async (start: TurnStart) => {
      starts.push(start);
      return { status: 'accepted', turn: start.turn };
    };
    const SESSIONS = objectsWith(() => ({ accept }));
    const app = appWith({ use: [githubWebhook(config)] }, { ...ENV, SESSIONS });
    await deliver(app, await signedIssue());
    expect(starts).toEqual([
      expect.objectContaining({
        request: {
          key: expect.stringMatching(/^delivery github [0-9a-f]{64}$/),
          bodyHash: expect.any(String),
          ttl: 7 * 24 * 60 * 60 * 1000,
        },
        whenBusy: 'queue',
      }),
    ]);
  });

  it('that arrives five times concurrently starts one turn', async () => {
    const { message } = script('Done.');
    const app = appFor(message);
    const body = issueBody();
    const all = await Promise.all(
      [1, 2, 3, 4, 5].map(async () => json(await deliver(app, await signedIssue(body)))),
    );
    expect(new Set(all.map(({ turn }) => turn)).size).toBe(1);
    expect(all.map(({ status }) => status).sort()).toEqual(['accepted', 'known', 'known', 'known', 'known']);
  });

  it('waits in order while its session is busy', async () => {
    const answer = holdReply('First.');
    const { message, model } = script(answer.reply, 'Second.');
    const app = appFor(message);
    const repository = { full_name: `acme/${crypto.randomUUID()}` };
    const first = await json(await deliver(app, await signedIssue(issueBody({ repository }))));
    await answer.asked();
    const second = await deliver(app, await signedIssue(issueBody({ repository, action: 'edited' })));
    const told = await json(second);
    expect([second.status, told]).toEqual([
      202,
      {
        hook: 'github',
        session: first.session,
        agent: 'scripted',
        turn: expect.any(String),
        status: 'queued',
      },
    ]);
    expect(second.headers.get('location')).toMatch(new RegExp(`/turns/${told.turn}$`));
    const again = await deliver(app, await signedIssue(issueBody({ repository, action: 'edited' })));
    expect(await json(again)).toEqual(told);
    answer.release();
    const path = `/agents/scripted/sessions/${encodeURIComponent(String(first.session))}`;
    await expect
      .poll(async () => (await journal(path)).filter(({ type }) => type === 'turn-ended').length)
      .toBe(2);
    expect(model.requests.length).toBe(2);
  });

  it('is shown to the running turn if the webhook steers', async () => {
    const answer = holdReply('First.');
    const { message } = script(answer.reply, 'Second.', 'Third.');
    const app = appFor(message, { whenBusy: 'steer' });
    const repository = { full_name: `acme/${crypto.randomUUID()}` };
    const first = await json(await deliver(app, await signedIssue(issueBody({ repository }))));
    await answer.asked();
    const steering = await deliver(app, await signedIssue(issueBody({ repository, action: 'edited' })));
    const told = await json(steering);
    expect(told).toMatchObject({ status: 'steering', into: first.turn });
    expect(steering.headers.get('location')).toMatch(new RegExp(`/turns/${told.turn}$`));
    answer.release();
  });

  it('waits behind a turn with pending calls, even if the webhook steers', async () => {
    const input = { to: crypto.randomUUID(), amount: 1 };
    const { message } = script({ calls: [{ name: 'pay', input }] }, 'Paid.', 'Second.');
    const webhook = githubWebhook({
      ...{ ...config, agent: 'clerk', whenBusy: 'steer' },
      start: ({ usual }) => ({ ...usual, message: message(usual.message) }),
    });
    const app = appWith({ agents: [clerk], use: [webhook] }, ENV);
    const repository = { full_name: `acme/${crypto.randomUUID()}` };
    const first = await json(await deliver(app, await signedIssue(issueBody({ repository }))));
    const path = `/agents/clerk/sessions/${encodeURIComponent(String(first.session))}`;
    await expect.poll(async () => (await json(await send(path))).pending).toHaveLength(1);
    const delivery = crypto.randomUUID();
    const edited = issueBody({ repository, action: 'edited' });
    const second = await deliver(app, await signedIssue(edited, delivery));
    const told = await json(second);
    expect([second.status, told.status]).toEqual([202, 'queued']);
    const again = await deliver(app, await signedIssue(edited, delivery));
    expect(await json(again)).toEqual(told);
    expect((await json(await send(path))).waiting).toEqual([{ turn: told.turn, status: 'queued' }]);
    await (await send(`${path}/cancel`, { method: 'POST' })).text();
    await expect.poll(async () => (await send(`${path}/turns/${told.turn}`)).status).toBe(200);
  });

  it('returns 404 for an unknown webhook, and 405 for another method', async () => {
    await expectProblem(
      await deliver(plainWebhook, await signedIssue(), '/hooks/gitlab'),
      problem(
        404,
        'unknown-webhook',
        "There is no webhook 'gitlab'. Webhooks are listed in `use` of createHoldfast.",
      ),
    );
    await expectProblem(
      await deliver(send, await signedIssue()),
      problem(404, 'unknown-route', 'This path is unknown. GET / shows where to start.'),
    );
    const got = await plainWebhook(HOOK);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('needs a signature instead of a token', async () => {
    const { message } = script('Done.');
    const webhook = githubWebhook({ ...config, start: ({ usual }) => ({ ...usual, message: message() }) });
    const app = appWith({ use: [webhook], auth: () => null }, ENV);
    expect((await deliver(app, await signedIssue())).status).toBe(202);
    expect((await app('/agents')).status).toBe(401);
    const elsewhere = await signedIssue();
    const far = await appWith({ use: [webhook] }, ENV)('https://agents.example.com/hooks/github', {
      method: 'POST',
      ...elsewhere,
    });
    expect(far.status).toBe(202);
    expect(ORIGIN).toBe('http://localhost');
  });
});

describe('/openapi.json', () => {
  it('describes the webhook route, which needs no token, in an app that has one', async () => {
    const { paths } = await json(
      await appWith(
        { use: [githubWebhook(config), openApi({ descriptions: [webhookDescription] })] },
        ENV,
      )('/openapi.json'),
    );
    expect(Object(paths)['/hooks/{hook}']).toMatchObject({
      parameters: [{ name: 'hook', in: 'path', required: true, schema: { type: 'string' } }],
      post: { operationId: 'takeDelivery', security: [] },
    });
    const { paths: without } = await json(await send('/openapi.json'));
    expect(without).not.toHaveProperty('/hooks/{hook}');
  });
});
