import { afterEach, describe, expect, it, vi } from 'vitest';
import { createOrderMachine, defineOrders } from '../../../../src/examples/orders/orders.ts';
import { createShop, paperShop, type Shop } from '../../../../src/examples/support/shop.ts';
import { toMermaid } from '../../../../src/modules/inspect/entry.ts';
import { offlineModel } from '../../../../src/offline-model/entry.ts';
import { createTestSession, type TestSession } from '../../../../src/testing/entry.ts';
import { getModelText } from '../../../doors/tools.ts';

const startOfflineSession = (shop: Shop = paperShop): TestSession =>
  createTestSession(defineOrders(shop), { model: offlineModel() });

/** Returns the calls of one turn with their results. The calls of the state machine are indented. */
async function collectCalls(session: TestSession, message: string): Promise<string[]> {
  const before = session.requests.length === 0 ? 0 : (await session.state()).seq;
  await session.send(message);
  const names = new Map<string, string>();
  return (await session.events()).flatMap((event) => {
    if (event.seq <= before) return [];
    if (event.type === 'model-replied') {
      for (const { id, name, input } of event.toolCalls) {
        names.set(id, `${event.frame === undefined ? '' : '  '}${name} ${input}`);
      }
    }
    if (event.type !== 'tool-call-ended') return [];
    const name = names.get(event.call) ?? '';
    return name.startsWith('move_order')
      ? [name]
      : [`${name}: ${getModelText(event.result).replace(/-\w{8}\./, '.')}`];
  });
}

const doneText = "Done. The warehouse's note is warehouse.";
const readPositions = async (session: TestSession) =>
  Object((await session.state()).memories.get('state-machines'))['orders/move_order'];

describe('the order desk with the offline planner', () => {
  it('moves an order by one status per turn, even after a restart', async () => {
    const session = startOfflineSession();
    expect(await collectCalls(session, 'Move order 2001 to packed')).toEqual([
      `  pack_order {}: ${doneText}`,
      'move_order {"orderId":2001,"status":"packed"}',
    ]);
    session.restart();
    expect(await collectCalls(session, 'Move order 2001 to shipped')).toEqual([
      `  ship_order {}: ${doneText}`,
      'move_order {"orderId":2001,"status":"shipped"}',
    ]);
    expect(await readPositions(session)).toEqual({ 2001: 'shipped' });
  });

  it('sends the same definitions to the loop of a move before and after the order has moved', async () => {
    const session = startOfflineSession();
    await session.send('Move order 2001 to packed');
    const told = session.requests.map(({ messages: [first] }) => first?.text ?? '');
    expect(told.filter((text) => text.startsWith('You work in the warehouse'))).toEqual(
      Array(2).fill(
        'You work in the warehouse of a chandlery. Perform the following task: Pack order 2001.\n' +
          'Do that and no more. When it is not possible now, say why.',
      ),
    );
  });

  it('refuses a step that comes too early or too late', async () => {
    const session = startOfflineSession();
    expect((await collectCalls(session, 'Move order 2002 to shipped'))[0]).toBe(
      '  ship_order {}: This tool is not available in the current state (received). It is only available in state: packed',
    );
    for (const status of ['packed', 'shipped']) await session.send(`Move order 2002 to ${status}`);
    expect((await collectCalls(session, 'Move order 2002 to cancelled'))[0]).toBe(
      '  cancel_order {}: This tool is not available in the current state (shipped). ' +
        'It is only available in states: received, packed',
    );
    expect(await readPositions(session)).toEqual({ 2002: 'shipped' });
  });

  it('remembers the status of each order', async () => {
    const session = startOfflineSession();
    for (const move of ['2001 to packed', '2003 to cancelled', '2001 to shipped', '2004 to packed']) {
      await session.send(`Move order ${move}`);
    }
    expect(await readPositions(session)).toEqual({ 2001: 'shipped', 2003: 'cancelled', 2004: 'packed' });
  });

  it('finds the latest order of a customer, and its weight', async () => {
    const session = startOfflineSession();
    expect(await collectCalls(session, 'What is the weight of the latest order of customer C-12?')).toEqual([
      expect.stringMatching(/^get_customer {"customerId":"C-12"}: .*"Iker Sola"/),
      expect.stringMatching(/^get_latest_order {}: .*"orderId":2002/),
      'get_order_weight {}: {"orderId":2002,"weight":2250}',
    ]);
  });

  it('refers to the same order in later turns, even after a restart, until it loads another order', async () => {
    const session = startOfflineSession();
    await session.send('What is the latest order of customer C-12?');
    session.restart();
    const weight = 'Get the weight of the order';
    expect(await collectCalls(session, weight)).toEqual([
      'get_order_weight {}: {"orderId":2002,"weight":2250}',
    ]);
    await session.send('What is the latest order of customer C-11?');
    expect(await collectCalls(session, weight)).toEqual([
      'get_order_weight {}: {"orderId":2004,"weight":350}',
    ]);
  });
});

describe('the order desk with a warehouse', () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each([200, 503])('packs an order once if the warehouse packs it and returns %i', async (status) => {
    const acted: string[] = [];
    const known = new Map<string, string>();
    vi.stubGlobal('fetch', async (url: string, { method, headers, body }: RequestInit = {}) => {
      const path = new URL(url).pathname;
      if (method !== 'POST') {
        const reference = known.get(path);
        return Response.json({ reference }, { status: reference === undefined ? 404 : 200 });
      }
      acted.push(`${path} ${body}`);
      known.set(`${path}/${new Headers(headers).get('idempotency-key')}`, 'W-1');
      return Response.json({ reference: 'W-1' }, { status });
    });
    const session = startOfflineSession(createShop('http://shop.test'));
    await session.send('Move order 2001 to packed');
    expect(acted).toEqual(['/warehouse {"step":"pack_order"}']);
    expect(await readPositions(session)).toEqual({ 2001: 'packed' });
  });

  it('packs and moves an order once if its Worker is killed during the call', async () => {
    const acted: string[] = [];
    const dying: Shop = {
      ...paperShop,
      act: async (_, order, call) => {
        acted.push(String(order.step));
        if (acted.length === 1) session.kill();
        return { reference: call.idempotencyKey.slice(0, 8) };
      },
      recall: async (_, call) => ({ reference: call.idempotencyKey.slice(0, 8) }),
    };
    const session: TestSession = createTestSession(defineOrders(dying), {
      replies: [
        { calls: [{ name: 'move_order', input: { orderId: 2001, status: 'packed' } }] },
        { calls: [{ name: 'pack_order' }, { name: 'ship_order' }] },
        'Packed and shipped.',
        'Done.',
      ],
    });
    await session.send('Pack and ship order 2001.');
    expect(acted).toEqual(['pack_order', 'ship_order']);
    expect(await readPositions(session)).toEqual({ 2001: 'shipped' });
  });
});

describe('the state machine of an order', () => {
  it('can be drawn as a diagram', () => {
    expect(toMermaid(createOrderMachine(paperShop))).toBe(
      [
        'stateDiagram-v2',
        '    state "received" as s0',
        '    state "packed" as s1',
        '    state "shipped" as s2',
        '    state "delivered" as s3',
        '    state "cancelled" as s4',
        '    [*] --> s0',
        '    s0 --> s1 : pack_order',
        '    s0 --> s4 : cancel_order',
        '    s1 --> s4 : cancel_order',
        '    s1 --> s2 : ship_order',
        '    s2 --> s3 : deliver_order',
      ].join('\n'),
    );
  });
});
