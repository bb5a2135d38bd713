/** The entry `holdfast/app`: rarely needed options of an app, as modules. */

import { ConfigurationError } from '../../model/configuration-error.ts';
import type { SessionPlace } from '../../session/read-platform.ts';
import type { LogOption } from '../../tool/log.ts';
import { createModule, createUse, type ModuleUse } from '../../tool/module-use.ts';
import { describeValue } from '../../tool/shown.ts';
import { APP, type AppParts } from '../../worker/app-seam.ts';
import { createRetentionWrapper } from '../../worker/keeping.ts';

const LOG = /* @__PURE__ */ createModule({ name: 'log' });
const PLACE = /* @__PURE__ */ createModule({ name: 'place' });
const RETENTION = /* @__PURE__ */ createModule({ name: 'retention' });

/**
 * Sends the lines of the app's log to a function instead of the console: errors of tools, models and turns,
 * refused webhooks, and one line for each turn that ends. `false` drops the lines. A turn's secrets are
 * removed from its lines. If the function throws, the line is dropped.
 *
 * @throws ConfigurationError if `log` is neither a function nor `false`.
 *
 * @example
 * ```ts
 * const use = [logTo((line) => console.log(JSON.stringify(line)))];
 * ```
 */
export function logTo(log: LogOption): ModuleUse {
  if (log !== false && typeof log !== 'function')
    throw new ConfigurationError(
      `logTo received ${describeValue(log)}. Use a function that takes a line, or false.`,
    );
  return withAppParts(createUse(LOG), { log });
}

/**
 * Sets the location of the sessions' Durable Objects. Each append makes a round trip to that location.
 *
 * @example
 * ```ts
 * const use = [placeSessions({ jurisdiction: 'eu' })];
 * ```
 */
export const placeSessions = (location: SessionPlace): ModuleUse =>
  withAppParts(createUse(PLACE), { location });

/**
 * The time for which sessions and files are kept. `days` counts from a session's last event, and `fileDays`
 * from when a file was last sent or returned. Fractions are allowed. `days` defaults to forever, and
 * `fileDays` to the life of the session. A session is kept while it has an open turn, including one that
 * waits for an answer, or while messages are queued or scheduled. Then the whole session is erased, including
 * the records that recognize repeated requests. A file is kept while a turn runs.
 */
export type Retention =
  | 'forever'
  | { readonly days: number; readonly fileDays?: number | undefined }
  | { readonly days?: undefined; readonly fileDays: number };

/**
 * Erases sessions and their files after a time. In the `use` of an agent, it applies to the agent's sessions.
 * In the `use` of the app, it applies to all other agents. Without it, sessions are kept forever.
 *
 * @throws ConfigurationError if the retention is not a valid time.
 *
 * @example
 * ```ts
 * const use = [retain({ days: 90, fileDays: 7 })];
 * ```
 */
export function retain(retention: Retention): ModuleUse {
  checkRetention(retention);
  const { days, fileDays } = retention === 'forever' ? {} : retention;
  // An agent's retention is added to the app's uses, and equal retentions count once.
  const key = `${days} ${fileDays}`;
  const known = RETENTIONS.get(key);
  if (known) return known;
  const use = withAppParts(createUse(RETENTION, key), {
    keeps: { retainMs: toMs(days), blobRetainMs: toMs(fileDays) },
    keeping: createRetentionWrapper,
  });
  RETENTIONS.set(key, use);
  return use;
}

const RETENTIONS = /* @__PURE__ */ new Map<string, ModuleUse>();

function withAppParts(use: ModuleUse, parts: AppParts): ModuleUse {
  APP.give(use, parts);
  return use;
}

const DAY_MS = 24 * 60 * 60_000;
const MAX_DAYS = 36_525;

const toMs = (days: number | undefined): number | undefined =>
  days === undefined ? undefined : Math.ceil(days * DAY_MS);

function checkRetention(retention: Retention): void {
  if (retention === 'forever') return;
  // Callers without types can pass any value.
  const { days, fileDays, ...others }: { readonly days?: unknown; readonly fileDays?: unknown } =
    Object(retention);
  const given: readonly unknown[] = [days, fileDays].filter((one) => one !== undefined);
  const isTime = (one: unknown): boolean => typeof one === 'number' && one > 0 && one <= MAX_DAYS;
  if (given.length > 0 && given.every(isTime) && Object.keys(others).length === 0) return;
  const value = (JSON.stringify(retention) ?? String(retention)).slice(0, 80);
  const use = `'forever', or { days }, { fileDays } or both, with more than 0 and at most ${MAX_DAYS}`;
  throw new ConfigurationError(`The retention is ${value}. Use ${use}.`);
}
