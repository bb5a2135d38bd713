/**
 * Allowances of turns: the granted amount, the returned amount, and the amount that counts if they are never
 * settled.
 */
import { describe, expect, it } from 'vitest';
import { ownerLimits } from '../../../../../src/modules/owner-limits/entry.ts';
import type { TurnUsage } from '../../../../doors/owner-limits.ts';
import { limited } from '../../../../fixtures/clerk-agent.ts';
import { createHeldReply, modelBySession, registerScript } from '../../../../fixtures/scripts.ts';
import { post, readJson } from '../../http/client.ts';
import { createLimitedOwner, HOUR, SESSIONS_PATH } from './limited.ts';

/** A reply with a tool call, and with this usage. */
const createLookReply = (inputTokens = 9_000) => ({
  calls: [{ name: 'missing', input: {} }],
  usage: { inputTokens, outputTokens: 500 },
});

const TOKEN_LIMITS = { perDay: { tokens: 200_000 } };

/** Requests an allowance for an open turn without a session, as left by a Worker that died. */
const drawLost = (shop: ReturnType<typeof createLimitedOwner>, turn = 'lost') =>
  shop.account().draw({
    ...{ owner: { tenant: shop.name }, agent: 'limited', session: 'gone', turn, for: 'turn' },
    limits: { turns: 3, tokens: { most: 200_000, allowance: 20_000 }, running: 1 },
  });

describe('an allowance', () => {
  it('counts in full while its turn is open, and then as the turn’s usage', async () => {
    const shop = createLimitedOwner({ ...TOKEN_LIMITS, running: 2 });
    const reply = createHeldReply({ text: 'Hi.', usage: { inputTokens: 700, outputTokens: 30 } });
    const running = shop.send('a', [reply.reply, reply.reply]);
    await reply.asked();
    expect(await shop.used()).toEqual({ tokens: 20_000, running: 1 });
    reply.release();
    await running;
    await shop.uses({ tokens: 730, running: 0 });
  });

  it('stops a turn that has used it up', async () => {
    const shop = createLimitedOwner(TOKEN_LIMITS);
    const { model, message } = registerScript(
      createLookReply(),
      createLookReply(),
      createLookReply(),
      'Never.',
    );
    const turn = await readJson(await post(`${SESSIONS_PATH}/a`, { message: message() }, { via: shop.via }));
    expect(turn).toMatchObject({ outcome: 'limit-reached', limit: { kind: 'tokens', most: 20_000 } });
    expect(model.requests).toHaveLength(2);
    await shop.uses({ tokens: 19_000 });
  });

  it('limits the cost of a turn by the prices of its model', async () => {
    const agent = { ...limited, model: { ...modelBySession, prices: { input: 1, output: 1 } } };
    const shop = createLimitedOwner({ perDay: { cost: 0.2 } }, { config: { agents: [agent] } });
    const { model, message } = registerScript(
      createLookReply(),
      createLookReply(),
      createLookReply(),
      'Never.',
    );
    const turn = await readJson(await post(`${SESSIONS_PATH}/a`, { message: message() }, { via: shop.via }));
    expect(turn).toMatchObject({ outcome: 'limit-reached', limit: { kind: 'cost', most: 0.02 } });
    expect(model.requests).toHaveLength(2);
    await shop.uses({ cost: 0.019 });
  });

  it('is limited to the remainder, and refused if less than a tenth is left', async () => {
    const shop = createLimitedOwner({ perDay: { tokens: 30_000 }, allowance: { tokens: 20_000 } });
    await shop.send('a', [createLookReply(), createLookReply()]);
    await shop.uses({ tokens: 19_000 });
    const reply = createHeldReply({ text: 'Hi.', usage: { inputTokens: 9_500, outputTokens: 0 } });
    const running = shop.send('b', [reply.reply, reply.reply]);
    await reply.asked();
    expect(await shop.used()).toEqual({ tokens: 30_000 });
    const busy = await shop.send('c', ['No.']);
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '10']);
    reply.release();
    await running;
    await shop.uses({ tokens: 28_500 });
    const over = await shop.send('c', ['No.']);
    expect([over.status, over.headers.get('retry-after')]).toEqual([429, String(12 * 3_600)]);
    expect(await readJson(over)).toMatchObject({ ownerLimit: 'tokens', most: 30_000, used: 28_500 });
  });

  it('counts the reserved tokens for a model call whose provider reports no usage', async () => {
    const shop = createLimitedOwner(TOKEN_LIMITS);
    await shop.send('a', [{ text: 'Hi.', usage: null }]);
    await expect.poll(async () => Number((await shop.used()).tokens)).toBeLessThan(20_000);
    expect((await shop.used()).tokens).toBeGreaterThan(1_000);
  });

  it('counts as spent if its turn never began, and the turn is no longer open', async () => {
    const shop = createLimitedOwner({ perDay: { turns: 3, tokens: 200_000 }, running: 1, openSessions: 1 });
    expect(await drawLost(shop)).toMatchObject({ status: 'granted', tokens: 20_000 });
    const open = { turns: 1, tokens: 20_000, running: 1, openSessions: 1 };
    expect(await shop.used()).toEqual(open);
    await shop.pass(59_000);
    expect(await shop.used()).toEqual(open);
    await shop.pass(1_000);
    expect(await shop.used()).toEqual({ ...open, running: 0, openSessions: 0 });
  });

  it('covers all attempts of a turn', async () => {
    const shop = createLimitedOwner({ perDay: { turns: 3, tokens: 200_000 } });
    const draws = await Promise.all([drawLost(shop), drawLost(shop), drawLost(shop)]);
    expect(draws.map((one) => one.status === 'granted' && one.isNew)).toEqual([true, false, false]);
    expect(await shop.used()).toEqual({ turns: 1, tokens: 20_000 });
  });

  it('is settled only once, even if it is reported repeatedly or after it counted as spent', async () => {
    const shop = createLimitedOwner({ perDay: { turns: 3, tokens: 200_000 } });
    await drawLost(shop);
    await shop.pass(HOUR);
    const used: TurnUsage = {
      ...{ state: 'ended', startedAt: 0, tokens: 5, cost: 0, replies: 1, steeredBy: [] },
    };
    const settlement = {
      owner: { tenant: shop.name },
      agent: 'limited',
      session: 'gone',
      turn: 'lost',
      used,
    };
    for (let times = 0; times < 3; times += 1) await shop.account().settle(settlement);
    expect(await shop.used()).toEqual({ turns: 1, tokens: 5 });
  });

  it('counts on the day on which it was granted, and its row is deleted two days later', async () => {
    const shop = createLimitedOwner({ perDay: { turns: 3 } });
    const reply = createHeldReply('Hi.');
    const running = shop.send('a', [reply.reply, reply.reply], { 'idempotency-key': 'one' });
    await reply.asked();
    await shop.pass(13 * HOUR);
    reply.release();
    await running;
    await expect.poll(async () => (await shop.rows('allowances'))[0]?.state).toBe('settled');
    expect(await shop.used()).toEqual({ turns: 0 });
    await shop.pass(48 * HOUR);
    expect([await shop.rows('allowances'), await shop.rows('days')]).toEqual([[], []]);
    expect(await shop.rows('sessions')).toHaveLength(1);
  });
});

describe('a turn that a tool has scheduled', () => {
  const later = { calls: [{ name: 'schedule_message', input: { message: 'Go on.', when: '60' } }] };

  it('requests its allowance when it begins', async () => {
    const shop = createLimitedOwner({ perDay: { turns: 2 } });
    await shop.send('a', [later, 'Later.', 'Done.']);
    await shop.uses({ turns: 1 });
    await shop.wait('a', 61_000);
    await shop.uses({ turns: 2 });
  });

  it('calls no model if no allowance is left, and is not counted', async () => {
    const shop = createLimitedOwner({ perDay: { turns: 1 } });
    const { model, message } = registerScript(later, 'Later.', 'Never.');
    await post(`${SESSIONS_PATH}/a`, { message: message() }, { via: shop.via });
    await shop.uses({ turns: 1 });
    await shop.wait('a', 61_000);
    await expect
      .poll(async () => {
        const { rows = [] } = (await shop.stub('a').read({ from: 1 })) ?? {};
        return rows.filter(({ type }) => type === 'turn-ended').map(({ body }) => JSON.parse(body).outcome);
      })
      .toEqual(['completed', 'limit-reached']);
    expect(model.requests).toHaveLength(2);
    expect(await shop.used()).toEqual({ turns: 1 });
  });
});

describe('an object that does not respond', () => {
  const hangs = { getByName: () => ({ draw: () => new Promise(() => {}), look: async () => {} }) };

  it('causes a 503 for turns after two seconds', async () => {
    const shop = createLimitedOwner({ perDay: { turns: 1 } }, { vars: { OWNER_LIMITS: hangs } });
    const refused = await shop.send('a', ['No.']);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await readJson(refused)).toMatchObject({
      type: 'urn:holdfast:problem:session-unavailable',
      detail: 'The limits of this owner cannot be read now. Send the message again.',
    });
    expect(await shop.stub('a').read({ from: 1 })).toBeNull();
  });

  it('allows turns if the app is configured to allow them, and counts them after their end', async () => {
    const allowing = ownerLimits(() => ({ perDay: { turns: 1 } }), { onUnavailable: 'allow' });
    const shop = createLimitedOwner(
      { perDay: { turns: 1 } },
      { config: { use: [allowing] }, vars: { OWNER_LIMITS: hangs } },
    );
    expect((await shop.send('a', ['Hi.'])).status).toBe(200);
    // The turn counts on the day on which it began by its session's clock, which differs from this account's
    // day.
    await expect.poll(() => shop.rows('days')).toMatchObject([{ turns: 1 }]);
  });
});
