/**
 * The entry `holdfast/schedules`: turns that start on a cron schedule, and messages that calls send later.
 */
import { ConfigurationError } from '../../model/configuration-error.ts';
import { SESSION_ID, SESSION_ID_RULE } from '../../session/read-secrets.ts';
import { formatSessionFull } from '../../session/turn-end.ts';
import type { Owner } from '../../tool/call-origin.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import type { JsonObject } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, createUse, defineSeam, type ModuleUse } from '../../tool/module-use.ts';
import { findOwnerProblem } from '../../tool/owner.ts';
import { readName, withFullStop } from '../../tool/shown.ts';
import { ToolCallContext, ToolCallContextError } from '../../tool/tool-call-context.ts';
import { APP, type AppParts, type CronTime, type InvokedApp } from '../../worker/app-seam.ts';
import { startInBackground, toBackgroundTurn } from '../../worker/background.ts';
import { checkStarters } from '../../worker/check-routes.ts';
import { formatQueueFull } from '../../worker/refusal.ts';
import type { HttpHost } from '../../worker/route.ts';

export { type LaterMessage, scheduleMessage, sendLater } from './send-later.ts';

/** The options of `defineSchedule`. */
export interface ScheduleConfig {
  /**
   * The name of the schedule: letters, digits, `_`, `.` and `-`, at most 64. It is part of the key that
   * prevents one scheduled time from starting two turns.
   */
  readonly name: string;
  /**
   * A cron expression in UTC with five fields. It must equal one of the `crons` under `[triggers]` in
   * wrangler.toml, which the Worker cannot read.
   */
  readonly cron: string;
  /** The name of the agent. */
  readonly agent: string;
  /**
   * The owner of the session: `{ tenant }` for all callers of a tenant, or `{ id }` for one caller. Defaults
   * to the owner of the built-in authentication. Required if the app's own `auth` names no owner.
   */
  readonly owner?: Owner | undefined;
  /**
   * One session id for all times, or a function that returns the id for a time, such as
   * `(at) => at.toISOString().slice(0, 10)` for a session a day.
   */
  readonly session: string | ((at: Date) => string);
  readonly message: string | ((at: Date) => string | Promise<string>);
  /** The tool-call context of the turn. */
  readonly context?: JsonObject | undefined;
}

const SCHEDULE_SEAM = defineSeam<ScheduleConfig>();

/** Removes extra spaces, which the platform can change from those in wrangler.toml. */
const normalizeCron = (cron: string): string => cron.trim().replaceAll(/\s+/g, ' ');

/**
 * Declares a turn that starts on a cron schedule, for `createHoldfast({ use })`. It starts once for each
 * scheduled time, and is queued while the session is busy. A time is missed if the platform does not deliver
 * its event.
 *
 * @throws ConfigurationError if the schedule could never start a turn. `createHoldfast` throws it if the app
 * does not have the agent, or if the session has no owner.
 *
 * @example
 * ```ts
 * const daily = defineSchedule({
 *   name: 'daily',
 *   cron: '0 6 * * *', // as under [triggers] in wrangler.toml
 *   agent: 'clerk',
 *   session: (at) => at.toISOString().slice(0, 10),
 *   message: 'Write the report.',
 * });
 * ```
 */
export function defineSchedule(config: ScheduleConfig): ModuleUse {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new ConfigurationError(`Schedule '${readName(config)}' ${withFullStop(fault.problem)}`);
  const { name, cron, owner, session, message, context = {} } = config;
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name)) {
    const said = JSON.stringify(name)?.slice(0, 80);
    throw new ConfigurationError(
      `${said} is not a valid name for a schedule. Use 1 to 64 of the characters A-Z a-z 0-9 _ . -`,
    );
  }
  const refuse = (problem: string): never => {
    throw new ConfigurationError(`Schedule '${name}': ${problem}`);
  };
  if (!isCron(cron)) refuse(`'${String(cron).slice(0, 80)}' is not a cron expression of five fields.`);
  const beyond = literals && findOutOfRange(cron);
  if (beyond) refuse(beyond);
  const problem = owner === undefined ? undefined : findOwnerProblem(owner);
  if (problem !== undefined) refuse(`its owner ${problem}.`);
  if (typeof session !== 'function' && !SESSION_ID.test(session)) {
    refuse(`its session must be ${SESSION_ID_RULE}`);
  }
  if (typeof message !== 'function' && !isText(message)) refuse('its message is blank.');
  checkContext(context, refuse);
  const use = createUse(SCHEDULES_MODULE, name);
  SCHEDULE_SEAM.give(use, { ...config, cron: normalizeCron(cron) });
  APP.give(use, SCHEDULE_PARTS);
  return use;
}

const SCHEDULES_MODULE = createModule({ name: 'schedules' });

const SHAPE = {
  of: 'defineSchedule',
  keys: {
    name: 'any',
    cron: 'any',
    agent: 'text',
    owner: 'any',
    session: 'any',
    message: 'any',
    context: 'any',
  },
  required: ['agent'],
  foreign: { schedule: 'cron', prompt: 'message' },
} satisfies LiteralShape<keyof ScheduleConfig>;

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

const isCron = (cron: unknown): boolean =>
  typeof cron === 'string' &&
  /^([\d*,/#?LW-]|[A-Z]{3})+( ([\d*,/#?LW-]|[A-Z]{3})+){4}$/i.test(normalizeCron(cron));

const CRON_FIELDS = [
  ['minutes', 59],
  ['hours', 23],
  ['days', 31],
  ['months', 12],
  ['weekdays', 7],
] as const;

/** Returns the first number of an expression that is out of range for its field, or `undefined`. */
function findOutOfRange(cron: string): string | undefined {
  const fields = normalizeCron(cron).split(' ');
  for (const [at, [name, most]] of CRON_FIELDS.entries()) {
    const beyond = fields[at]?.match(/\d+/g)?.find((one) => Number(one) > most);
    if (beyond !== undefined) return `'${cron}' has ${beyond} among its ${name}, which end at ${most}.`;
  }
  return undefined;
}

function checkContext(context: JsonObject, refuse: (problem: string) => never): void {
  try {
    ToolCallContext.of(context);
  } catch (failure) {
    if (!(failure instanceof ToolCallContextError)) throw failure;
    refuse(`the value of '${failure.key.slice(0, 80)}' in its context is not JSON.`);
  }
}

/** The parts that all schedules together add to an app. */
const SCHEDULE_PARTS: AppParts = {
  routes({ host }) {
    checkStarters(host, 'schedule', listSchedules(host));
    return [];
  },
  scheduled: (app, time) => runSchedules(app, time),
};

const listSchedules = ({ modules }: Pick<HttpHost, 'modules'>): readonly ScheduleConfig[] =>
  modules.uses.flatMap((use) => SCHEDULE_SEAM.of(use) ?? []);

/**
 * Stores a turn for each schedule with this cron expression. The turns run in the background. A schedule that
 * fails does not stop the others.
 *
 * @throws Error at the end that names the failed schedules, so that the platform shows the event as failed.
 */
async function runSchedules({ host, env }: InvokedApp, time: CronTime): Promise<void> {
  const schedules = listSchedules(host);
  const cron = normalizeCron(time.cron);
  const taking = schedules.filter((one) => one.cron === cron);
  if (taking.length === 0)
    host.log({ level: 'error', event: 'cron-not-taken', message: describeMismatch(cron, schedules) });
  const failed: string[] = [];
  for (const schedule of taking) {
    try {
      await startScheduledTurn({ host, env }, schedule, time);
    } catch (failure) {
      const message = `schedule '${schedule.name}' could not start a turn`;
      host.log({ level: 'error', event: 'schedule-failed', message, thrown: failure });
      failed.push(`'${schedule.name}'`);
    }
  }
  if (failed.length > 0) throw new Error(`These schedules could not start a turn: ${failed.join(', ')}.`);
}

/** Explains a mismatch between wrangler.toml and the code, since often only one of them was changed. */
function describeMismatch(cron: string, schedules: readonly ScheduleConfig[]): string {
  const known = schedules.map((one) => `'${one.name}' has ${one.cron}`).join(', ') || 'it has no schedules';
  const none = `no schedule of createHoldfast has this cron (${known}).`;
  if (cron !== '') return `no turn starts at the cron ${cron} of wrangler.toml: ${none}`;
  // The request that wrangler suggests for local runs contains no cron expression.
  const [first] = schedules;
  const asked = `http://localhost:8787/cdn-cgi/handler/scheduled?cron=${first?.cron.replaceAll(' ', '+') ?? '...'}`;
  return `no turn starts without a cron: ${none} To start one by hand, run \`curl "${asked}"\`.`;
}

/**
 * Stores the turn of one scheduled time. The same time always has the same turn, even if its message would
 * now differ.
 */
async function startScheduledTurn(
  here: InvokedApp,
  schedule: ScheduleConfig,
  { scheduledTime }: CronTime,
): Promise<void> {
  const { name, agent, owner = here.host.auth.owner?.(here.env), context = {} } = schedule;
  if (owner === undefined)
    throw new Error('Neither the schedule nor `auth` has an owner. Set the `owner` of the schedule.');
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
  if (taken.status === 'full') throw new Error(formatQueueFull(taken));
  if (taken.status === 'session-full') throw new Error(formatSessionFull(taken));
}
