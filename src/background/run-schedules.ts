import type { Env, Here, Host } from '../app/host.ts';
import { startInBackground, toBackgroundTurn } from '../app/start-in-background.ts';
import { type Schedule, sameCron } from './define-schedule.ts';

/** What is used of a cron event. */
export interface CronTime {
  readonly cron: string;
  /** Milliseconds since the epoch. */
  readonly scheduledTime: number;
}

/**
 * Stores a turn for every schedule of this cron expression; the turns run in the background. One that fails keeps none of
 * the others from starting.
 *
 * @throws Error at the end that names those which failed, so that the platform shows the event as failed.
 */
export async function runSchedules(
  host: Host,
  env: Env,
  { time, schedules }: { readonly time: CronTime; readonly schedules: readonly Schedule[] },
): Promise<void> {
  const cron = sameCron(time.cron);
  const failed: string[] = [];
  for (const schedule of schedules.filter((one) => one.cron === cron)) {
    try {
      await start({ host, env }, schedule, time);
    } catch (failure) {
      console.error(`holdfast: schedule '${schedule.name}' could not start a turn`, failure);
      failed.push(`'${schedule.name}'`);
    }
  }
  if (failed.length > 0) throw new Error(`Schedules that could not start a turn: ${failed.join(', ')}.`);
}

/** Stores the turn of one time. The same time again finds the same turn, also when its message would be another now. */
async function start(here: Here, schedule: Schedule, { scheduledTime }: CronTime): Promise<void> {
  const { name, agent, owner, context = {} } = schedule;
  const at = new Date(scheduledTime);
  const session = typeof schedule.session === 'function' ? schedule.session(at) : schedule.session;
  const message = typeof schedule.message === 'function' ? await schedule.message(at) : schedule.message;
  const turn = toBackgroundTurn(here, {
    by: `schedule:${name}`,
    key: `cron ${name} ${scheduledTime}`,
    whenBusy: 'queue',
    ...{ agent, owner, session, message, context },
  });
  const taken = await startInBackground(turn);
  if (taken.status === 'full')
    throw new Error(`${taken.most} messages wait in its session, and no more may.`);
}
