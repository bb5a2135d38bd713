/** Outgoing webhooks of a Worker, over HTTP and with the real object and a held clock. */

import { createExecutionContext, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createHoldfast, type HoldfastConfig } from '../../../../../src/create-holdfast.ts';
import { logTo } from '../../../../../src/modules/app/entry.ts';
import { outgoingWebhook } from '../../../../../src/modules/outgoing-webhooks/entry.ts';
import { standardWebhook } from '../../../../../src/modules/webhooks/entry.ts';
import { clerk } from '../../../../fixtures/clerk-agent.ts';
import { advanceTime, setTime } from '../../../../fixtures/held-time.ts';
import { registerScript, waitUntil } from '../../../../fixtures/scripts.ts';
import { STANDARD_SECRET } from '../../../../fixtures/signed.ts';
import { checkResponses } from '../../http/as-described.ts';
import { createSessionPath, getSessionName, ORIGIN, post, readJson, type Send } from '../../http/client.ts';
import { answer } from '../../http/waiting.ts';

/** Far enough in the future that no object's alarm fires by itself. */
const START = Date.UTC(2100, 0, 1);
const ALERTS_WEBHOOK = outgoingWebhook({
  name: 'alerts',
  url: 'https://alerts.example/hooks',
  secret: 'ALERTS_SECRET',
});
const vars = { ...env, ALERTS_SECRET: STANDARD_SECRET, SUBREQUESTS: '10000' };

interface ReceivedDelivery {
  readonly id: string | null;
  readonly headers: [name: string, value: string][];
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/** Receives requests at the alerts' address, and returns these statuses, and then 204. */
function createReceiver(...statuses: readonly (number | 'hangs')[]): readonly ReceivedDelivery[] {
  const received: ReceivedDelivery[] = [];
  const left = [...statuses];
  const fetching = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    expect(request.url).toBe('https://alerts.example/hooks');
    const text = await request.text();
    const headers = [...request.headers];
    received.push({ id: request.headers.get('webhook-id'), headers, text, body: JSON.parse(text) });
    const status = left.shift() ?? 204;
    if (status === 'hangs') return new Promise(() => {});
    return new Response(null, { status });
  });
  onTestFinished(() => fetching.mockRestore());
  return received;
}

/** An app with the clerk, and a session whose object hands its deliveries to this app's runner. */
function createApp(config: Partial<HoldfastConfig> = { use: [ALERTS_WEBHOOK] }) {
  const session = createSessionPath('agent');
  const name = getSessionName(session);
  let now = START;
  setTime(name, () => now);
  const getStub = () => env.SESSIONS.getByName(name);
  const agent = { ...clerk, name: 'agent' };
  const { use = [], ...more } = config;
  const { worker, routes, TurnRunner } = createHoldfast({
    agents: [agent],
    ...more,
    use: [...use, logTo(false)],
  });
  const via: Send = checkResponses(async (path, init) => {
    const request = new Request(ORIGIN + path, init) as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
    return worker.fetch(request, vars, createExecutionContext());
  });
  const readAgenda = () =>
    runInDurableObject(getStub(), (_, { storage }) =>
      storage.sql.exec<{ ref: string }>(`SELECT ref FROM agenda WHERE kind = 'due'`).toArray(),
    );
  const readAlarm = () => runInDurableObject(getStub(), (_, { storage }) => storage.getAlarm());
  return {
    ...{ session, routes, via, stub: getStub, agenda: readAgenda, dueAt: readAlarm },
    /** Advances the object's clock, and runs its alarm. Resolves after the deliveries, unless they hang. */
    async wait(ms: number, hangs = false): Promise<void> {
      now += ms;
      let [made, over] = [0, 0];
      await runInDurableObject(getStub(), (_, ctx) => {
        const runner = new TurnRunner(createExecutionContext(), vars);
        const runDue: typeof runner.due = (row) => {
          made += 1;
          return runner.due(row).finally(() => {
            over += 1;
          });
        };
        const exported = { TurnRunner: { run: async () => {}, due: runDue } };
        Object.defineProperty(ctx, 'exports', { value: exported, configurable: true });
      });
      await runDurableObjectAlarm(getStub());
      if (!hangs) await waitUntil(() => over === made);
    },
  };
}

/** Sends a message that starts a turn with these replies. */
async function say(app: ReturnType<typeof createApp>, ...replies: Parameters<typeof registerScript>) {
  const { session, via } = app;
  return readJson(await post(session, { message: registerScript(...replies).message() }, { via }));
}

const getTypes = (received: readonly ReceivedDelivery[]): unknown[] => received.map(({ body }) => body.type);
const countIds = (received: readonly ReceivedDelivery[]): number =>
  new Set(received.map(({ id }) => id)).size;

describe('an outgoing webhook', () => {
  it('contains links that work under app.route, and is sent by any invocation that wakes up', async () => {
    const received = createReceiver();
    const app = createApp();
    const to = crypto.randomUUID();
    const { message } = registerScript({ calls: [{ name: 'pay', input: { to, amount: 1 } }] }, 'Done.');
    const mounted = new Hono().route('/ai', app.routes);
    const request = new Request(`${ORIGIN}/ai${app.session}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: message() }),
    });
    const { turn } = await readJson(await mounted.fetch(request, vars, createExecutionContext()));
    await app.wait(0);
    expect(received.map(({ body }) => Object(body.data).links)).toEqual([
      { turn: `/ai${app.session}/turns/${turn}` },
    ]);
  });

  it('reports that a turn waits, with the address to answer, and its end, all signed', async () => {
    const received = createReceiver();
    const app = createApp();
    const to = crypto.randomUUID();
    const { turn } = await say(app, { calls: [{ name: 'pay', input: { to, amount: 1 } }] }, 'Done.');
    await app.wait(0);
    expect(getTypes(received)).toEqual(['turn.suspended']);
    const [{ body } = expect.fail('Nothing was told.')] = received;
    const { pending, links } = Object(body.data);
    expect(pending).toMatchObject([{ tool: 'pay', input: { to, amount: 1 }, message: 'May I pay?' }]);
    expect(await readJson(await app.via(links.turn))).toMatchObject({ turn, status: 'suspended', pending });
    expect((await answer(pending[0].links.approvals, { decision: 'approve' }, app)).status).toBe(200);
    await app.wait(0);
    expect(getTypes(received)).toEqual(['turn.suspended', 'turn.ended']);
    expect(received[1]?.body.data).toMatchObject({ turn, outcome: 'completed', text: 'Done.' });
    expect(countIds(received)).toBe(2);
    const door = standardWebhook({ agent: 'a', secret: 'ALERTS_SECRET' });
    for (const { id, headers, text } of received) {
      const raw = { headers: new Headers(headers), env: vars, now: Date.now() };
      const taken = door.receive({ ...raw, body: new Uint8Array(new TextEncoder().encode(text)) });
      expect(await taken).toMatchObject({ type: 'start', key: id });
    }
    expect(await app.agenda()).toEqual([]);
  });

  it('is repeated if the receiver refuses it, before the later deliveries are sent', async () => {
    const received = createReceiver(500, 503);
    const app = createApp();
    const first = await say(app, 'One.');
    await app.wait(0);
    const second = await say(app, 'Two.');
    await app.wait(4_999);
    expect(received).toHaveLength(1);
    await app.wait(1);
    await app.wait(300_000);
    await app.wait(0);
    expect(received.map(({ body }) => Object(body.data).turn)).toEqual([
      ...[first.turn, first.turn, first.turn],
      second.turn,
    ]);
    expect(countIds(received)).toBe(2);
    expect(await app.agenda()).toEqual([]);
  });

  it('is repeated if the receiver does not respond within 15 seconds', async () => {
    const received = createReceiver('hangs');
    const app = createApp();
    await say(app, 'One.');
    await app.wait(0, true);
    await waitUntil(() => received.length === 1);
    advanceTime(15_000);
    await expect.poll(app.dueAt).toBe(START + 5_000);
    await app.wait(5_000);
    expect([received.length, countIds(received), await app.agenda()]).toEqual([2, 1, []]);
  });

  it('is sent twice, under one id, if the object is reset before it records the delivery', async () => {
    const received = createReceiver('hangs');
    const app = createApp();
    await say(app, 'One.');
    await app.wait(0, true);
    await waitUntil(() => received.length === 1);
    const reset = runInDurableObject(app.stub(), (_, state) => state.abort('reset'));
    await reset.catch(() => {}); // a call into an object that aborts itself rejects
    await app.wait(59_999);
    expect(received).toHaveLength(1);
    await app.wait(1);
    expect([received.length, countIds(received), await app.agenda()]).toEqual([2, 1, []]);
  });

  it('is not sent for an erased session', async () => {
    const received = createReceiver();
    const app = createApp();
    await say(app, 'One.');
    expect((await app.via(app.session, { method: 'DELETE' })).status).toBe(204);
    await app.wait(60_000);
    expect(received).toEqual([]);
  });

  it('has no cost for an app without an outgoing webhook', async () => {
    const received = createReceiver();
    const app = createApp({});
    await say(app, 'One.');
    expect([await app.agenda(), await app.dueAt()]).toEqual([[], null]);
    await app.wait(60_000);
    expect(received).toEqual([]);
  });
});
