import { ConfigurationError } from '../../model/configuration-error.ts';
import { SESSION_ID, SESSION_ID_RULE } from '../../session/read-secrets.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import type { JsonObject } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import { ownerProblem } from '../../tool/owner.ts';
import { ended, nameIn } from '../../tool/shown.ts';
import { ToolCallContext, ToolCallContextError } from '../../tool/tool-call-context.ts';
import { APP } from '../../worker/app-seam.ts';
import { SCHEDULED } from './run-schedules.ts';
import { SCHEDULE, type ScheduleConfig, sameCron } from './schedule.ts';

/**
 * Declares a turn that starts by the clock, for `createHoldfast({ use })`. It starts once for each time of its cron
 * expression, and waits in line while the session is busy. A time is missed when the platform does not deliver it.
 *
 * @throws ConfigurationError when it could never start a turn. `createHoldfast` throws it if the app does not have the agent, or nobody
 *   says whose the session is.
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
  if (fault) throw new ConfigurationError(`Schedule '${nameIn(config)}': it ${ended(fault.problem)}`);
  const { name, cron, owner, session, message, context = {} } = config;
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name)) {
    const said = JSON.stringify(name)?.slice(0, 80);
    throw new ConfigurationError(
      `A schedule cannot be called ${said}: its name is 1 to 64 of the characters A-Z a-z 0-9 _ . -`,
    );
  }
  const refuse = (problem: string): never => {
    throw new ConfigurationError(`Schedule '${name}': ${problem}`);
  };
  if (!isCron(cron)) refuse(`'${String(cron).slice(0, 80)}' is no cron expression of five fields.`);
  const problem = owner === undefined ? undefined : ownerProblem(owner);
  if (problem !== undefined) refuse(`its owner ${problem}.`);
  if (typeof session !== 'function' && !SESSION_ID.test(session)) {
    refuse(`its session must be ${SESSION_ID_RULE}`);
  }
  if (typeof message !== 'function' && !isText(message)) refuse('its message is blank.');
  checkContext(context, refuse);
  const use = useOf(SCHEDULES, name);
  SCHEDULE.give(use, { ...config, cron: sameCron(cron) });
  APP.give(use, SCHEDULED);
  return use;
}

const SCHEDULES = createModule({ name: 'schedules' });

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
  /^([\d*,/#?LW-]|[A-Z]{3})+( ([\d*,/#?LW-]|[A-Z]{3})+){4}$/i.test(sameCron(cron));

function checkContext(context: JsonObject, refuse: (problem: string) => never): void {
  try {
    ToolCallContext.of(context);
  } catch (failure) {
    if (!(failure instanceof ToolCallContextError)) throw failure;
    refuse(`the value of '${failure.key.slice(0, 80)}' in its context is not JSON.`);
  }
}
