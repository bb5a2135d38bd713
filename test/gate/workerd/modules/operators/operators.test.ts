/** Actions of operators in sessions of other owners, and their records in the journals. */
import { describe, expect, it } from 'vitest';
import { createClient } from '../../../../../src/client/entry.ts';
import type { Caller } from '../../../../../src/create-holdfast.ts';
import type { StoredEvent } from '../../../../../src/journal/entry.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import { branches } from '../../../../../src/modules/branches/entry.ts';
import { feedback } from '../../../../../src/modules/feedback/entry.ts';
import { files } from '../../../../../src/modules/files/entry.ts';
import { onBehalfOf } from '../../../../../src/modules/http/entry.ts';
import { sessionIndex } from '../../../../../src/modules/index/entry.ts';
import { openApi } from '../../../../../src/modules/openapi/entry.ts';
import {
  operatorAccessIn,
  operators,
  operatorsDescription,
} from '../../../../../src/modules/operators/entry.ts';
import { retry } from '../../../../../src/modules/retry/entry.ts';
import { openAi } from '../../../../../src/surfaces/openai/entry.ts';
import { clerk, indexed, listPaymentsTo } from '../../../../fixtures/clerk-agent.ts';
import { createHeldReply, registerScript } from '../../../../fixtures/scripts.ts';
import { type AppConfig, createTestApp, wrapObjects } from '../../http/app.ts';
import {
  post,
  readJournal,
  readJson,
  readSentEvents,
  readUntil,
  type Send,
  SSE_HEADERS,
} from '../../http/client.ts';
import { computeFileId, createFileAgent } from '../../http/file-app.ts';
import { answer, createProblem, startWaitingTurn } from '../../http/waiting.ts';

const PLAIN_MODULES = [
  answers,
  branches(),
  feedback(),
  files(),
  retry(),
  operators(),
  openApi({ descriptions: [operatorsDescription] }),
];

/** A new tenant, and an operator without a tenant. */
function createShop(config: AppConfig = {}, vars = {}, agent = 'clerk') {
  const tenant = `t-${crypto.randomUUID()}`;
  const as = (caller: Caller): Send =>
    createTestApp(
      { agents: [clerk, indexed, createFileAgent()], use: PLAIN_MODULES, ...config, auth: () => caller },
      vars,
    );
  const path = `/agents/${agent}/sessions/s-${crypto.randomUUID()}`;
  const owner = `owner=tenant:${tenant}`;
  return {
    as,
    path,
    owner,
    /** The same path for an operator. */
    of: (below = '') => `${path}${below}${below.includes('?') ? '&' : '?'}${owner}`,
    ann: as({ id: 'ann', tenant }),
    olga: as({ id: 'olga', operator: true }),
    manager: as({ id: 'mia', operator: true, roles: ['manager'] }),
  };
}

/** Returns the operators' accesses in a session's journal. */
const listAccesses = async (path: string, via: Send) =>
  operatorAccessIn(await readStoredEvents(path, via)).map(({ by, action }) => [by, action]);

const readStoredEvents = async (path: string, via: Send) =>
  (await readJournal(path, via)) as unknown as StoredEvent[]; // the documented shape

const OLGA = { id: 'olga' };
const MIA = { id: 'mia' };

const now = expect.closeTo(Date.now(), -6);

const OPERATORS_ONLY_PROBLEM = createProblem(
  'role-required',
  403,
  'Only operators may do this: callers for whom `auth` returns operator: true. Send the token of a person with this role.',
  { role: 'operator' },
);

const OWNER_ONLY_PROBLEM = createProblem(
  'role-required',
  403,
  'Only the owner of this session can do this. Operators can read, cancel and erase the session, and decide calls for their roles.',
  { role: 'owner' },
);

const withFile = () => [
  { type: 'text', text: 'Look.' },
  { type: 'file', mediaType: 'image/png', data: btoa('Hello') },
];

const readText = async (response: Response | Promise<Response>) => (await response).text();

describe('an operator', { timeout: 60_000 }, () => {
  it('reads a session of another owner, and its journal records the operator, without content', async () => {
    const { ann, olga, path, of } = createShop();
    const { message } = registerScript('The word is rose.');
    const { turn } = await readJson(await post(path, { message: message() }, { via: ann }));
    const response = await olga(of());
    expect(await response.json()).toMatchObject({ messages: [{}, { text: 'The word is rose.' }] });
    const events = await readStoredEvents(path, ann);
    expect(events.at(-1)).toMatchObject({
      type: 'module-event',
      turn,
      module: 'operators',
      facts: [
        {
          slice: 'operator-access',
          fact: { by: OLGA, action: 'read', request: response.headers.get('x-request-id') },
        },
      ],
    });
    expect(operatorAccessIn(events)).toEqual([
      { by: OLGA, action: 'read', request: response.headers.get('x-request-id'), at: now },
    ]);
    expect(JSON.stringify(events.at(-1))).not.toContain('rose');
  });

  it('reads everything that the owner can read, and each request is one access', async () => {
    const { ann, olga, path, of } = createShop({}, {}, 'seer');
    const { turn } = await readJson(await post(path, { message: withFile() }, { via: ann }));
    const file = await computeFileId('Hello');
    for (const below of [`/turns/${turn}`, '/events?after=0', '/feedback', '/forks'])
      expect([below, (await olga(of(below))).status]).toEqual([below, 200]);
    expect(await readText(olga(of(`/files/${file}`)))).toBe('Hello');
    expect((await olga(of(), { method: 'HEAD' })).status).toBe(200);
    expect(await listAccesses(path, ann)).toEqual(Array.from({ length: 6 }, () => [OLGA, 'read']));
  });

  it('follows the events as a stream, which is one access and does not affect the owner’s stream', async () => {
    const { ann, olga, path, of } = createShop();
    const reply = createHeldReply('Done.');
    const { message } = registerScript(reply.reply, 'Next.');
    const sent = post(path, { message: message() }, { via: ann });
    await reply.asked();
    const [own, theirs] = await Promise.all([
      ann(`${path}/events`, { headers: SSE_HEADERS }),
      olga(of('/events'), { headers: SSE_HEADERS }),
    ]);
    const streams = [readSentEvents(own as Response), readSentEvents(theirs as Response)];
    reply.release();
    await readText(sent);
    const seen = await Promise.all(streams.map((events) => readUntil(events, 'module-event')));
    expect(seen.map((events) => events.at(-1)?.data.module)).toEqual(['operators', 'operators']);
    await readText(post(path, { message: message('And now?') }, { via: ann }));
    const more = await Promise.all(streams.map((events) => readUntil(events, 'turn-ended')));
    expect(more.map((events) => events.at(-1)?.data.outcome)).toEqual(['completed', 'completed']);
    await Promise.all(streams.map((events) => events.return(undefined)));
    expect(await listAccesses(path, ann)).toEqual([[OLGA, 'read']]);
  });

  it('cancels a running turn, and the journal records that once the turn has stopped', async () => {
    const { ann, olga, path, of } = createShop();
    const reply = createHeldReply('Never.');
    const { message } = registerScript(reply.reply);
    const sent = post(path, { message: message() }, { via: ann });
    await reply.asked();
    const cancelled = await olga(of('/cancel'), { method: 'POST' });
    expect(cancelled.status).toBe(202);
    expect(await readJson(await sent)).toMatchObject({ outcome: 'cancelled' });
    expect(await listAccesses(path, ann)).toEqual([[OLGA, 'cancel']]);
  });

  it('erases a session, which is logged, and deletes a file, which is journaled', async () => {
    const lines: unknown[] = [];
    const { ann, olga, path, of, owner } = createShop({ log: (line) => lines.push(line) }, {}, 'seer');
    await readText(post(path, { message: withFile() }, { via: ann }));
    expect((await olga(of(`/files/${await computeFileId('Hello')}`), { method: 'DELETE' })).status).toBe(204);
    expect(await listAccesses(path, ann)).toEqual([[OLGA, 'delete-file']]);
    expect((await olga(of(), { method: 'DELETE' })).status).toBe(204);
    expect((await ann(path)).status).toBe(404);
    expect(lines).toContainEqual(
      expect.objectContaining({
        message: 'an operator accesses a session, and its journal cannot record it: erase',
        owner: { tenant: owner.slice('owner=tenant:'.length) },
        principal: 'olga',
      }),
    );
    expect((await olga(of(), { method: 'DELETE' })).status).toBe(204);
  });

  it('erases a session whose agent is no longer deployed', async () => {
    const { ann, path, of } = createShop();
    await readText(post(path, { message: registerScript('Done.').message() }, { via: ann }));
    const later = createTestApp({
      agents: [indexed],
      use: PLAIN_MODULES,
      auth: () => ({ id: 'olga', operator: true }),
    });
    expect((await later(of())).status).toBe(404);
    expect((await later(of(), { method: 'DELETE' })).status).toBe(204);
    expect((await ann(path)).status).toBe(404);
  });

  it('decides for its role, for one call or a list of calls, and cannot answer other questions', async () => {
    const { ann, olga, manager, path, of } = createShop();
    const { links, pending, to } = await startWaitingTurn(['pay_as_manager', 'pay', 'look_up'], {
      via: ann,
      session: path,
    });
    const [byRole, any, result] = links.map((link) => link.slice(path.length));
    const approve = { decision: 'approve' };
    const sendAnswer = async (via: Send, below: string | undefined, body: unknown) =>
      readJson(await answer(of(below), body, { via }));
    expect(await sendAnswer(olga, byRole, approve)).toMatchObject({ status: 403, role: 'manager' });
    expect(await sendAnswer(manager, any, approve)).toMatchObject({ status: 403, role: 'owner' });
    expect(await sendAnswer(manager, result, { text: 'Found.' })).toEqual(OWNER_ONLY_PROBLEM);
    const all = pending.map(({ call }) => ({ call, ...approve }));
    expect(await sendAnswer(manager, '/answers', { answers: all })).toMatchObject({
      status: 403,
      role: 'owner',
    });
    expect(
      await sendAnswer(manager, '/answers', { answers: [{ call: all[2]?.call, text: 'Found.' }] }),
    ).toMatchObject({
      status: 403,
      role: 'owner',
    });
    expect(await sendAnswer(manager, '/answers', { answers: 'all' })).toMatchObject({ status: 422 });
    expect(await sendAnswer(manager, `${byRole}?question=2`, approve)).toMatchObject({
      type: 'urn:holdfast:problem:not-waiting',
    });
    expect(await listAccesses(path, ann)).toEqual([]);
    expect((await answer(of('/answers'), { answers: all.slice(0, 1) }, { via: manager })).status).toBe(202);
    expect(await listAccesses(path, ann)).toEqual([[MIA, 'answer']]);
    await readText(answer(`${path}${any}`, approve, { via: ann }));
    await readText(answer(`${path}${result}`, { text: 'Found.' }, { via: ann }));
    expect(listPaymentsTo(to)).toEqual([1, 2]);
  });

  it('decides only once for its role if it repeats the decision under a key', async () => {
    const { ann, manager, path, of } = createShop();
    const { links, to } = await startWaitingTurn(['pay_as_manager'], { via: ann, session: path });
    const link = of(links[0]?.slice(path.length));
    const init = { headers: { 'idempotency-key': 'k1' }, via: manager };
    for (let sent = 0; sent < 2; sent += 1)
      expect(await readJson(await answer(link, { decision: 'approve' }, init))).toMatchObject({
        outcome: 'completed',
      });
    expect(listPaymentsTo(to)).toEqual([1]);
    expect(await listAccesses(path, ann)).toEqual([
      [MIA, 'answer'],
      [MIA, 'answer'],
    ]);
  });

  it('cancels a turn that waits for a role only if it has the role', async () => {
    const { ann, olga, manager, path, of } = createShop();
    await startWaitingTurn(['pay_as_manager'], { via: ann, session: path });
    for (const [below, method] of [
      ['/cancel', 'POST'],
      ['', 'DELETE'],
    ] as const)
      expect(await readJson(await olga(of(below), { method }))).toMatchObject({
        status: 403,
        role: 'manager',
      });
    expect((await manager(of('/cancel'), { method: 'POST' })).status).toBe(202);
  });

  it('is refused on routes that act as the owner', async () => {
    const { ann, olga, path, of } = createShop();
    const { message } = registerScript('Done.');
    const { turn } = await readJson(await post(path, { message: message() }, { via: ann }));
    for (const below of ['/messages', '/retry', '/fork', `/turns/${turn}/feedback`, '/results/c1'])
      expect([below, await readJson(await answer(of(below), { message: 'Hi' }, { via: olga }))]).toEqual([
        below,
        OWNER_ONLY_PROBLEM,
      ]);
    const form = new FormData();
    form.set('message', 'Hi');
    expect(await readJson(await olga(of('/forms'), { method: 'POST', body: form }))).toEqual(
      OWNER_ONLY_PROBLEM,
    );
    expect(await listAccesses(path, ann)).toEqual([]);
  });

  it('cannot set a session’s title', async () => {
    const via = createShop({ use: [answers, sessionIndex(), operators()] });
    const patch = {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"title":"Mine"}',
    };
    await readText(post(via.path, { message: registerScript('Done.').message() }, { via: via.ann }));
    expect(await readJson(await via.olga(via.of(), patch))).toEqual(OWNER_ONLY_PROBLEM);
  });

  it('uses its own sessions like other callers, even if it names itself as the owner', async () => {
    const { olga, as } = createShop();
    const path = `/agents/clerk/sessions/s-${crypto.randomUUID()}`;
    const { message } = registerScript('One.', 'Two.', 'Three.');
    await readText(post(path, { message: message() }, { via: olga }));
    for (const query of ['', '?owner=id:olga', '?owner=id%3Aolga'])
      expect((await olga(path + query)).status).toBe(200);
    await readText(as({ id: 'olga' })(`${path}?owner=id:olga`));
    expect(
      (
        await olga(`${path}/messages?owner=id:olga`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ message: message() }),
        })
      ).status,
    ).toBe(200);
    expect(await listAccesses(path, olga)).toEqual([]);
  });

  it('does not change the model’s input, the usage or the position in the list', async () => {
    const use = [answers, sessionIndex(), operators()];
    const { ann, olga, owner } = createShop({ use });
    const path = `/agents/indexed/sessions/s-${crypto.randomUUID()}`;
    const { message, model } = registerScript('One.', 'Two.');
    await readText(post(path, { message: message() }, { via: ann }));
    const before = await readJson(await ann(path));
    const getFirstListed = async () =>
      Object((await readJson(await ann('/agents/indexed/sessions'))).sessions)[0];
    await expect.poll(getFirstListed, { timeout: 20_000 }).toMatchObject({ status: 'idle', turns: 1 });
    const listed = await getFirstListed();
    await readText(olga(`${path}?${owner}`));
    const patch = {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"title":null}',
    };
    await readText(ann(path, patch));
    // The read and the title are events, but do not count as activity.
    expect(await getFirstListed()).toEqual({ ...listed, seq: listed.seq + 2 });
    expect((await readJson(await ann(path))).usage).toEqual(before.usage);
    await readText(post(path, { message: 'And now?' }, { via: ann }));
    const [first, second] = model.requests;
    expect(second?.messages.slice(0, first?.messages.length)).toEqual(first?.messages);
    expect(JSON.stringify(model.requests)).not.toMatch(/olga|operator/);
  });

  it('reads and decides with a client that specifies the owner', async () => {
    const { ann, manager, path, owner } = createShop();
    await startWaitingTurn(['pay_as_manager'], { via: ann, session: path });
    const [, , agent = '', , id] = path.split('/');
    const fetch = (url: string, init: RequestInit) => manager(url.slice('http://localhost'.length), init);
    const client = createClient({
      url: 'http://localhost',
      agent,
      owner: owner.slice('owner='.length),
      fetch,
    });
    const session = client.session(id);
    const { pending, openTurn } = await session.state();
    const [call] = pending ?? [];
    if (!call) throw new Error('The session has no pending call.');
    expect((await session.decide(call, 'approve')).outcome).toBe('completed');
    expect((await session.turn(String(openTurn))).outcome).toBe('completed');
    const seen: string[] = [];
    for await (const { type } of session.events()) seen.push(type);
    expect(seen).toContain('turn-ended');
    await session.erase();
    await expect(session.state()).rejects.toMatchObject({ type: 'unknown-session' });
  });
});

describe('an access that cannot be journaled', { timeout: 60_000 }, () => {
  const full = {
    SESSIONS: wrapObjects(() => ({
      post: (one: { kind: string }) => (one.kind === 'note' ? 'session-full' : 'posted'),
    })),
  };

  it('is refused for reading a full session, while cancelling and erasing it are only logged', async () => {
    const lines: unknown[] = [];
    const { ann, olga, path, of } = createShop({ log: (line) => lines.push(line) }, full);
    await startWaitingTurn(['pay'], { via: ann, session: path });
    const detail =
      'This session is full, so its journal cannot record the access of an operator. An operator can cancel or erase it.';
    expect(await readJson(await olga(of()))).toEqual(createProblem('session-full', 507, detail));
    expect((await olga(of('/cancel'), { method: 'POST' })).status).toBe(202);
    expect((await olga(of(), { method: 'DELETE' })).status).toBe(204);
    expect(lines.map((line) => Object(line).message)).toEqual([
      'an operator accesses a session, and its journal cannot record it: cancel',
      'an operator accesses a session, and its journal cannot record it: erase',
    ]);
  });

  it('is refused if the session does not respond', async () => {
    const failing = { SESSIONS: wrapObjects(() => ({ post: () => Promise.reject(new Error('lost')) })) };
    const { ann, olga, path, of } = createShop({}, failing);
    await readText(post(path, { message: registerScript('The word is rose.').message() }, { via: ann }));
    const response = await olga(of());
    expect(response.status).toBeGreaterThanOrEqual(500);
    expect(await response.text()).not.toContain('rose');
  });

  it('returns 404 for an unknown session', async () => {
    const { olga, of } = createShop();
    for (const [below, method] of [
      ['', 'GET'],
      ['/events', 'GET'],
      ['/cancel', 'POST'],
    ] as const)
      expect(await readJson(await olga(of(below), { method }))).toMatchObject({
        type: 'urn:holdfast:problem:unknown-session',
      });
  });
});

describe('a caller who is not an operator', { timeout: 60_000 }, () => {
  const ROUTES: readonly (readonly [method: string, below: string])[] = [
    ...['', '/turns/t', '/events', '/feedback', '/forks', `/files/${'0'.repeat(64)}`].map(
      (below) => ['GET', below] as const,
    ),
    ...['', `/files/${'0'.repeat(64)}`].map((below) => ['DELETE', below] as const),
    ...[
      '/messages',
      '/cancel',
      '/answers',
      '/approvals/c',
      '/results/c',
      '/retry',
      '/fork',
      '/forms',
      '/turns/t/feedback',
    ].map((below) => ['POST', below] as const),
  ];

  it('is refused on every route that names another owner', async () => {
    const { as, of, path } = createShop();
    const bob = as({ id: 'bob', tenant: 'other', roles: ['operator'] });
    for (const [method, below] of ROUTES)
      for (const at of [of(below), `${path}${below}?owner=`])
        expect([method, at, await readJson(await bob(at, { method }))]).toEqual([
          method,
          at,
          OPERATORS_ONLY_PROBLEM,
        ]);
  });

  it('must specify exactly one valid owner', async () => {
    const { as, olga, path, of } = createShop();
    const twice = createProblem('invalid-query', 400, 'The query can contain `owner` only once.');
    const bob = as({ id: 'bob' });
    expect(await readJson(await bob(`${of()}&owner=id:bob`))).toEqual(twice);
    expect(await readJson(await bob(`${path}?owner=id:bob&owner=id:olga`))).toEqual(twice);
    for (const name of ['', 'bob', 'id:', 'user:bob'])
      expect(await readJson(await olga(`${path}?owner=${name}`))).toMatchObject({
        type: 'urn:holdfast:problem:invalid-query',
      });
  });

  it('can be a person for whom an operator sends requests', async () => {
    const { ann, as, path, of } = createShop({
      use: [...PLAIN_MODULES, onBehalfOf(({ headers }) => headers.get('x-person'))],
    });
    await readText(post(path, { message: registerScript('Done.').message() }, { via: ann }));
    const app = as({ id: 'app', delegates: true, operator: true });
    expect((await app(of())).status).toBe(200);
    expect(await readJson(await app(of(), { headers: { 'x-person': 'eve' } }))).toEqual(
      OPERATORS_ONLY_PROBLEM,
    );
  });

  it('reaches only its own sessions on routes without an owner, as in surfaces', async () => {
    const { ann, as, path, owner } = createShop({ use: [...PLAIN_MODULES, openAi()] });
    await readText(post(path, { message: registerScript('The word is rose.').message() }, { via: ann }));
    const olga = as({ id: 'olga', operator: true });
    const id = path.split('/').at(-1);
    const body = { model: 'clerk', input: 'Hi', conversation: id };
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    expect(await readText(olga(`/v1/responses?${owner}`, init))).not.toContain('rose');
    expect(await listAccesses(path, ann)).toEqual([]);
  });
});

describe('an app without operators()', { timeout: 60_000 }, () => {
  it('ignores an owner in the query', async () => {
    const { ann, olga, path, of } = createShop({ use: [answers] });
    await readText(post(path, { message: registerScript('Done.').message() }, { via: ann }));
    expect((await olga(of())).status).toBe(404);
    expect((await ann(of())).status).toBe(200);
  });
});

it('an agent cannot have operators() as a module', () => {
  const agent = { ...clerk, uses: [...clerk.uses, operators()] };
  expect(() => createTestApp({ agents: [agent] })).toThrow("The module 'operators' is for the whole app");
});

it('the description has the owner parameter on each route that operators can use', async () => {
  const { olga } = createShop();
  const { paths } = await readJson(await olga('/openapi.json'));
  const named = Object.entries(Object(paths)).flatMap(([path, item]) =>
    Object.entries(Object(item)).flatMap(([method, operation]) =>
      (Object(operation).parameters ?? []).some((one: { name: string }) => one.name === 'owner')
        ? [`${method} ${path.replace('/agents/{agent}/sessions/{session}', '...')}`]
        : [],
    ),
  );
  expect(named.toSorted()).toEqual([
    'delete ...',
    'delete .../files/{file}',
    'get ...',
    'get .../events',
    'get .../files/{file}',
    'get .../turns/{turn}',
    'post .../answers',
    'post .../approvals/{callId}',
    'post .../cancel',
  ]);
});
