/** The client of an index, against a Worker. */
import { expect, it } from 'vitest';
import { createClient, createIndexClient, HoldfastError } from '../../../../../src/client/entry.ts';
import { ORIGIN } from '../../http/client.ts';
import { createTenant } from './indexed.ts';

it('the client of an index lists and titles sessions, shows pending calls and usage, and erases an owner', {
  timeout: 60_000,
}, async () => {
  const shop = createTenant({}, { operator: true });
  const fetch: typeof globalThis.fetch = async (url, init) =>
    shop.via(String(url).slice(ORIGIN.length), init);
  const index = createIndexClient({ url: ORIGIN, fetch: fetch as never, retries: 0 }); // the client calls it like this
  await shop.say('s1', { calls: [{ name: 'pay', input: { to: 'x', amount: 1 } }] }, 'Done.');
  await shop.say('s2', 'Done.');
  const listWaiting = () => index.sessions('indexed', { status: 'waiting', since: 0, limit: 1 });
  await expect.poll(listWaiting).toMatchObject({ sessions: [{ session: 's1' }], next: null });
  const title = { agent: 'indexed', session: 's1', title: 'A title & more' };
  expect(await index.setTitle(title, title.title)).toEqual(title);
  const inbox = await index.pending({ limit: 5 });
  expect(inbox).toMatchObject({ waiting: [{ ...title, pending: [{ tool: 'pay' }] }], next: null });
  const [{ agent, session, pending: [call] = [] } = expect.fail('No call is pending.')] = inbox.waiting;
  const client = createClient({ url: ORIGIN, agent, fetch: fetch as never }); // the client calls it like this
  await client.session(session).decide(call ?? '', 'approve');
  expect((await index.pending()).waiting).toEqual([]);
  await expect.poll(async () => (await index.usage({ by: 'agent' })).total.turns).toBe(2);
  const first = await index.sessions('indexed', { limit: 1 });
  const second = await index.sessions('indexed', { limit: 1, cursor: first.next ?? '' });
  expect([...first.sessions, ...second.sessions].map((one) => one.session)).toEqual(['s1', 's2']);
  expect((await index.owners({ limit: 100 })).owners).toContain(shop.key);
  expect(await index.eraseOwner(shop.key)).toMatchObject({ sessions: 2, erasure: { status: 'erasing' } });
  expect(await index.owner(shop.key)).toMatchObject({
    owner: shop.key,
    erasure: { removed: expect.any(Number) },
  });
  const refused = index.sessions('indexed', { limit: 0 });
  await expect(refused).rejects.toThrow(HoldfastError);
  await expect(refused).rejects.toMatchObject({ type: 'invalid-query', status: 400 });
});
