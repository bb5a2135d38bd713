import { fullText } from '../../session/turn-end.ts';
import type { AppParts, CronTime, InvokedApp } from '../../worker/app-seam.ts';
import { startInBackground, toBackgroundTurn } from '../../worker/background.ts';
import { checkStarters } from '../../worker/check-starters.ts';
import { queueFullText } from '../../worker/refusal.ts';
import type { HttpHost } from '../../worker/route.ts';
import { SCHEDULE, type ScheduleConfig, sameCron } from './schedule.ts';

/** What all schedules together bring to an app. */
export const SCHEDULED: AppParts = {
  routes({ host }) {
    checkStarters(host, 'schedule', schedulesOf(host));
    return [];
  },
  scheduled: (app, time) => runSchedules(app, time),
};

const schedulesOf = ({ modules }: Pick<HttpHost, 'modules'>): readonly ScheduleConfig[] =>
  modules.uses.flatMap((use) => SCHEDULE.of(use) ?? []);

/**
 * Stores a turn for every schedule of this cron expression; the turns run in the background. One that fails keeps none of
 * the others from starting.
 *
 * @throws Error at the end that names those which failed, so that the platform shows the event as failed.
 */
async function runSchedules({ host, env }: InvokedApp, time: CronTime): Promise<void> {
  const schedules = schedulesOf(host);
  const cron = sameCron(time.cron);
  const taking = schedules.filter((one) => one.cron === cron);
  if (taking.length === 0)
    host.log({ level: 'error', event: 'cron-not-taken', message: notTaken(cron, schedules) });
  const failed: string[] = [];
  for (const schedule of taking) {
    try {
      await start({ host, env }, schedule, time);
    } catch (failure) {
      const message = `schedule '${schedule.name}' could not start a turn`;
      host.log({ level: 'error', event: 'schedule-failed', message, thrown: failure });
      failed.push(`'${schedule.name}'`);
    }
  }
  if (failed.length > 0) throw new Error(`Schedules that could not start a turn: ${failed.join(', ')}.`);
}

/** What wrangler.toml says and the code does not: most often one of the two was changed alone. */
function notTaken(cron: string, schedules: readonly ScheduleConfig[]): string {
  const known = schedules.map((one) => `'${one.name}' has ${one.cron}`).join(', ') || 'it has none';
  const none = `no schedule of createHoldfast has it (${known}).`;
  if (cron !== '')
    return `nothing starts at the cron ${cron}: ${none} It is one of the crons of wrangler.toml.`;
  // Whoever fires one locally is told by wrangler to ask for no cron.
  const [first] = schedules;
  const asked = `http://localhost:8787/cdn-cgi/handler/scheduled?cron=${first?.cron.replaceAll(' ', '+') ?? '...'}`;
  return `nothing starts without a cron: ${none} By hand it is fired as \`curl "${asked}"\`.`;
}

/** Stores the turn of one time. The same time again finds the same turn, also when its message would be another now. */
async function start(here: InvokedApp, schedule: ScheduleConfig, { scheduledTime }: CronTime): Promise<void> {
  const { name, agent, owner = here.host.auth.owner?.(here.env), context = {} } = schedule;
  if (owner === undefined) throw new Error('It has no owner, and `auth` names none.');
  const at = new Date(scheduledTime);
  const session = typeof schedule.session === 'function' ? schedule.session(at) : schedule.session;
  const message = typeof schedule.message === 'function' ? await schedule.message(at) : schedule.message;
  const turn = await toBackgroundTurn(here, {
    by: `schedule:${name}`,
    key: `cron ${name} ${scheduledTime}`,
    whenBusy: 'queue',
    ...{ agent, owner, session, message, context },
  });
  const taken = await startInBackground(turn);
  if (taken.status === 'full') throw new Error(queueFullText(taken));
  if (taken.status === 'session-full') throw new Error(fullText(taken));
}
