/** The examples of docs/cookbook, each in its own Worker. Local servers replace the external services. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { askClerk } from '../../../src/examples/beside/ask-clerk.ts';
import { readInbox } from '../../../src/examples/inbox/read-inbox.ts';
import { signAsSlack } from '../../fixtures/signed.ts';
import { type RunningWorker, startWorker, type WorkerSettings } from './start-worker.ts';

const root = resolve(import.meta.dirname, '../../..');

async function start(entry: string, settings: WorkerSettings = {}): Promise<RunningWorker> {
  const worker = await startWorker(entry, { ...settings, vars: { MODEL: 'offline', ...settings.vars } });
  onTestFinished(() => worker.stop());
  return worker;
}

type Responder = (path: string, body: string) => unknown;

/** Starts a service that returns JSON. Returns its URL. */
async function serve(answer: Responder): Promise<string> {
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = (await request.toArray()).join('');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(request.url ?? '', body)));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // the server is listening
}

interface ScriptedCall {
  readonly name: string;
  readonly input: object;
}

/**
 * Starts a model server that requests this call and then ends the turn. Returns the vars that select it. `seen`
 * receives the requests.
 */
async function startCallingModel(
  { name, input }: ScriptedCall,
  seen: string[] = [],
): Promise<Record<string, string>> {
  const called = { id: 'c1', type: 'function', function: { name, arguments: JSON.stringify(input) } };
  const address = await serve((_, body) => {
    seen.push(body);
    const isDone = JSON.parse(body).messages.at(-1).role === 'tool';
    const message = isDone ? { content: 'Done.' } : { content: null, tool_calls: [called] };
    const finish_reason = isDone ? 'stop' : 'tool_calls';
    return { choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }] };
  });
  return { MODEL: 'scripted', OPENAI_API_KEY: 'a-key', OPENAI_BASE_URL: `${address}/v1` };
}

async function post(url: URL, body: object, token?: string): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  return response.json();
}

it('approvals-inbox.md: a manager reads the waiting approvals and approves one, and staff cannot see them', async () => {
  const vars = { STAFF_TOKEN: 'staff-secret', MANAGER_TOKEN: 'manager-secret' };
  const { url } = await start('src/examples/inbox/worker.ts', { vars, deployedAs: { hasIndex: true } });
  const session = new URL('/agents/clerk/sessions/s1/messages', url);
  await post(session, { message: 'Please refund order "A-7".' }, vars.STAFF_TOKEN);
  const fetchInbox = (token: string) => readInbox({ url: url.origin, token });
  await expect.poll(async () => fetchInbox(vars.MANAGER_TOKEN), { timeout: 30_000 }).toHaveLength(1);
  const [entry] = await fetchInbox(vars.MANAGER_TOKEN);
  expect(entry).toMatchObject({ question: 'Refund order A-7?', input: { order: 'A-7' } });
  expect(await fetchInbox(vars.STAFF_TOKEN)).toEqual([]);
  expect(await entry?.approve()).toMatchObject({ outcome: 'completed' });
  expect(await fetchInbox(vars.MANAGER_TOKEN)).toEqual([]);
});

it('slack-thread.md: a mention is answered in its thread', async () => {
  const posted: URLSearchParams[] = [];
  const slack = await serve((path, body) => {
    expect(path).toBe('/chat.postMessage');
    posted.push(new URLSearchParams(body));
    return { ok: true };
  });
  const { url } = await start('src/examples/slack-thread/worker.ts', {
    vars: {
      ...(await startCallingModel({ name: 'reply_in_thread', input: { text: 'At nine.' } })),
      SLACK_SIGNING_SECRET: 'signing-secret',
      SLACK_BOT_TOKEN: 'xoxb-token',
      SLACK_API: slack,
    },
  });
  const mention = { type: 'app_mention', user: 'U1', channel: 'C1', ts: '1700000000.000100', text: 'When?' };
  const body = JSON.stringify({ type: 'event_callback', event_id: 'Ev1', team_id: 'T1', event: mention });
  const { headers } = await signAsSlack({ body, secret: 'signing-secret' });
  const delivery = { method: 'POST', headers, body };
  expect((await fetch(new URL('/hooks/slack', url), delivery)).status).toBe(202);
  expect((await fetch(new URL('/hooks/slack', url), delivery)).status).toBe(202);
  await expect.poll(() => posted, { timeout: 30_000 }).toHaveLength(1);
  const { metadata, ...fields } = Object.fromEntries(posted[0] ?? []);
  expect(fields).toEqual({ channel: 'C1', thread_ts: '1700000000.000100', text: 'At nine.' });
  expect(JSON.parse(metadata ?? '')).toMatchObject({ event_payload: { key: expect.any(String) } });
});

it('slack-thread.md: a manager approves with a button, and the requester cannot', async () => {
  const posted: Record<string, string>[] = [];
  const slack = await serve((_, body) => {
    posted.push(Object.fromEntries(new URLSearchParams(body)));
    return { ok: true };
  });
  const secret = 'signing-secret';
  const { url } = await start('src/examples/slack-approvals/worker.ts', {
    vars: {
      ...(await startCallingModel({ name: 'refund_order', input: { order: 'A-7' } })),
      SLACK_SIGNING_SECRET: secret,
      SLACK_BOT_TOKEN: 'xoxb-token',
      SLACK_API: slack,
      MANAGERS: 'U1,U2',
    },
  });
  const deliver = async (body: string): Promise<number> => {
    const { headers } = await signAsSlack({ body, secret });
    return (await fetch(new URL('/hooks/slack', url), { method: 'POST', headers, body })).status;
  };
  const thread = { channel: 'C1', thread_ts: '1700000000.000100' };
  const mention = {
    type: 'app_mention',
    user: 'U1',
    channel: 'C1',
    ts: thread.thread_ts,
    text: 'Refund A-7.',
  };
  expect(
    await deliver(JSON.stringify({ type: 'event_callback', event_id: 'Ev1', team_id: 'T1', event: mention })),
  ).toBe(200);
  await expect.poll(() => posted, { timeout: 30_000 }).toHaveLength(1);
  const { blocks = '', ...question } = posted[0] ?? {};
  expect(question).toEqual({ ...thread, text: 'Refund order A-7?' });
  const [, { elements }] = JSON.parse(blocks);
  const press = (user: string): Promise<number> => {
    const { action_id, value } = elements[0];
    const payload = {
      type: 'block_actions',
      trigger_id: `trigger of ${user}`,
      team: { id: 'T1' },
      user: { id: user },
      channel: { id: 'C1' },
      message: { ts: '1700000001.000200', thread_ts: thread.thread_ts },
      actions: [{ action_id, value }],
    };
    return deliver(new URLSearchParams({ payload: JSON.stringify(payload) }).toString());
  };
  expect(await press('U1')).toBe(200); // a manager, but also the requester
  expect(await press('U3')).toBe(200); // not a manager
  expect(posted.slice(1)).toEqual([
    { ...thread, text: expect.stringMatching(/^<@U1>: /) },
    { ...thread, text: expect.stringMatching(/^<@U3>: /) },
  ]);
  expect(await press('U2')).toBe(200);
  await expect.poll(() => posted.slice(3), { timeout: 30_000 }).toEqual([{ ...thread, text: 'Done.' }]);
});

it('next-and-tanstack-start.md: a site sends requests on behalf of its user', async () => {
  const { url } = await start('src/examples/one-token/worker.ts', { vars: { CHAT_TOKEN: 'chat-secret' } });
  const AGENTS = {
    fetch: (asked: string, init: RequestInit) => fetch(new URL(new URL(asked).pathname, url), init),
  };
  const said = await askClerk(
    { AGENTS, CHAT_TOKEN: 'chat-secret' },
    { user: 'ann', message: 'List my orders.', key: 'k1' },
  );
  expect(said).toContain('chat/ann');
});

it('hono.md: a route of the app pays once, and the routes of the agent are below /ai', async () => {
  const { url } = await start('src/examples/mounted/own-routes-worker.ts', {
    vars: { SHOP_TOKEN: 'shop-secret' },
  });
  const pay = new URL('/invoices/INV-17/pay', url);
  expect((await fetch(pay, { method: 'POST' })).status).toBe(401);
  const [first, again] = [await post(pay, {}, 'shop-secret'), await post(pay, {}, 'shop-secret')];
  expect(first).toMatchObject({ outcome: 'completed', artifacts: [{ value: { paid: 'INV-17' } }] });
  expect(again).toEqual(first);
  const headers = { authorization: 'Bearer shop-secret' };
  const session = await fetch(new URL('/ai/agents/clerk/sessions/INV-17', url), { headers });
  expect(session.status).toBe(200);
});

it('d1-tools.md: the agent reads only the orders of its caller and stores a note once', async () => {
  interface ShopBindings {
    readonly SHOP_DB: {
      prepare(sql: string): { run(): Promise<unknown>; all(): Promise<{ readonly results: unknown[] }> };
    };
  }
  const vars = await startCallingModel({ name: 'add_note', input: { id: 'A-17', text: 'Late.' } });
  const worker = await start('src/examples/shop-in-d1/worker.ts', {
    vars,
    deployedAs: { bindings: { SHOP_DB: { type: 'd1', id: 'shop' } } },
  });
  const { SHOP_DB } = await worker.bindings<ShopBindings>();
  const schema = readFileSync(join(root, 'src/examples/shop-in-d1/schema.sql'), 'utf8');
  for (const table of schema
    .replaceAll(/--.*\n/g, '\n')
    .split(';')
    .slice(0, 2))
    await SHOP_DB.prepare(table).run();
  await SHOP_DB.prepare("INSERT INTO orders VALUES ('A-17', 'local', 'sent'), ('B-1', 'acme', 'paid')").run();
  const session = new URL('/agents/clerk/sessions/s1/messages', worker.url);
  expect(await post(session, { message: 'Note that order A-17 is late.' })).toMatchObject({ text: 'Done.' });
  const { results } = await SHOP_DB.prepare('SELECT order_id, text FROM notes').all();
  expect(results).toEqual([{ order_id: 'A-17', text: 'Late.' }]);
});

it('d1-tools.md: an order of another tenant is not found', async () => {
  const vars = await startCallingModel({ name: 'find_order', input: { id: 'B-1' } });
  const worker = await start('src/examples/shop-in-d1/worker.ts', {
    vars,
    deployedAs: { bindings: { SHOP_DB: { type: 'd1', id: 'shop' } } },
  });
  const { SHOP_DB } = await worker.bindings<{
    readonly SHOP_DB: { prepare(sql: string): { run(): Promise<unknown> } };
  }>();
  await SHOP_DB.prepare('CREATE TABLE orders (id TEXT, tenant TEXT, status TEXT)').run();
  await SHOP_DB.prepare("INSERT INTO orders VALUES ('B-1', 'acme', 'paid')").run();
  const session = new URL('/agents/clerk/sessions/s1', worker.url);
  await post(new URL(`${session}/messages`), { message: 'Find order B-1.' });
  expect(await (await fetch(session)).text()).toContain('There is no order B-1.');
});

it('email.md: an email is answered once, to its sender, and an automatic email is ignored', async () => {
  const seen: string[] = [];
  const { url } = await start('src/examples/mail/worker.ts', {
    vars: await startCallingModel({ name: 'answer_mail', input: { text: 'We open at nine.' } }, seen),
    deployedAs: { takesMail: true, bindings: { MAIL: { type: 'send-email' } } },
  });
  const address = new URL('/cdn-cgi/local/email?from=ann@example.com&to=help@shop.example', url);
  const send = async (id: string, ...more: string[]) => {
    const head = ['From: ann@example.com', 'To: help@shop.example', 'Subject: Hours', `Message-ID: <${id}>`];
    const body = [...head, ...more, '', `Letter ${id}: when do you open?`].join('\r\n');
    const response = await fetch(address, { method: 'POST', body });
    expect(await response.text()).toContain('Worker successfully processed email');
  };
  await send('0@example.com', 'Auto-Submitted: auto-replied');
  await send('1@example.com');
  await send('1@example.com');
  await send('2@example.com');
  // Each email causes two model requests. The second contains the result of the call.
  await expect.poll(() => seen.length, { timeout: 30_000 }).toBe(4);
  const results = seen.map((body) => JSON.parse(body).messages.at(-1).content);
  expect(results).toEqual([
    expect.stringContaining('Letter 1@example.com'),
    'Sent.',
    expect.stringContaining('Letter 2@example.com'),
    'Sent.',
  ]);
});
