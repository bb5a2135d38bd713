/** Turns beyond the limits of their owner, and their refusals. */
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createHoldfast, sessionOf } from '../../../../../src/create-holdfast.ts';
import { answers } from '../../../../../src/modules/answers/entry.ts';
import {
  limitsOf,
  OwnerLimits,
  type OwnerPlan,
  ownerLimits,
} from '../../../../../src/modules/owner-limits/entry.ts';
import { retry } from '../../../../../src/modules/retry/entry.ts';
import { openAi } from '../../../../../src/surfaces/openai/entry.ts';
import { limited } from '../../../../fixtures/clerk-agent.ts';
import { limitsOfTests } from '../../../../fixtures/limits-of-tests.ts';
import { createHeldReply, registerScript } from '../../../../fixtures/scripts.ts';
import { post, readJson } from '../../http/client.ts';
import { createLimitedOwner, HOUR, MIDNIGHT, SESSIONS_PATH } from './limited.ts';

describe('the daily limit of turns', () => {
  it('refuses the turn beyond the limit with 429 until midnight in UTC', async () => {
    const shop = createLimitedOwner({ perDay: { turns: 2 } });
    for (const session of ['a', 'b']) expect((await shop.send(session, ['Hi.'])).status).toBe(200);
    const refused = await shop.send('c', ['Hi.']);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe(String(12 * 3_600));
    expect(await readJson(refused)).toEqual({
      type: 'urn:holdfast:problem:owner-limit',
      title: 'owner limit',
      status: 429,
      detail: `The limit of 2 turns a day is reached. The limit is reset at ${MIDNIGHT}.`,
      ownerLimit: 'turns',
      most: 2,
      used: 2,
      resetAt: MIDNIGHT,
    });
    expect(await shop.stub('c').read({ from: 1 })).toBeNull();
    await shop.pass(12 * HOUR);
    expect((await shop.send('c', ['Hi.'])).status).toBe(200);
  });

  it('counts turns from code and retries', async () => {
    const shop = createLimitedOwner(
      { perDay: { turns: 2 } },
      { config: { use: [answers, limitsOfTests, retry()] } },
    );
    const holdfast = createHoldfast({ agents: [limited], use: [limitsOfTests] });
    const session = sessionOf(holdfast, env, {
      agent: 'limited',
      session: 'code',
      principal: { id: 'ben', tenant: shop.name },
    });
    await expect(session.send(registerScript().message())).resolves.toMatchObject({ outcome: 'failed' });
    const again = await shop.via(`${SESSIONS_PATH}/code/retry`, { method: 'POST' });
    expect(again.status).toBe(502);
    await expect(session.send('Hello')).rejects.toMatchObject({
      type: 'owner-limit',
      retryAfter: 12 * 3_600,
      more: { ownerLimit: 'turns', resetAt: MIDNIGHT },
    });
  });

  it('counts a repeated request only once, even at the limit', async () => {
    const shop = createLimitedOwner({ perDay: { turns: 1 } });
    const message = registerScript('Hi.').message();
    const postAgain = () =>
      post(`${SESSIONS_PATH}/a`, { message }, { via: shop.via, headers: { 'idempotency-key': 'one' } });
    const [first, second] = [await readJson(await postAgain()), await readJson(await postAgain())];
    expect(second).toEqual(first);
    expect(first.text).toBe('Hi.');
    expect(await shop.used()).toEqual({ turns: 1 });
    expect((await shop.send('a', ['No.'], { 'idempotency-key': 'two' })).status).toBe(429);
  });

  it('does not count a message that a busy session refused', async () => {
    const shop = createLimitedOwner({ perDay: { turns: 2 } });
    const reply = createHeldReply('Hi.');
    const running = shop.send('a', [reply.reply, reply.reply]);
    await reply.asked();
    for (let tries = 0; tries < 3; tries += 1) expect((await shop.send('a', ['No.'])).status).toBe(409);
    expect(await shop.used()).toEqual({ turns: 1 });
    reply.release();
    expect((await running).status).toBe(200);
  });

  it('does not count a message that steers another turn', async () => {
    const shop = createLimitedOwner({ perDay: { turns: 5 }, running: 2 });
    const reply = createHeldReply({ calls: [{ name: 'pay_now', input: { to: shop.name, amount: 1 } }] });
    const { model, message } = registerScript(reply.reply, 'Done.');
    const running = post(`${SESSIONS_PATH}/a`, { message: message() }, { via: shop.via });
    await reply.asked();
    const steered = await shop.via(`${SESSIONS_PATH}/a/messages?whenBusy=steer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"message":"And more."}',
    });
    expect(steered.status).toBe(202);
    expect(await shop.used()).toEqual({ turns: 2, running: 2 });
    reply.release();
    expect((await readJson(await running)).text).toBe('Done.');
    expect(model.requests).toHaveLength(2);
    await shop.uses({ turns: 1, running: 0 });
  });
});

describe('the limit of open turns and sessions', () => {
  it('refuses a turn while the maximum is open', async () => {
    const shop = createLimitedOwner({ running: 1 });
    const reply = createHeldReply('Hi.');
    const running = shop.send('a', [reply.reply, reply.reply]);
    await reply.asked();
    const refused = await shop.send('b', ['No.']);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    expect(await readJson(refused)).toMatchObject({ ownerLimit: 'running', most: 1, used: 1 });
    reply.release();
    await running;
    await shop.uses({ running: 0 });
    expect((await shop.send('b', ['Hi.'])).status).toBe(200);
  });

  it('counts a waiting turn as open, and admits its answer', async () => {
    const shop = createLimitedOwner({ running: 1 });
    const asked = await readJson(
      await shop.send('a', [{ calls: [{ name: 'pay', input: { to: shop.name, amount: 1 } }] }, 'Paid.']),
    );
    expect(asked.outcome).toBe('suspended');
    await shop.pass(HOUR);
    expect(await shop.used()).toEqual({ running: 1 });
    const [{ links }] = asked.pending as [{ links: { approvals: string } }];
    const approved = await shop.via(links.approvals, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"decision":"approve"}',
    });
    expect(await readJson(approved)).toMatchObject({ text: 'Paid.' });
    await shop.uses({ running: 0 });
  });

  it('refuses a new session beyond the limit, until another is erased', async () => {
    const shop = createLimitedOwner({ openSessions: 1 });
    for (const reply of ['Hi.', 'Hi again.']) expect((await shop.send('a', ['Hi.', reply])).status).toBe(200);
    const refused = await shop.send('b', ['No.']);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null]);
    expect(await readJson(refused)).toMatchObject({
      detail: 'The limit of 1 sessions is reached. Erase a session, or continue one.',
      ownerLimit: 'openSessions',
    });
    expect((await shop.via(`${SESSIONS_PATH}/a`, { method: 'DELETE' })).status).toBe(204);
    expect(await shop.used()).toEqual({ openSessions: 0 });
    expect((await shop.send('b', ['Hi.'])).status).toBe(200);
  });

  it('does not count a session that was erased without its Worker', async () => {
    const shop = createLimitedOwner({ openSessions: 1, running: 1 });
    await shop.send('a', ['Hi.']);
    await shop.uses({ openSessions: 1, running: 0 });
    await shop.stub('a').erase();
    await shop.wait('a', HOUR);
    await shop.uses({ openSessions: 0, running: 0 });
  });
});

describe('the owner of limits', () => {
  it('is the tenant, and a caller with the tenant’s name is another owner', async () => {
    const shop = createLimitedOwner({ perDay: { turns: 1 } });
    await shop.send('a', ['Hi.']);
    for (const id of [shop.name, `tenant:${shop.name}`]) {
      const other = shop.as({ id, tenant: undefined });
      const answered = await post(
        `${SESSIONS_PATH}/a`,
        { message: registerScript('Hi.').message() },
        { via: other },
      );
      expect(answered.status).toBe(200);
    }
    expect(await shop.used()).toEqual({ turns: 1 });
    const spelled = shop.as({ id: 'eve', tenant: `id:${shop.name}` });
    expect(await shop.report('', spelled)).toMatchObject({ owner: `tenant:id:${shop.name}`, limits: [] });
  });

  it('is visible only to itself and to operators', async () => {
    const shop = createLimitedOwner({
      perDay: { turns: 3, tokens: 1_000, cost: 2 },
      openSessions: 4,
      running: 5,
    });
    const report = {
      owner: `tenant:${shop.name}`,
      limits: [
        { limit: 'turns', most: 3, used: 0, resetAt: MIDNIGHT },
        { limit: 'tokens', most: 1_000, used: 0, resetAt: MIDNIGHT },
        { limit: 'cost', most: 2, used: 0, resetAt: MIDNIGHT },
        { limit: 'openSessions', most: 4, used: 0 },
        { limit: 'running', most: 5, used: 0 },
      ],
    };
    expect(await shop.report()).toEqual(report);
    const query = `?owner=tenant:${shop.name}`;
    expect(await shop.report(query)).toEqual(report);
    const stranger = shop.as({ id: 'eve', tenant: undefined });
    expect((await stranger(`/limits${query}`)).status).toBe(403);
    expect(await shop.report(query, shop.as({ id: 'team', tenant: undefined, operator: true }))).toEqual(
      report,
    );
    expect((await shop.as({ id: 'team', operator: true })('/limits?owner=acme')).status).toBe(400);
    const holdfast = createHoldfast({ agents: [limited], use: [limitsOfTests] });
    expect(await limitsOf(holdfast, env).read({ tenant: shop.name })).toEqual(report);
    await expect(limitsOf(holdfast, env).read({ tenant: '' })).rejects.toMatchObject({
      type: 'invalid-query',
    });
    const unlimited = createHoldfast({ agents: [limited] });
    await expect(async () => limitsOf(unlimited, env).read({ tenant: shop.name })).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: 'This app needs ownerLimits() in its `use`.',
    });
  });

  it('has limits from a lookup, and an error in the lookup is reported as an error of the app', async () => {
    const plan = createLimitedOwner(
      {},
      { config: { use: [ownerLimits(async ({ tenant }) => ({ perDay: { turns: tenant ? 1 : 9 } }))] } },
    );
    expect(await plan.report()).toMatchObject({ limits: [{ limit: 'turns', most: 1 }] });
    const wrong = createLimitedOwner({ running: -1 });
    const refused = await wrong.send('a', ['No.']);
    expect(refused.status).toBe(500);
    expect(await readJson(refused)).toMatchObject({
      type: 'urn:holdfast:problem:misconfigured',
      detail: 'ownerLimits: running is -1. Use a positive whole number.',
    });
  });

  it.each([
    [{ perDay: { turns: 0 } }, 'perDay.turns is 0. Use a positive whole number'],
    [{ perDay: { tokens: 1.5 } }, 'perDay.tokens is 1.5. Use a positive whole number'],
    [{ perDay: { cost: Number.NaN } }, 'perDay.cost is NaN. Use a positive number of USD'],
    [{ openSessions: Infinity }, 'openSessions is Infinity. Use a positive whole number'],
    [{ allowance: { tokens: 5 } }, 'allowance.tokens requires perDay.tokens'],
    [{ perHour: { turns: 1 } }, 'perHour: is not known here'],
    [{ perDay: { calls: 1 } }, 'calls: is not known here'],
  ])('cannot have the limits %j', (limits, problem) => {
    // As untyped code can pass them.
    expect(() => ownerLimits(limits as OwnerPlan)).toThrow(`ownerLimits: ${problem}.`);
  });

  it('needs its Durable Object binding, and the problem explains how to add it', async () => {
    const shop = createLimitedOwner({}, { vars: { OWNER_LIMITS: undefined } });
    const refused = await shop.send('a', ['No.']);
    expect(refused.status).toBe(500);
    expect((await readJson(refused)).detail).toContain('class_name = "OwnerLimits"');
    expect(OwnerLimits.name).toBe('OwnerLimits');
  });

  it('is refused by the OpenAI surface in the OpenAI format', async () => {
    const shop = createLimitedOwner({ perDay: { turns: 1 } }, { config: { use: [limitsOfTests, openAi()] } });
    await shop.send('a', ['Hi.']);
    const refused = await shop.via('/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'limited', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe(String(12 * 3_600));
    expect(await readJson(refused)).toMatchObject({
      error: { type: 'rate_limit_error', code: 'owner_limit' },
    });
  });
});
