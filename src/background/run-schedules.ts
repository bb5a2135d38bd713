import type { Env } from '../http/host.ts';
import type { Invoked } from '../http/invoked.ts';
import { targetOf } from '../http/target.ts';
import { toTurnStart } from '../session/start-turn.ts';
import { ToolCallContext } from '../tools/tool-call-context.ts';
import { type Schedule, sameCron } from './define-schedule.ts';

/** What is used of a cron event. */
export interface CronTime {
  readonly cron: string;
  /** Milliseconds since the epoch. */
  readonly scheduledTime: number;
}

/** How long a time is known that came before, in ms: the platform may deliver it more than once. */
const TIME_TTL = 7 * 24 * 60 * 60_000;

/**
 * Stores a turn for every schedule of this cron expression; the turns run in the background. One that fails keeps none of
 * the others from starting.
 *
 * @throws Error at the end that names those which failed, so that the platform shows the event as failed.
 */
export async function runSchedules(
  host: Invoked,
  env: Env,
  { time, schedules }: { readonly time: CronTime; readonly schedules: readonly Schedule[] },
): Promise<void> {
  const cron = sameCron(time.cron);
  const failed: string[] = [];
  for (const schedule of schedules.filter((one) => one.cron === cron)) {
    try {
      await start(host, env, { schedule, time });
    } catch (failure) {
      console.error(`holdfast: schedule '${schedule.name}' could not start a turn`, failure);
      failed.push(`'${schedule.name}'`);
    }
  }
  if (failed.length > 0) throw new Error(`Schedules that could not start a turn: ${failed.join(', ')}.`);
}

/** Stores the turn of one time. The same time again finds the same turn, also when its message would be another now. */
async function start(
  host: Invoked,
  env: Env,
  { schedule, time }: { readonly schedule: Schedule; readonly time: CronTime },
): Promise<void> {
  const { name, agent, owner, context = {} } = schedule;
  const at = new Date(time.scheduledTime);
  const session = typeof schedule.session === 'function' ? schedule.session(at) : schedule.session;
  const message = typeof schedule.message === 'function' ? await schedule.message(at) : schedule.message;
  if (typeof message !== 'string' || message.trim() === '') throw new Error('Its message is blank.');
  const from = { id: `schedule:${name}`, tenant: owner };
  const { port } = targetOf(host, env, from, { agent, session });
  const key = `cron ${name} ${time.scheduledTime}`;
  const request = { key, bodyHash: key, ttl: TIME_TTL };
  const turn = toTurnStart(
    { agent, message, context: ToolCallContext.of(context), from, request },
    host.newId,
  );
  const { status } = await port.accept({ ...turn, whenBusy: 'queue' });
  if (!TAKEN.includes(status)) throw new Error(`The session took no message: it is ${status}.`);
}

const TAKEN: readonly string[] = ['accepted', 'queued', 'known'];
