/** Unread marks, of which the owner's index has one per person and session. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createHoldfast } from '../../../../../src/create-holdfast.ts';
import { indexOf, sessionIndex } from '../../../../../src/modules/index/entry.ts';
import { indexed } from '../../../../fixtures/clerk-agent.ts';
import { createHeldReply, registerScript } from '../../../../fixtures/scripts.ts';
import { post, readJson } from '../../http/client.ts';
import { createTenant, listEntry, SESSIONS_PATH } from './indexed.ts';

type Shop = ReturnType<typeof createTenant>;

const postRead = async ({ via }: Pick<Shop, 'via'>, session: string, body: unknown = {}) =>
  readJson(
    await via(`${SESSIONS_PATH}/${session}/read`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );

/** The session's entry in a person's list. */
const readEntry = async ({ via }: Pick<Shop, 'via'>) => {
  const { sessions } = await readJson(await via(SESSIONS_PATH));
  const [entry] = sessions as { seq: number; unread: boolean }[];
  return entry;
};

const readMarks = (shop: Shop) =>
  runInDurableObject(shop.index(), (_, { storage }) =>
    storage.sql.exec('SELECT session, reader, upTo FROM marks ORDER BY session, reader').toArray(),
  );

describe('POST .../sessions/{session}/read', { timeout: 60_000 }, () => {
  it('marks a session as read for one person of a tenant, until a new event', async () => {
    const shop = createTenant();
    const bob = { via: shop.as({ id: 'bob' }) };
    await shop.say('s1', 'One.', 'Two.');
    await shop.lists([listEntry('s1', 'idle', { unread: true })]);
    const { seq = 0 } = (await readEntry(shop)) ?? {};
    expect(await postRead(shop, 's1', { seq })).toEqual({
      session: 's1',
      agent: 'indexed',
      seq,
      unread: false,
    });
    expect(await readEntry(shop)).toMatchObject({ seq, unread: false });
    expect(await readEntry(bob)).toMatchObject({ seq, unread: true });
    await shop.say('s1');
    await shop.lists([listEntry('s1', 'idle', { turns: 2, unread: true })]);
    expect(await postRead(shop, 's1')).toMatchObject({ unread: false });
    expect(await readEntry(shop)).toMatchObject({ unread: false });
  });

  it('is reversed if a call begins to wait, but not if a title is set', async () => {
    const shop = createTenant();
    const reply = createHeldReply({ calls: [{ name: 'pay', input: { to: 'x', amount: 1 } }] });
    const sent = post(`${SESSIONS_PATH}/s1`, { message: registerScript(reply.reply).message() }, shop);
    await shop.lists([listEntry('s1', 'running')]);
    expect(await postRead(shop, 's1')).toMatchObject({ unread: false });
    reply.release();
    await (await sent).text();
    await shop.lists([listEntry('s1', 'waiting', { unread: true })]);
    await postRead(shop, 's1');
    const patch = { method: 'PATCH', headers: { 'content-type': 'application/json' } };
    await (await shop.via(`${SESSIONS_PATH}/s1`, { ...patch, body: '{"title":"A payment"}' })).text();
    expect(await shop.list()).toEqual([listEntry('s1', 'waiting', { title: 'A payment', unread: false })]);
  });

  it('accepts a mark at an event that is not reported yet, and limits a mark to the last event', async () => {
    const shop = createTenant();
    await shop.say('s1', 'One.', 'Two.');
    await shop.lists([listEntry('s1', 'idle')]);
    const before = (await readEntry(shop))?.seq ?? 0;
    await shop.say('s1');
    const head = (await shop.stub('s1').read({ from: 1 }))?.head ?? 0;
    expect(head).toBeGreaterThan(before);
    // The sweep that this mark requests reports the new events.
    expect(await postRead(shop, 's1', { seq: head })).toMatchObject({ seq: head, unread: false });
    expect(await postRead(shop, 's1', { seq: Number.MAX_SAFE_INTEGER })).toMatchObject({ seq: head });
    expect(await postRead(shop, 's1', { seq: 1 })).toMatchObject({ seq: head, unread: false });
    await shop.say('s1');
    await shop.lists([listEntry('s1', 'failed', { unread: true })]);
  });

  it.each([
    [{ seq: -1 }, 'seq: must be the whole number of an event'],
    [{ seq: 1.5 }, 'seq: must be the whole number of an event'],
    [{ seq: '1' }, 'seq: must be the whole number of an event'],
    [{ seq: 2 ** 53 }, 'seq: must be the whole number of an event'],
    [{ seq: null }, 'seq: must be the whole number of an event'],
    [{ reader: 'bob' }, 'reader: is not known here'],
  ])('refuses %j', async (body, said) => {
    const shop = createTenant();
    await shop.say('s1', 'One.');
    expect(await postRead(shop, 's1', body)).toMatchObject({ status: 422, problems: [said] });
  });

  it('returns 404 and stores no mark for an unknown session', async () => {
    const shop = createTenant();
    const unknown = { type: 'urn:holdfast:problem:unknown-session', status: 404 };
    expect(await postRead(shop, 'none')).toMatchObject(unknown);
    await shop.say('s1', 'One.');
    await shop.lists([listEntry('s1', 'idle')]);
    expect(await postRead(shop, 'none', { seq: 1 })).toMatchObject(unknown);
    const stranger = createTenant();
    expect(await postRead(stranger, 's1', { seq: 1 })).toMatchObject(unknown);
    expect(await readMarks(shop)).toEqual([]);
  });

  it('deletes the marks with the session, and a new session with its name has separate marks', async () => {
    const shop = createTenant();
    for (const session of ['s1', 's2']) await shop.say(session, 'One.');
    await shop.lists(expect.arrayContaining([listEntry('s1', 'idle'), listEntry('s2', 'idle')]));
    for (const session of ['s1', 's2']) await postRead(shop, session);
    expect(await readMarks(shop)).toMatchObject([{ session: 's1' }, { session: 's2' }]);
    await shop.via(`${SESSIONS_PATH}/s1`, { method: 'DELETE' });
    await expect.poll(() => readMarks(shop)).toMatchObject([{ session: 's2', reader: 'ann' }]);
    await shop.say('s1', 'Again.');
    await shop.lists([listEntry('s1', 'idle', { unread: true }), listEntry('s2', 'idle', { unread: false })]);
    const operator = shop.as({ id: 'olga', operator: true });
    await operator(`/owners/${shop.key}`, { method: 'DELETE' });
    await expect.poll(() => readMarks(shop), { timeout: 20_000 }).toEqual([]);
  });

  it('stores the marks of only the last 200 readers of a session', async () => {
    const shop = createTenant();
    await shop.say('s1', 'One.');
    await shop.lists([listEntry('s1', 'idle')]);
    const mark = { agent: 'indexed', session: 's1', isCurrent: true };
    for (let reader = 0; reader < 205; reader += 1)
      await shop.index().mark({ ...mark, reader: `reader-${reader}` });
    const kept = await readMarks(shop);
    expect(kept).toHaveLength(200);
    expect(kept).toContainEqual(expect.objectContaining({ reader: 'reader-204' }));
  });

  it('does not show marks in the list of another owner', async () => {
    const [shop, other] = [createTenant(), createTenant()];
    await shop.say('s1', 'One.');
    await shop.lists([listEntry('s1', 'idle', { unread: true })]);
    const operator = other.as({ id: 'ann', operator: true });
    const { sessions } = await readJson(await operator(`${SESSIONS_PATH}?owner=${shop.key}`));
    expect(sessions).toEqual([expect.not.objectContaining({ unread: expect.anything() })]);
  });
});

describe('markRead of indexOf', { timeout: 60_000 }, () => {
  it('sets the mark of a person, and sessions() with a reader shows it', async () => {
    const shop = createTenant();
    await shop.say('s1', 'One.');
    await shop.lists([listEntry('s1', 'idle')]);
    const index = indexOf(createHoldfast({ agents: [indexed], use: [sessionIndex()] }), env);
    const owner = { tenant: shop.name };
    const at = { owner, agent: 'indexed', session: 's1' };
    const readUnread = async (reader?: string) =>
      (await index.sessions({ owner, reader })).sessions[0]?.unread;
    expect([await readUnread('ann'), await readUnread()]).toEqual([true, undefined]);
    expect(await index.markRead({ ...at, reader: 'ann' })).toMatchObject({ session: 's1', unread: false });
    expect([await readUnread('ann'), await readUnread('bob')]).toEqual([false, true]);
    await expect(index.markRead({ ...at, reader: '' })).rejects.toMatchObject({ type: 'invalid-query' });
    await expect(index.markRead({ ...at, reader: 'ann', seq: -1 })).rejects.toMatchObject({
      type: 'invalid-body',
    });
  });
});
