/** Pending calls across sessions, and an owner's usage. */
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createHoldfast } from '../../../../../src/create-holdfast.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import { branches } from '../../../../../src/modules/branches/entry.ts';
import { indexOf, sessionIndex } from '../../../../../src/modules/index/entry.ts';
import { scriptedModel } from '../../../../../src/testing/entry.ts';
import { indexed } from '../../../../fixtures/clerk-agent.ts';
import { indexDb } from '../../../../fixtures/index-db.ts';
import { readJson } from '../../http/client.ts';
import { answer, createProblem } from '../../http/waiting.ts';
import { createTenant, listEntry, SESSIONS_PATH } from './indexed.ts';

const createPayReply = (...tools: readonly string[]) => ({
  calls: tools.map((name) => ({ name, input: { to: 'x', amount: 1 } })),
});

describe('GET /pending', { timeout: 60_000 }, () => {
  it('shows a person the calls that their roles can answer, with the data for an answer', async () => {
    const shop = createTenant();
    await shop.say('plain', createPayReply('pay'), 'Done.');
    await shop.say('both', createPayReply('pay', 'pay_as_manager'), 'Done.');
    await shop.say('idle', 'Done.');
    const listInbox = async (via = shop.via) => {
      const { waiting } = await readJson(await via('/pending'));
      return (waiting as { session: string; pending: { tool: string; links: { approvals: string } }[] }[])
        .map(({ session, pending }) => [session, pending.map(({ tool }) => tool)])
        .toSorted();
    };
    const manager = shop.as({ id: 'mo', roles: ['manager'] });
    const all = [
      ['both', ['pay', 'pay_as_manager']],
      ['plain', ['pay']],
    ];
    await expect.poll(() => listInbox(manager)).toEqual(all);
    expect(await listInbox()).toEqual([
      ['both', ['pay']],
      ['plain', ['pay']],
    ]);
    expect(await listInbox(createTenant().via)).toEqual([]);
    const { waiting } = await readJson(await manager('/pending'));
    const [one] = (waiting as { session: string }[]).filter(({ session }) => session === 'plain');
    expect(one).toEqual({
      session: 'plain',
      agent: 'indexed',
      title: expect.stringMatching(/^Hello from plain/),
      turn: expect.any(String),
      lastActivity: expect.any(Number),
      url: `${SESSIONS_PATH}/plain`,
      pending: [
        expect.objectContaining({ tool: 'pay', input: { to: 'x', amount: 1 }, message: 'May I pay?' }),
      ],
    });
    const link = Object(one).pending[0].links.approvals;
    expect((await answer(link, { decision: 'approve' }, { via: shop.via })).status).toBe(200);
    expect(await listInbox(manager)).toEqual([['both', ['pay', 'pay_as_manager']]]);
  });

  it('returns pages, and refuses an invalid page', async () => {
    const shop = createTenant();
    for (const session of ['a', 'b', 'c']) await shop.say(session, createPayReply('pay'), 'Done.');
    await expect.poll(async () => (await shop.list('?status=waiting')).length).toBe(3);
    const { waiting, next } = await shop.get('/pending?limit=2');
    const more = await shop.get(`/pending?limit=2&cursor=${next}`);
    expect([(waiting as unknown[]).length, (more.waiting as unknown[]).length, more.next]).toEqual([
      2,
      1,
      null,
    ]);
    const detail = 'limit must be a whole number from 1 to 100.';
    expect(await shop.get('/pending?limit=two')).toEqual(createProblem('invalid-query', 400, detail));
  });
});

describe('GET /usage', { timeout: 60_000 }, () => {
  const today = new Date().toISOString().slice(0, 10);

  it('sums the usage of an owner’s sessions, including erased ones', async () => {
    const shop = createTenant();
    await shop.say('a', 'One.', 'Two.');
    await shop.say('a');
    await shop.say('b', 'One.');
    await shop.via(`${SESSIONS_PATH}/b`, { method: 'DELETE' });
    await shop.lists([listEntry('a', 'idle', { turns: 2 })]);
    const usage = { inputTokens: 30, outputTokens: 15 };
    const total = { turns: 3, usage };
    const report = { owner: shop.key, total };
    expect(await shop.get('/usage')).toEqual({ ...report, by: 'day', usage: [{ of: today, ...total }] });
    expect(await shop.get('/usage?by=agent')).toEqual({
      ...report,
      by: 'agent',
      usage: [{ of: 'indexed', ...total }],
    });
    expect(await shop.get('/usage?by=model')).toEqual({
      ...report,
      by: 'model',
      usage: [{ of: 'scripted', ...total }],
    });
    const none = { turns: 0, usage: { inputTokens: 0, outputTokens: 0 } };
    expect(await shop.get('/usage?to=2020-01-01')).toEqual({ ...report, by: 'day', usage: [], total: none });
    expect(await createTenant().get('/usage')).toMatchObject({ usage: [], total: none });
  });

  it('counts a fork’s copied events only in the source', async () => {
    const shop = createTenant({ use: [answers, sessionIndex({ also: indexDb }), branches()] });
    await shop.say('a', 'One.', 'Two.', 'Three.');
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"b"}' };
    expect((await shop.via(`${SESSIONS_PATH}/a/fork`, init)).status).toBe(201);
    await shop.say('b');
    await expect
      .poll(async () => (await shop.get('/usage')).total)
      .toEqual({ turns: 2, usage: { inputTokens: 20, outputTokens: 10 } });
    expect(await shop.list()).toEqual([
      listEntry('b', 'idle', { turns: 1 }),
      listEntry('a', 'idle', { turns: 1 }),
    ]);
  });

  it.each([
    ['by=hour', 'by must be one of day, agent, model.'],
    ['from=today', 'from must be a day in UTC, such as 2026-11-30.'],
    ['to=2026-13-01', 'to must be a day in UTC, such as 2026-11-30.'],
  ])('refuses the query ?%s', async (query, detail) => {
    expect(await createTenant().get(`/usage?${query}`)).toEqual(createProblem('invalid-query', 400, detail));
  });

  it('counts the cost of a turn', async () => {
    const model = { ...scriptedModel(['One.']), prices: { input: 1, output: 2 } };
    const shop = createTenant({ agents: [{ ...indexed, model }] });
    await shop.say('a');
    await expect
      .poll(async () => (await shop.get('/usage')).total)
      .toEqual({ turns: 1, usage: { inputTokens: 10, outputTokens: 5, cost: 0.00002 } });
  });
});

describe('indexOf', { timeout: 60_000 }, () => {
  const holdfast = createHoldfast({ agents: [indexed], use: [answers, sessionIndex({ also: indexDb })] });

  it('lists, shows and titles the sessions of any owner for code of the app', async () => {
    const shop = createTenant();
    await shop.say('a', createPayReply('pay'), 'Done.');
    await shop.lists([expect.objectContaining({ session: 'a', status: 'waiting' })]);
    const index = indexOf(holdfast, env);
    const owner = { tenant: shop.name };
    const title = { session: 'a', agent: 'indexed', title: 'Pays' };
    expect(await index.setTitle({ owner, ...title })).toEqual(title);
    expect((await index.sessions({ owner, status: 'waiting' })).sessions).toMatchObject([title]);
    const { waiting } = await index.pending({ principal: { id: 'x', ...owner } });
    expect(waiting).toMatchObject([{ ...title, pending: [{ tool: 'pay' }] }]);
    expect(await index.owner(owner)).toEqual({ owner: shop.key, sessions: 1 });
  });

  it('refuses an invalid app, owner, principal and title', async () => {
    expect(() => indexOf({} as typeof holdfast, env)).toThrow(
      'indexOf: an object is not an app. Pass the result of createHoldfast.',
    );
    expect(() => indexOf(holdfast, {})).toThrow('This Worker has no Durable Object binding INDEX');
    const index = indexOf(holdfast, env);
    await expect(index.sessions({ owner: 'bob' as never })).rejects.toMatchObject({ type: 'invalid-query' });
    await expect(index.owner({} as never)).rejects.toMatchObject({
      type: 'invalid-query',
      message: expect.stringMatching(/^The owner is blank/),
    });
    await expect(index.pending({ principal: {} as never })).rejects.toThrow(
      'indexOf received a principal whose id',
    );
    const untitled = { owner: { id: 'bob' }, agent: 'indexed', session: 's', title: '' };
    await expect(index.setTitle(untitled)).rejects.toMatchObject({ type: 'invalid-body' });
  });
});
