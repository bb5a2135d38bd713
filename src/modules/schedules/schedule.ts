import type { JsonObject } from '../../tool/json.ts';
import { defineSeam } from '../../tool/module-use.ts';
import type { Owner } from '../../tool/owner.ts';

/** The literal that `defineSchedule` takes. */
export interface ScheduleConfig {
  /** Letters, digits, `_`, `.` and `-`, at most 64; part of what keeps a time from starting its turn twice. */
  readonly name: string;
  /** When, in UTC: five fields, one of the `crons` of the Worker's `[triggers]`, which cannot be read from here. */
  readonly cron: string;
  /** The name of the agent. */
  readonly agent: string;
  /**
   * Whose the session is: `{ tenant }` for all callers of a tenant, or `{ id }` for one caller. With the built-in authentication
   * that of its callers unless given; with an `auth` of the app's own that names no owner it has to be given.
   */
  readonly owner?: Owner | undefined;
  /** One session for all times, or one of its time: `(at) => at.toISOString().slice(0, 10)`. */
  readonly session: string | ((at: Date) => string);
  readonly message: string | ((at: Date) => string | Promise<string>);
  /** The request's part of the tool-call context. */
  readonly context?: JsonObject | undefined;
}

/** A schedule by its use. */
export const SCHEDULE = defineSeam<ScheduleConfig>();

/** As the platform tells it: it keeps what wrangler.toml says, but for the spaces around and between the fields. */
export const sameCron = (cron: string): string => cron.trim().replaceAll(/\s+/g, ' ');
