/** The list of sessions, as reported to the index of their owner. */
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import { branches } from '../../../../../src/modules/branches/entry.ts';
import { onBehalfOf } from '../../../../../src/modules/http/entry.ts';
import { sessionIndex } from '../../../../../src/modules/index/entry.ts';
import { indexDb } from '../../../../fixtures/index-db.ts';
import { withLease } from '../../../../fixtures/lease-terms.ts';
import { createHeldReply, registerScript } from '../../../../fixtures/scripts.ts';
import { post, readJson } from '../../http/client.ts';
import { answer, createProblem } from '../../http/waiting.ts';
import { createTenant, listEntry, SESSIONS_PATH } from './indexed.ts';

const now = expect.closeTo(Date.now(), -6);

describe('GET /agents/{agent}/sessions', { timeout: 60_000 }, () => {
  it('lists a session with its title, its times, its outcome and its usage', async () => {
    const { say, list, lists, get } = createTenant();
    expect(await list()).toEqual([]);
    const { usage } = await say('s1', 'One.', 'Two.');
    await lists([
      {
        session: 's1',
        agent: 'indexed',
        title: expect.stringMatching(/^Hello from s1 #/),
        status: 'idle',
        openedAt: now,
        lastActivity: now,
        outcome: 'completed',
        turns: 1,
        turn: expect.any(String),
        usage,
        seq: 4,
        unread: true,
        url: `${SESSIONS_PATH}/s1`,
      },
    ]);
    await say('s1');
    await lists([listEntry('s1', 'idle', { turns: 2 })]);
    const [{ usage: total } = {}] = await list();
    expect(total).toEqual((await get(`${SESSIONS_PATH}/s1`)).usage);
  });

  it('shows whether a turn runs, waits, resumes, has failed or is erased', async () => {
    const { via, lists } = createTenant();
    const path = `${SESSIONS_PATH}/s1`;
    const first = createHeldReply({ calls: [{ name: 'pay', input: { to: 'x', amount: 1 } }] });
    const second = createHeldReply('Paid.');
    const { message } = registerScript(first.reply, second.reply);
    const sent = post(path, { message: message() }, { via });
    await lists([listEntry('s1', 'running', { turns: 0 })]);
    first.release();
    const { pending } = Object(await readJson(await sent));
    await lists([listEntry('s1', 'waiting')]);
    const decided = answer(pending[0].links.approvals, { decision: 'approve' }, { via });
    await second.asked();
    await lists([listEntry('s1', 'running')]);
    second.release();
    await (await decided).text();
    await lists([listEntry('s1', 'idle', { outcome: 'completed', turns: 1 })]);
    await (await post(path, { message: 'No script.' }, { via })).text();
    await lists([listEntry('s1', 'failed', { outcome: 'failed', turns: 2 })]);
    await via(path, { method: 'DELETE' });
    await lists([]);
    await (await post(path, { message: registerScript('New.').message('Another one') }, { via })).text();
    await lists([listEntry('s1', 'idle', { turns: 1, title: expect.stringMatching(/^Another one/) })]);
  });

  it('does not list a session whose object erased itself', async () => {
    const { say, lists, stub } = createTenant();
    const session = `${withLease(300)}-s1`;
    await say(session, 'One.');
    await lists([listEntry(session, 'idle')]);
    await stub(session).erase(); // as its alarm does when its retention ends
    await lists([]);
  });

  it('returns sessions in pages with the latest first, filtered by status and time', async () => {
    const shop = createTenant();
    const { say, list, get, lists } = shop;
    for (const session of ['a', 'b', 'c']) {
      await say(session, 'Done.');
      await lists(expect.arrayContaining([listEntry(session, 'idle')]));
    }
    await say('d');
    await lists(expect.arrayContaining([listEntry('d', 'failed')]));
    const seen: unknown[] = [];
    for (let next: unknown = ''; next !== null; ) {
      const page = await get(`${SESSIONS_PATH}?limit=3${next === '' ? '' : `&cursor=${next}`}`);
      seen.push((page.sessions as { session: string }[]).map(({ session }) => session));
      next = page.next;
    }
    expect(seen).toEqual([['d', 'c', 'b'], ['a']]);
    expect((await list('?status=failed')).map(({ session }) => session)).toEqual(['d']);
    expect((await list('?status=idle&limit=1')).map(({ session }) => session)).toEqual(['c']);
    const [{ lastActivity } = {}] = await list('?limit=1');
    expect((await list(`?since=${lastActivity}`)).map(({ session }) => session)).toEqual(['d']);
    expect(await list(`?since=${new Date(Number(lastActivity) + 1).toISOString()}`)).toEqual([]);
    await putTitle(shop, 'a', { title: 'Renamed' });
    expect((await list()).map(({ session }) => session)).toEqual(['d', 'c', 'b', 'a']);
  });

  it.each([
    ['status=open', 'status must be one of running, waiting, failed, idle.'],
    [
      'since=yesterday',
      'since must be milliseconds since the epoch, or a time such as 2026-11-30T09:00:00Z.',
    ],
    ['since=-1', 'since must be milliseconds since the epoch, or a time such as 2026-11-30T09:00:00Z.'],
    ['limit=0', 'limit must be a whole number from 1 to 100.'],
    ['limit=101', 'limit must be a whole number from 1 to 100.'],
    ['limit=', 'limit must be a whole number from 1 to 100.'],
    ['cursor=', 'cursor must be the `next` of the page before.'],
    ['cursor=W10', 'cursor must be the `next` of the page before.'],
    ['cursor=%00', 'cursor must be the `next` of the page before.'],
  ])('refuses the query ?%s', async (query, detail) => {
    const { get } = createTenant();
    expect(await get(`${SESSIONS_PATH}?${query}`)).toEqual(createProblem('invalid-query', 400, detail));
  });

  it('refuses an invalid owner, an unknown agent, and a caller who is not an operator', async () => {
    const { get, as } = createTenant();
    const operators =
      'Only operators may do this: callers for whom `auth` returns operator: true. Send the token of a person with this role.';
    const refused = createProblem('role-required', 403, operators, { role: 'operator' });
    expect(await get(`${SESSIONS_PATH}?owner=id:bob`)).toEqual(refused);
    for (const path of ['/owners', '/owners/id:bob', '/usage?owner=id:bob'])
      expect(await get(path)).toEqual(refused);
    const detail = "The owner must have the form id:CALLER or tenant:TENANT, but is 'bob'.";
    const via = as({ id: 'olga', operator: true });
    expect(await readJson(await via(`${SESSIONS_PATH}?owner=bob`))).toEqual(
      createProblem('invalid-query', 400, detail),
    );
    expect(await get('/agents/nobody/sessions')).toMatchObject({
      type: 'urn:holdfast:problem:unknown-agent',
    });
  });

  it('separates owners whose names have special characters', async () => {
    const shop = createTenant();
    const as = (half: string) => shop.as({ id: 'ann', ...{ tenant: `${shop.name}${half}` } });
    const { message } = registerScript('Done.');
    await (await post(`${SESSIONS_PATH}/s1`, { message: message() }, { via: as('\ud800') })).text();
    const listSessionsOf = async (half: string) => (await readJson(await as(half)(SESSIONS_PATH))).sessions;
    await expect.poll(async () => listSessionsOf('\ud800')).toEqual([listEntry('s1', 'idle')]);
    for (const half of ['', '\ud801', '\ufffd']) expect(await listSessionsOf(half)).toEqual([]);
    const operator = shop.as({ id: 'olga', operator: true });
    const { owner } = await readJson(await as('\ud800')('/usage'));
    const path = `/owners/${encodeURIComponent(String(owner))}`;
    expect(await readJson(await operator(path))).toEqual({ owner, sessions: 1 });
  });

  it('makes a one-line title from any first message', async () => {
    const shop = createTenant();
    const { message } = registerScript('Done.');
    await (
      await post(`${SESSIONS_PATH}/s1`, { message: message('A\u0000\u001b[31m\u202e\n\ud800b') }, shop)
    ).text();
    await shop.lists([listEntry('s1', 'idle', { title: expect.stringMatching(/^A \[31m b/) })]);
  });

  it('shows the source session of a fork, and of a fork of a fork, and reports the last turn', async () => {
    const shop = createTenant({ use: [answers, sessionIndex(), branches()] });
    await shop.say('s1', 'One.', 'Two.');
    const { turn } = await shop.say('s1');
    const fork = async (from: string, name: string): Promise<void> => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ name });
      const made = await shop.via(`${SESSIONS_PATH}/${from}/fork`, { method: 'POST', headers, body });
      expect(made.status).toBe(201);
      await shop.say(name);
      await shop.lists(expect.arrayContaining([listEntry(name, 'failed')]));
    };
    await fork('s1', 's2');
    await fork('s2', 's3');
    const found = (await shop.list()).map(({ session, forkOf }) => [session, forkOf]);
    expect(found).toEqual([
      ['s3', 's1'],
      ['s2', 's1'],
      ['s1', undefined],
    ]);
    expect(await shop.list()).toContainEqual(listEntry('s1', 'idle', { turn }));
  });

  it('does not treat a person as an operator if an operator sends requests on their behalf', async () => {
    const use = [
      answers,
      sessionIndex({ also: indexDb }),
      onBehalfOf(({ headers }) => headers.get('x-person')),
    ];
    const via = createTenant({ use }).as({ id: 'app', delegates: true, operator: true });
    expect((await via('/owners')).status).toBe(200);
    expect((await via('/owners', { headers: { 'x-person': 'ann' } })).status).toBe(403);
  });

  it('shows an owner’s sessions only to that owner and to operators', async () => {
    const [acme, other] = [createTenant(), createTenant()];
    await acme.say('same', 'Of acme.');
    await other.say('same', 'Of another.');
    await acme.lists([listEntry('same', 'idle')]);
    await other.lists([listEntry('same', 'idle')]);
    const [{ title } = {}] = await acme.list();
    expect(await other.list()).not.toEqual([expect.objectContaining({ title })]);
    const operator = other.as({ id: 'olga', operator: true });
    const { sessions } = await readJson(await operator(`${SESSIONS_PATH}?owner=${acme.key}`));
    expect(sessions).toEqual([expect.not.objectContaining({ url: expect.anything() })]);
    expect(sessions).toEqual([expect.objectContaining({ session: 'same', title })]);
    await expect
      .poll(async () => {
        const { owners } = await readJson(await operator('/owners?limit=100'));
        return owners;
      })
      .toEqual(expect.arrayContaining([acme.key, other.key]));
  });
});

describe('PATCH .../sessions/{session}', { timeout: 60_000 }, () => {
  it('sets a title, which the journal stores, and removes it', async () => {
    const shop = createTenant();
    await shop.say('s1', 'One.', 'Two.');
    expect(await putTitle(shop, 's1', { title: 'Refund of order 7' })).toEqual({
      session: 's1',
      agent: 'indexed',
      title: 'Refund of order 7',
    });
    expect(await shop.list()).toEqual([listEntry('s1', 'idle', { title: 'Refund of order 7' })]);
    await shop.say('s1');
    await shop.lists([listEntry('s1', 'idle', { turns: 2, title: 'Refund of order 7' })]);
    await putTitle(shop, 's1', { title: null });
    expect(await shop.list()).toEqual([
      listEntry('s1', 'idle', { title: expect.stringMatching(/^Hello from s1/) }),
    ]);
  });

  it.each([
    [{ title: '' }, 'title: must be a line of 1 to 200 characters, or null'],
    [{ title: 'x'.repeat(201) }, 'title: must be a line of 1 to 200 characters, or null'],
    [{ title: 'a\u0007b' }, 'title: must be a line of 1 to 200 characters, or null'],
    [{ title: 'a\nb' }, 'title: must be a line of 1 to 200 characters, or null'],
    [{ title: '\ud800' }, 'title: must be a line of 1 to 200 characters, or null'],
    [{ title: '\u202e7 redro' }, 'title: must be a line of 1 to 200 characters, or null'],
    [{}, 'title: must be a line of 1 to 200 characters, or null'],
    [{ title: 'A', name: 'B' }, 'name: is not known here'],
  ])('refuses %j', async (body, said) => {
    const shop = createTenant();
    await shop.say('s1', 'One.');
    expect(await putTitle(shop, 's1', body)).toMatchObject({ status: 422, problems: [said] });
  });

  it('finds no session before its first message', async () => {
    expect(await putTitle(createTenant(), 's1', { title: 'A' })).toMatchObject({
      type: 'urn:holdfast:problem:unknown-session',
    });
  });
});

describe('a deployment without the binding', () => {
  it('is reported by GET /health, and by every request for a session', async () => {
    const via = createTenant().as({ id: 'ann' }, { INDEX: undefined });
    const detail =
      'This Worker has no Durable Object binding INDEX, which sessionIndex() needs. In its main module: ' +
      'export { IndexObject } from \'holdfast/index\'. In wrangler.toml: [[durable_objects.bindings]] with name = "INDEX" and ' +
      'class_name = "IndexObject", and [[migrations]] with a tag of its own and new_sqlite_classes = ["IndexObject"].';
    const refused = createProblem('misconfigured', 500, detail);
    expect(await readJson(await via('/health'))).toEqual(refused);
    expect(await readJson(await post(`${SESSIONS_PATH}/s1`, { message: 'Hello' }, { via }))).toEqual(refused);
    expect(await readJson(await via(SESSIONS_PATH))).toEqual(refused);
    expect(env.INDEX).toBeDefined();
  });
});

/** Sets the title of a session. */
async function putTitle({ via }: ReturnType<typeof createTenant>, session: string, body: unknown) {
  const init = {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  return readJson(await via(`${SESSIONS_PATH}/${session}`, init));
}
