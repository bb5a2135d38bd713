import { describe, expect, it } from 'vitest';
import { openApi } from '../../../../src/modules/openapi/entry.ts';
import { githubWebhook, webhookDescription } from '../../../../src/modules/webhooks/entry.ts';
import type { TurnStart } from '../../../doors/journal.ts';
import { ENV } from '../../../fixtures/arrive.ts';
import { clerk } from '../../../fixtures/clerk-agent.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { SECRET } from '../../../fixtures/signed.ts';
import { createTestApp, wrapObjects } from './app.ts';
import { followToEnd, ORIGIN, readJournal, readJson, send } from './client.ts';
import {
  config,
  createHookApp,
  createHookProblem,
  createIssueBody,
  deliver,
  expectProblem,
  HOOK_PATH,
  plainWebhook,
  signIssue,
} from './hook-deliveries.ts';

describe('a delivery', () => {
  it('is stored, and returns the address of its turn, which runs in the background', async () => {
    const { message, model } = registerScript(
      { calls: [{ name: 'record', input: { note: 'hook' } }] },
      'Labeled.',
    );
    const response = await deliver(createHookApp(message), await signIssue());
    expect(response.status).toBe(202);
    const told = await readJson(response);
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
    expect([answer.status, await readJson(answer)]).toMatchObject([
      200,
      { turn: told.turn, text: 'Labeled.' },
    ]);
  });

  it('journals its sender and the context of the tools, and no secret', async () => {
    const { message } = registerScript('Done.');
    const signed = await signIssue(createIssueBody(), 'd-1');
    const { session } = await readJson(await deliver(createHookApp(message), signed));
    const path = `/agents/scripted/sessions/${encodeURIComponent(String(session))}`;
    const started = (await followToEnd(path)).find(({ type }) => type === 'turn-started');
    expect(started).toMatchObject({
      message: expect.stringContaining('Broken'),
      principal: { id: 'webhook:github' },
      context: { webhook: { hook: 'github', event: 'issues', action: 'opened', delivery: 'd-1', number: 1 } },
    });
    expect(JSON.stringify(await readJournal(path))).not.toContain(SECRET);
  });

  it('is recognized if it is repeated later or under another id', async () => {
    const { message, model } = registerScript('Done.');
    const app = createHookApp(message);
    const body = createIssueBody();
    const first = await deliver(app, await signIssue(body, 'd-1'));
    const told = await readJson(first);
    const path = `/agents/scripted/sessions/${encodeURIComponent(String(told.session))}`;
    for (const delivery of ['d-1', 'd-2']) {
      const again = await deliver(app, await signIssue(body, delivery));
      expect(await readJson(again)).toEqual({ ...told, status: 'known' });
      expect([again.status, again.headers.get('location')]).toEqual([202, first.headers.get('location')]);
    }
    await followToEnd(path);
    expect(await readJson(await deliver(app, await signIssue(body)))).toEqual({ ...told, status: 'known' });
    expect((await readJournal(path)).filter(({ type }) => type === 'turn-started').length).toBe(1);
    expect(model.requests.length).toBe(1);
  });

  it('is stored in one write, with a key that is kept for a week', async () => {
    const starts: TurnStart[] = [];
    const accept = async (start: TurnStart) => {
      starts.push(start);
      return { status: 'accepted', turn: start.turn };
    };
    const SESSIONS = wrapObjects(() => ({ accept }));
    const app = createTestApp({ use: [githubWebhook(config)] }, { ...ENV, SESSIONS });
    await deliver(app, await signIssue());
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

  it('starts one turn if it arrives five times concurrently', async () => {
    const { message } = registerScript('Done.');
    const app = createHookApp(message);
    const body = createIssueBody();
    const all = await Promise.all(
      [1, 2, 3, 4, 5].map(async () => readJson(await deliver(app, await signIssue(body)))),
    );
    expect(new Set(all.map(({ turn }) => turn)).size).toBe(1);
    expect(all.map(({ status }) => status).sort()).toEqual(['accepted', 'known', 'known', 'known', 'known']);
  });

  it('waits in order while its session is busy', async () => {
    const answer = createHeldReply('First.');
    const { message, model } = registerScript(answer.reply, 'Second.');
    const app = createHookApp(message);
    const repository = { full_name: `acme/${crypto.randomUUID()}` };
    const first = await readJson(await deliver(app, await signIssue(createIssueBody({ repository }))));
    await answer.asked();
    const second = await deliver(app, await signIssue(createIssueBody({ repository, action: 'edited' })));
    const told = await readJson(second);
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
    const again = await deliver(app, await signIssue(createIssueBody({ repository, action: 'edited' })));
    expect(await readJson(again)).toEqual(told);
    answer.release();
    const path = `/agents/scripted/sessions/${encodeURIComponent(String(first.session))}`;
    await expect
      .poll(async () => (await readJournal(path)).filter(({ type }) => type === 'turn-ended').length)
      .toBe(2);
    expect(model.requests.length).toBe(2);
  });

  it('is shown to the running turn if the webhook steers', async () => {
    const answer = createHeldReply('First.');
    const { message } = registerScript(answer.reply, 'Second.', 'Third.');
    const app = createHookApp(message, { whenBusy: 'steer' });
    const repository = { full_name: `acme/${crypto.randomUUID()}` };
    const first = await readJson(await deliver(app, await signIssue(createIssueBody({ repository }))));
    await answer.asked();
    const steering = await deliver(app, await signIssue(createIssueBody({ repository, action: 'edited' })));
    const told = await readJson(steering);
    expect(told).toMatchObject({ status: 'steering', into: first.turn });
    expect(steering.headers.get('location')).toMatch(new RegExp(`/turns/${told.turn}$`));
    answer.release();
  });

  it('waits behind a turn with pending calls, even if the webhook steers', async () => {
    const input = { to: crypto.randomUUID(), amount: 1 };
    const { message } = registerScript({ calls: [{ name: 'pay', input }] }, 'Paid.', 'Second.');
    const webhook = githubWebhook({
      ...{ ...config, agent: 'clerk', whenBusy: 'steer' },
      start: ({ usual }) => ({ ...usual, message: message(usual.message) }),
    });
    const app = createTestApp({ agents: [clerk], use: [webhook] }, ENV);
    const repository = { full_name: `acme/${crypto.randomUUID()}` };
    const first = await readJson(await deliver(app, await signIssue(createIssueBody({ repository }))));
    const path = `/agents/clerk/sessions/${encodeURIComponent(String(first.session))}`;
    await expect.poll(async () => (await readJson(await send(path))).pending).toHaveLength(1);
    const delivery = crypto.randomUUID();
    const edited = createIssueBody({ repository, action: 'edited' });
    const second = await deliver(app, await signIssue(edited, delivery));
    const told = await readJson(second);
    expect([second.status, told.status]).toEqual([202, 'queued']);
    const again = await deliver(app, await signIssue(edited, delivery));
    expect(await readJson(again)).toEqual(told);
    expect((await readJson(await send(path))).waiting).toEqual([{ turn: told.turn, status: 'queued' }]);
    await (await send(`${path}/cancel`, { method: 'POST' })).text();
    await expect.poll(async () => (await send(`${path}/turns/${told.turn}`)).status).toBe(200);
  });

  it('returns 404 for an unknown webhook, and 405 for another method', async () => {
    await expectProblem(
      await deliver(plainWebhook, await signIssue(), '/hooks/gitlab'),
      createHookProblem(
        404,
        'unknown-webhook',
        "There is no webhook 'gitlab'. Webhooks are listed in `use` of createHoldfast.",
      ),
    );
    await expectProblem(
      await deliver(send, await signIssue()),
      createHookProblem(404, 'unknown-route', 'This path is unknown. GET / shows where to start.'),
    );
    const got = await plainWebhook(HOOK_PATH);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('needs a signature instead of a token', async () => {
    const { message } = registerScript('Done.');
    const webhook = githubWebhook({ ...config, start: ({ usual }) => ({ ...usual, message: message() }) });
    const app = createTestApp({ use: [webhook], auth: () => null }, ENV);
    expect((await deliver(app, await signIssue())).status).toBe(202);
    expect((await app('/agents')).status).toBe(401);
    const elsewhere = await signIssue();
    const far = await createTestApp({ use: [webhook] }, ENV)('https://agents.example.com/hooks/github', {
      method: 'POST',
      ...elsewhere,
    });
    expect(far.status).toBe(202);
    expect(ORIGIN).toBe('http://localhost');
  });
});

describe('/openapi.json', () => {
  it('describes the webhook route, which needs no token, in an app that has one', async () => {
    const { paths } = await readJson(
      await createTestApp(
        { use: [githubWebhook(config), openApi({ descriptions: [webhookDescription] })] },
        ENV,
      )('/openapi.json'),
    );
    expect(Object(paths)['/hooks/{hook}']).toMatchObject({
      parameters: [{ name: 'hook', in: 'path', required: true, schema: { type: 'string' } }],
      post: { operationId: 'takeDelivery', security: [] },
    });
    const { paths: without } = await readJson(await send('/openapi.json'));
    expect(without).not.toHaveProperty('/hooks/{hook}');
  });
});
