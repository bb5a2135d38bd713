/** The entry `holdfast/app`: what few apps change, as uses of an app. */

import { ConfigurationError } from '../../model/configuration-error.ts';
import type { SessionPlace } from '../../session/read-platform.ts';
import type { LogOption } from '../../tool/log.ts';
import { createModule, type ModuleUse, useOf } from '../../tool/module-use.ts';
import { shown } from '../../tool/shown.ts';
import { APP, type AppParts } from '../../worker/app-seam.ts';
import { keepSessions } from '../../worker/keeping.ts';

const LOG = /* @__PURE__ */ createModule({ name: 'log' });
const PLACE = /* @__PURE__ */ createModule({ name: 'place' });
const RETENTION = /* @__PURE__ */ createModule({ name: 'retention' });

/**
 * Sends the lines of the app's log to a function, in place of the console: what tools threw, failed turns and models, refused webhooks, and
 * one line for each turn that has ended. `false` drops them. The secrets of a turn are taken out of its lines. If the function throws, the
 * line is lost.
 *
 * @throws ConfigurationError if it is given neither.
 */
export function logTo(log: LogOption): ModuleUse {
  if (log !== false && typeof log !== 'function')
    throw new ConfigurationError(`logTo is given ${shown(log)}: use a function of each line, or false.`);
  return appUse(useOf(LOG), { log });
}

/** Places the objects of sessions. Every append pays the way there. */
export const placeSessions = (location: SessionPlace): ModuleUse => appUse(useOf(PLACE), { location });

/**
 * How long a session is kept after its last event, `days`, and how long each of its files is kept after it came, `fileDays`.
 * Both default to the life of the session, which is endless; parts of days count. A session with an open turn, also one that
 * waits for an answer, or with messages that wait or are planned, is kept. Then all of it is erased, and with it what
 * would recognize an old request. A file is kept until no turn runs.
 */
export type Retention =
  | 'forever'
  | { readonly days: number; readonly fileDays?: number | undefined }
  | { readonly days?: undefined; readonly fileDays: number };

/**
 * Keeps sessions and their files for a time: those of the agent that has it in its `use`, or, in the `use` of the app, those of all other
 * agents. Without it they are kept forever.
 *
 * @throws ConfigurationError if the retention is no time.
 */
export function retain(retention: Retention): ModuleUse {
  checkRetention(retention);
  const { days, fileDays } = retention === 'forever' ? {} : retention;
  // An agent's holds beside the app's, and two alike are one.
  const key = `${days} ${fileDays}`;
  const known = RETENTIONS.get(key);
  if (known) return known;
  const use = appUse(useOf(RETENTION, key), {
    keeps: { retainMs: toMs(days), blobRetainMs: toMs(fileDays) },
    keeping: keepSessions,
  });
  RETENTIONS.set(key, use);
  return use;
}

const RETENTIONS = /* @__PURE__ */ new Map<string, ModuleUse>();

function appUse(use: ModuleUse, parts: AppParts): ModuleUse {
  APP.give(use, parts);
  return use;
}

const DAY = 24 * 60 * 60_000;
const HUNDRED_YEARS = 36_525;

const toMs = (days: number | undefined): number | undefined =>
  days === undefined ? undefined : Math.ceil(days * DAY);

function checkRetention(retention: Retention): void {
  if (retention === 'forever') return;
  // Callers without types may give anything.
  const { days, fileDays, ...others }: { readonly days?: unknown; readonly fileDays?: unknown } =
    Object(retention);
  const given: readonly unknown[] = [days, fileDays].filter((one) => one !== undefined);
  const isTime = (one: unknown): boolean => typeof one === 'number' && one > 0 && one <= HUNDRED_YEARS;
  if (given.length > 0 && given.every(isTime) && Object.keys(others).length === 0) return;
  const value = (JSON.stringify(retention) ?? String(retention)).slice(0, 80);
  const use = `'forever', or { days }, { fileDays } or both, with more than 0 and at most ${HUNDRED_YEARS}`;
  throw new ConfigurationError(`The retention is ${value}: use ${use}.`);
}
