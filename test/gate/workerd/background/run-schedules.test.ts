import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHoldfast } from '../../../../src/create-holdfast.ts';
import type { ModuleUse } from '../../../../src/index.ts';
import { defineSchedule, type ScheduleConfig } from '../../../../src/modules/schedules/entry.ts';
import { APP, createModule, createUse } from '../../../doors/openapi.ts';
import { scripted } from '../../../fixtures/scripted-agent.ts';
import { createHeldReply, registerScript } from '../../../fixtures/scripts.ts';
import { createTestApp, wrapObjects } from '../http/app.ts';
import { post, readJournal, readJson, type Send } from '../http/client.ts';

const TIME = Date.parse('2027-01-31T06:00:00Z');
const CRON = '0 6 * * *';

const ownedApp: Send = createTestApp({ auth: () => ({ id: 'anybody', tenant: 'acme' }) });

/** A schedule with its own session. */
function createDailySchedule(
  message: string,
  more: Partial<ScheduleConfig> = {},
): { schedule: ModuleUse; session: string } {
  const id = `daily-${crypto.randomUUID()}`;
  const base = {
    name: 'daily',
    cron: CRON,
    agent: 'scripted',
    owner: { tenant: 'acme' },
    session: id,
    message,
  };
  return { schedule: defineSchedule({ ...base, ...more }), session: `/agents/scripted/sessions/${id}` };
}

/** The platform's event for these schedules. */
async function tick(
  use: readonly ModuleUse[],
  { cron = CRON, time = TIME, with: bindings = {} } = {},
): Promise<void> {
  const { worker } = createHoldfast({ agents: [scripted], use });
  const controller = { cron, scheduledTime: time, type: 'scheduled', noRetry: () => {} } as const;
  await worker.scheduled(controller, { ...env, ...bindings }, createExecutionContext());
}

const countTurnEnds = async (session: string): Promise<number> =>
  (await readJournal(session, ownedApp)).filter(({ type }) => type === 'turn-ended').length;

const log = vi.spyOn(console, 'error').mockImplementation(() => {});
afterEach(() => log.mockClear());

describe('a schedule', () => {
  it('starts a turn for its owner, with its context', async () => {
    const { schedule, session } = createDailySchedule(registerScript('Good morning.').message('Report.'), {
      context: { locale: 'de' },
    });
    await tick([schedule]);
    await expect.poll(() => countTurnEnds(session)).toBe(1);
    expect((await readJournal(session, ownedApp))[1]).toMatchObject({
      type: 'turn-started',
      message: expect.stringMatching(/^Report\. /),
      context: { locale: 'de' },
      principal: { id: 'schedule:daily', tenant: 'acme' },
    });
    expect((await readJson(await ownedApp(session))).turn).toMatchObject({ text: 'Good morning.' });
  });

  it('starts one turn for a time that is delivered twice, and another turn for the next time', async () => {
    const { schedule, session } = createDailySchedule(registerScript('One.', 'Two.').message());
    await Promise.all([tick([schedule]), tick([schedule])]);
    await expect.poll(() => countTurnEnds(session)).toBe(1);
    await tick([schedule]);
    await tick([schedule], { time: TIME + 86_400_000 });
    await expect.poll(() => countTurnEnds(session)).toBe(2);
    expect((await readJournal(session, ownedApp)).filter(({ type }) => type === 'turn-started')).toHaveLength(
      2,
    );
  });

  it('belongs to the caller of the built-in authentication if it has no owner', async () => {
    const { schedule, session } = createDailySchedule(registerScript('Good morning.').message(), {
      owner: undefined,
    });
    await tick([schedule]);
    await expect
      .poll(async () => (await readJson(await createTestApp({})(session))).turn)
      .toMatchObject({
        text: 'Good morning.',
      });
    expect((await readJournal(session, createTestApp({})))[1]).toMatchObject({
      principal: { id: 'schedule:daily' },
    });
  });

  it('does not start without an owner if the environment admits no callers', async () => {
    const { schedule } = createDailySchedule('Report.', { owner: undefined });
    await expect(tick([schedule], { with: { HOLDFAST_AUTH: '' } })).rejects.toThrow(
      "These schedules could not start a turn: 'daily'.",
    );
    expect(log.mock.calls).toEqual([
      ["holdfast: schedule 'daily' could not start a turn", expect.objectContaining({ name: 'Problem' })],
    ]);
  });

  it('does not start for another cron expression', async () => {
    const { schedule, session } = createDailySchedule('Report.');
    await tick([schedule], { cron: '0 7 * * *' });
    expect((await ownedApp(session)).status).toBe(404);
  });

  it('derives its session and its message from the scheduled time', async () => {
    const id = crypto.randomUUID();
    const { message } = registerScript('Done.');
    const { schedule } = createDailySchedule('', {
      session: (at) => `${id}-${at.toISOString().slice(0, 10)}`,
      message: async (at) => message(`It is ${at.toISOString()}.`),
    });
    await tick([schedule]);
    const session = `/agents/scripted/sessions/${id}-2027-01-31`;
    expect((await readJournal(session, ownedApp))[1]).toMatchObject({
      message: expect.stringMatching(/^It is 2027-01-31T06:00:00.000Z\. /),
    });
  });

  it('waits in the queue while its session is busy', async () => {
    const answer = createHeldReply('First.');
    const { message } = registerScript(answer.reply, 'Second.');
    const { schedule, session } = createDailySchedule(message());
    const first = post(session, { message: message() }, { via: ownedApp });
    await answer.asked();
    await tick([schedule]);
    await tick([schedule]);
    expect(await countTurnEnds(session)).toBe(0);
    answer.release();
    await first;
    await expect.poll(() => countTurnEnds(session)).toBe(2);
    expect((await readJson(await ownedApp(session))).turn).toMatchObject({ text: 'Second.' });
  });

  it('fails if its session has the maximum number of waiting messages', async () => {
    const { schedule } = createDailySchedule('Report.');
    const SESSIONS = wrapObjects(() => ({ accept: async () => ({ status: 'full', most: 100 }) }));
    await expect(tick([schedule], { with: { SESSIONS } })).rejects.toThrow(
      "These schedules could not start a turn: 'daily'.",
    );
    expect(log.mock.calls).toEqual([
      [
        "holdfast: schedule 'daily' could not start a turn",
        new Error('No more messages can wait in this session. The limit is 100 messages or 10000000 bytes.'),
      ],
    ]);
  });

  it('fails if its session is full', async () => {
    const { schedule } = createDailySchedule('Report.');
    const full = { status: 'session-full', most: 7, used: 8 };
    const SESSIONS = wrapObjects(() => ({ accept: async () => full }));
    await expect(tick([schedule], { with: { SESSIONS } })).rejects.toThrow(
      "These schedules could not start a turn: 'daily'.",
    );
    expect(log.mock.calls).toEqual([
      [
        "holdfast: schedule 'daily' could not start a turn",
        new Error(
          'The session is full: it uses 8 bytes, and the limit is 7. Start a new session, or erase this one.',
        ),
      ],
    ]);
  });

  it('logs a cron expression that no schedule has, for example after a partial deploy', async () => {
    const { schedule } = createDailySchedule('Report.');
    await tick([schedule], { cron: '0  7 * * *' });
    await tick([], { cron: '0 7 * * *' });
    await tick([schedule], { cron: '' });
    expect(log.mock.calls).toEqual([
      [
        "holdfast: no turn starts at the cron 0 7 * * * of wrangler.toml: no schedule of createHoldfast has this cron ('daily' has 0 6 * * *).",
      ],
      ['holdfast: no turn starts at the cron 0 7 * * *: no module handles crons.'],
      [
        "holdfast: no turn starts without a cron: no schedule of createHoldfast has this cron ('daily' has 0 6 * * *). To start one by hand, run " +
          '`curl "http://localhost:8787/cdn-cgi/handler/scheduled?cron=0+6+*+*+*"`.',
      ],
    ]);
  });

  it('starts even if another module that handles crons fails, and logs that failure', async () => {
    const other = createUse(createModule({ name: 'other' }));
    const times: string[] = [];
    APP.give(other, {
      scheduled: async (_, { cron }) => {
        times.push(cron);
        throw new Error('no news');
      },
    });
    const { schedule, session } = createDailySchedule(registerScript('Done.').message());
    await expect(tick([other, schedule])).rejects.toThrow('no news');
    expect(times).toEqual([CRON]);
    await expect.poll(() => countTurnEnds(session)).toBe(1);
  });

  it('does not stop the other schedules if it fails, and the event is reported as failed', async () => {
    const failing = createDailySchedule('', {
      name: 'failing',
      message: () => {
        throw new Error('no news');
      },
    });
    const blank = createDailySchedule('', { name: 'blank', message: () => ' ' });
    const astray = createDailySchedule('Report.', { name: 'astray', session: () => 'a/b' });
    const { schedule, session } = createDailySchedule(registerScript('Done.').message());
    await expect(tick([failing.schedule, blank.schedule, astray.schedule, schedule])).rejects.toThrow(
      "These schedules could not start a turn: 'failing', 'blank', 'astray'.",
    );
    await expect.poll(() => countTurnEnds(session)).toBe(1);
    expect(log.mock.calls.map(([text]) => text)).toEqual([
      "holdfast: schedule 'failing' could not start a turn",
      "holdfast: schedule 'blank' could not start a turn",
      "holdfast: schedule 'astray' could not start a turn",
    ]);
  });
});
