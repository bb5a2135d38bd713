/**
 * How an object handles messages on its lines: it forwards the holder's live messages, and rejects those of
 * other senders.
 */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it, vi } from 'vitest';
import { type LiveMessage, MAX_UNREAD } from '../../../doors/journal.ts';
import {
  acquireLease,
  createBeginRequest,
  createEventRow,
  createResumeRequest,
} from '../../../fixtures/session-contract/harness.ts';
import { makeObjectHarness, type ObjectHarness } from './object-harness.ts';

/** Opens a WebSocket to the object without a client. */
async function openSocket({ stub }: ObjectHarness, query: string) {
  const { webSocket } = await stub().fetch(`https://session/?${query}`, {
    headers: { upgrade: 'websocket' },
  });
  if (!webSocket) throw new Error('The object opened no WebSocket.');
  const told: string[] = [];
  const closed = Promise.withResolvers<number>();
  webSocket.addEventListener('message', ({ data }) => told.push(String(data)));
  webSocket.addEventListener('close', ({ code }) => closed.resolve(code));
  webSocket.accept();
  await vi.waitFor(() => expect(told).toHaveLength(1), 20_000);
  return { told, closed: closed.promise, send: (sent: string | ArrayBuffer) => webSocket.send(sent) };
}

/** A session with a holder and a reader. */
async function createScene() {
  const harness = makeObjectHarness();
  const { epoch } = await acquireLease(harness.raw, createBeginRequest('t1', 'a'));
  const reader = await openSocket(harness, 'live=1');
  const holder = await openSocket(harness, `holder=${epoch}`);
  return { harness, epoch, reader, holder };
}

const formatTextMessage = (text: string): string =>
  `{"turn":"t1","items":[{"item":{"type":"text-delta","reply":"1.1","text":"${text}"},"after":2,"at":0}]}`;

describe('the lines to a session object', () => {
  it('forward the holder’s live messages unchanged, and read and write no rows for them', async () => {
    const { harness, reader, holder } = await createScene();
    const statements = await runInDurableObject(harness.stub(), (_, { storage }) =>
      vi.spyOn(storage.sql, 'exec'),
    );
    const odd = '{"turn":1, and it is no JSON';
    for (const sent of [formatTextMessage('Hel'), odd, formatTextMessage('lo')]) holder.send(sent);
    await vi.waitFor(
      () => expect(reader.told.slice(1)).toEqual([formatTextMessage('Hel'), odd, formatTextMessage('lo')]),
      20_000,
    );
    expect(statements).not.toHaveBeenCalled();
    statements.mockRestore();
  });

  it('do not forward invalid live messages to a reader, and no hop parses them', async () => {
    const { harness, holder } = await createScene();
    const shown: LiveMessage[] = [];
    const heads: number[] = [];
    const line = await harness.raw.watch({
      onNotice: ({ head }) => heads.push(head),
      onClosed: () => {},
      onLive: (message) => shown.push(message),
    });
    const odd = ['{"turn":1, and it is no JSON', '{"turn":1,"items":[]}', '{"turn":"t1","items":4}'];
    const empty = '{"turn":"t1","items":[null,{"after":1},{"item":{}}]}';
    for (const sent of [...odd, empty, formatTextMessage('a')]) holder.send(sent);
    const item = { item: { type: 'text-delta', reply: '1.1', text: 'a' }, after: 2, at: 0 };
    await vi.waitFor(
      () =>
        expect(shown).toEqual([
          { turn: 't1', items: [] },
          { turn: 't1', items: [item] },
        ]),
      20_000,
    );
    expect(heads).toEqual([2]);
    line.close();
  });

  it('drop a message without a recipient, or with a name that no reader can have', async () => {
    const { harness, reader, holder } = await createScene();
    for (const to of ['', ' ', 'x'.repeat(1_000), '{"to":"', 'reader', 'holder'])
      holder.send(formatTextMessage('lost').replace('{', `{"to":${JSON.stringify(to)},`));
    holder.send('{"to":"');
    await harness.raw.read({ from: 1 });
    holder.send(formatTextMessage('a'));
    await vi.waitFor(() => expect(reader.told.at(-1)).toBe(formatTextMessage('a')), 20_000);
    expect(reader.told).toHaveLength(2);
    expect(holder.told.filter((told) => told.includes('lost'))).toEqual([]);
  });

  it('remain open after the object loses its memory, and still have the same owners', async () => {
    const { harness, epoch, reader, holder } = await createScene();
    await evictDurableObject(harness.stub());
    holder.send(formatTextMessage('a'));
    await vi.waitFor(() => expect(reader.told).toHaveLength(2), 20_000);
    const other = await openSocket(harness, 'live=1');
    await vi.waitFor(() => expect(holder.told.at(-1)).toContain('"joined":'), 20_000);
    const { joined } = JSON.parse(holder.told.at(-1) ?? '') as { readonly joined: string };
    await evictDurableObject(harness.stub());
    holder.send(formatTextMessage('all of it').replace('{', `{"to":"${joined}",`));
    await vi.waitFor(() => expect(other.told.at(-1)).toBe(formatTextMessage('all of it')), 20_000);
    expect(reader.told).toHaveLength(2);
    await harness.raw.append(epoch, 3, { events: [createEventRow('t1', 'x')], release: 'yielded' });
    await acquireLease(harness.raw, createResumeRequest('t1', 'b'));
    expect(await holder.closed).toBe(1008);
    await evictDurableObject(harness.stub());
    (await openSocket(harness, `holder=${epoch}`)).send(formatTextMessage('b'));
    const next = await openSocket(harness, `holder=${epoch + 1}`);
    next.send(formatTextMessage('c'));
    await vi.waitFor(() => expect(reader.told.at(-1)).toBe(formatTextMessage('c')), 20_000);
    expect(reader.told).not.toContain(formatTextMessage('b'));
  });

  it.each<[string, string, string | ArrayBuffer]>([
    ['a reader that sends a live message', 'live=1', formatTextMessage('forged')],
    ['a reader that sends an unknown message', 'live=1', 'hello'],
    ['a reader that acknowledges without having received a message', '', 'read'],
    ['a holder that sends an unknown message', 'holder=EPOCH', 'hello'],
    ['a holder that sends bytes', 'holder=EPOCH', new ArrayBuffer(8)],
    ['a holder that sends too much at once', 'holder=EPOCH', formatTextMessage('x'.repeat(512 * 1024))],
  ])('close without a notice for %s', async (_, query, sent) => {
    const { harness, epoch, reader } = await createScene();
    const line = await openSocket(harness, query.replace('EPOCH', `${epoch}`));
    line.send(sent);
    expect(await line.closed).toBe(1008);
    expect(reader.told).toHaveLength(1);
  });

  it.each(['0', '-1', 'EPOCH1', 'x', ''])(
    'receive no messages if their holder has the epoch "%s"',
    async (epoch) => {
      const { harness, reader, holder } = await createScene();
      const forged = await openSocket(harness, `holder=${epoch}`);
      forged.send(formatTextMessage('forged'));
      await harness.raw.read({ from: 1 });
      holder.send(formatTextMessage('true'));
      await vi.waitFor(() => expect(reader.told).toContain(formatTextMessage('true')), 20_000);
      expect(reader.told).not.toContain(formatTextMessage('forged'));
    },
  );

  it('buffer a limited amount for a reader that does not acknowledge, and deliver everything to the others', async () => {
    const { harness, reader, holder } = await createScene();
    const good = await openSocket(harness, 'live=1');
    const text = 'x'.repeat(30_000);
    for (let i = 1; i <= 20; i += 1) {
      holder.send(formatTextMessage(text));
      await vi.waitFor(() => expect(good.told).toHaveLength(i + 1), 20_000);
      good.send('read');
    }
    const most = Math.ceil(MAX_UNREAD / formatTextMessage(text).length);
    expect(reader.told).toHaveLength(1 + most);
    // The holder is notified that its messages were read.
    expect(holder.told.filter((told) => told === 'read').length).toBeGreaterThan(5);
    reader.send('read');
    await harness.raw.read({ from: 1 });
    await vi.waitFor(() => {
      holder.send(formatTextMessage('again'));
      expect(reader.told.at(-1)).toBe(formatTextMessage('again'));
    }, 20_000);
  });
});
