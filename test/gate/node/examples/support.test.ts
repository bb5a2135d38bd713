import { afterEach, describe, expect, it, vi } from 'vitest';
import { createShop, paperShop } from '../../../../src/examples/support/shop.ts';
import { defineSupport } from '../../../../src/examples/support/support.ts';
import type { CallContext } from '../../../../src/index.ts';
import { offlineModel } from '../../../../src/offline-model/entry.ts';
import type { ScriptedReply } from '../../../../src/testing/entry.ts';
import type { CallRecord, TurnState } from '../../../doors/journal.ts';
import type { TurnHost } from '../../../doors/session.ts';
import { getModelText } from '../../../doors/tools.ts';
import { createMemoryApp, type MemoryApp } from '../session/memory-app.ts';

const offlineHost: Partial<TurnHost> = { agent: defineSupport(paperShop), model: offlineModel() };

/** Sends a message and waits until its turn has ended. */
async function getState(app: MemoryApp, message: string, host: Partial<TurnHost>): Promise<TurnState> {
  const end = await app.say(message, host);
  if (end.status !== 'ended') throw new Error(`The turn has not ended: it is ${end.status}.`);
  return end.turn;
}

async function listCalls(app: MemoryApp): Promise<readonly CallRecord[]> {
  const { messages } = await app.state();
  return messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
}

const listCallNames = async (app: MemoryApp): Promise<string[]> =>
  (await listCalls(app)).map(({ name }) => name);

/** Returns the text of each call for the model. */
const listResults = async (app: MemoryApp): Promise<string[]> =>
  (await listCalls(app)).map(({ ended }) => (ended ? getModelText(ended.result) : ''));

describe('the support agent with the offline planner', () => {
  it('reports the location of an order by its tracking code', async () => {
    const app = createMemoryApp({ replies: [] });
    const turn = await getState(app, 'Where is order 1002?', offlineHost);
    expect(turn).toMatchObject({ outcome: 'completed', iterations: 3, toolCalls: 2 });
    expect(await listCallNames(app)).toEqual(['find_order', 'track_shipment']);
    expect(turn.text).toContain('location: Bilbao depot');
  });

  it.each([
    ['What was its total?', 'total: 118.5'],
    ['Which carrier has it?', 'carrier: Norderline'],
  ])('answers "%s" from the previous turn, even after the object has restarted', async (question, fact) => {
    const app = createMemoryApp({ replies: [] });
    await getState(app, 'Where is order 1002?', offlineHost);
    app.sessions.restart('["owner","tester","s1"]');
    const turn = await getState(app, question, offlineHost);
    expect(turn).toMatchObject({ outcome: 'completed', toolCalls: 0 });
    expect(turn.text).toContain(fact);
  });

  it('refunds an order only on request', async () => {
    const app = createMemoryApp({ replies: [] });
    await getState(app, 'Can order 1003 be refunded?', offlineHost);
    expect(await listCallNames(app)).not.toContain('refund_order');
    await getState(app, 'Please refund order 1003', offlineHost);
    expect((await listCallNames(app)).filter((name) => name === 'refund_order')).toHaveLength(1);
  });

  it('sets a delivery note on the parcel of an order', async () => {
    const app = createMemoryApp({ replies: [] });
    await getState(
      app,
      'Please set the delivery note of order 1005 to "leave it at the boathouse"',
      offlineHost,
    );
    expect((await listCalls(app)).at(-1)).toMatchObject({
      name: 'set_delivery_note',
      input: '{"trackingCode":"KC-7005","note":"leave it at the boathouse"}',
    });
  });
});

describe('the support agent with real services', () => {
  afterEach(() => vi.unstubAllGlobals());

  /** Fakes services that do their work and then return `status`. */
  function stubServices(status: number): { readonly shop: Partial<TurnHost>; readonly posts: string[] } {
    const posts: string[] = [];
    const done = new Map<string, string>();
    vi.stubGlobal('fetch', async (url: string, { method, headers, body }: RequestInit = {}) => {
      const path = new URL(url).pathname;
      if (method !== 'POST') {
        const reference = done.get(path);
        return Response.json({ reference }, { status: reference === undefined ? 404 : 200 });
      }
      posts.push(`${path} ${body}`);
      const reference = `number ${posts.length}`;
      done.set(`${path}/${new Headers(headers).get('idempotency-key')}`, reference);
      return Response.json({ reference }, { status });
    });
    return { shop: { agent: defineSupport(createShop('http://shop.test/')) }, posts };
  }

  const refund: ScriptedReply = { calls: [{ name: 'refund_order', input: { orderId: 1001 } }] };
  const mail = { to: 'ada@example.com', subject: 'Hello', text: 'From the shop.' };

  it.each([200, 503])('refunds once if the service refunds and returns %i', async (status) => {
    const { shop, posts } = stubServices(status);
    const app = createMemoryApp({ replies: [refund, 'Done.'] });
    await getState(app, 'Refund 1001.', { ...shop, model: app.model });
    expect(posts).toEqual(['/refunds {"orderId":1001,"amount":64}']);
    expect(await listResults(app)).toEqual(['{"refunded":1001,"amount":64,"reference":"number 1"}']);
  });

  it.each([
    ['not done if it was sent at least a minute ago', 60_000, 'not-done'],
    ['unknown if it was sent within the last minute', 59_999, 'unknown'],
  ])('reports a refund that the service does not know as %s', async (_, age, said) => {
    let now = 1_000_000 + age;
    vi.stubGlobal('fetch', async () => {
      now += 5_000;
      return new Response(null, { status: 404 });
    });
    const call = { idempotencyKey: 'k', startedAt: 1_000_000, now: () => now } as CallContext; // The properties that `recall` reads.
    expect(await createShop('http://shop.test').recall('refunds', call)).toBe(said);
  });

  it('reports the outcome of an email as unknown if the service returns 503', async () => {
    const { shop, posts } = stubServices(503);
    const app = createMemoryApp({
      replies: [{ calls: [{ name: 'send_email', input: mail }] }, 'I cannot tell.'],
    });
    await getState(app, 'Write to Ada.', { ...shop, model: app.model });
    expect(posts).toEqual([`/emails ${JSON.stringify(mail)}`]);
    expect((await listCalls(app))[0]?.ended?.result).toMatchObject({
      type: 'error',
      reason: 'unknown-outcome',
    });
  });

  it('shows the model why a service refused a request', async () => {
    const { shop } = stubServices(403);
    const app = createMemoryApp({ replies: [refund, 'It was refused.'] });
    await getState(app, 'Refund 1001.', { ...shop, model: app.model });
    expect(await listResults(app)).toEqual(['Error: The shop refused the request with 403.']);
  });

  it('reports the first order number that does not exist', async () => {
    const { shop, posts } = stubServices(200);
    const app = createMemoryApp({
      replies: [{ calls: [{ name: 'refund_order', input: { orderId: 7 } }] }, 'No.'],
    });
    await getState(app, 'Refund 7.', { ...shop, model: app.model });
    expect(await listResults(app)).toEqual(['Error: There is no order 7. Numbers start at 1001.']);
    expect(posts).toEqual([]);
  });
});
