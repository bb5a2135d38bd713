import type { DueOutcome, DueRow } from '../journal/agenda.ts';
import { namesOfSession } from '../session/read-secrets.ts';
import { defineSeam } from '../tool/module-use.ts';
import type { Host, HostedApp } from './host.ts';

/** What a module receives of the app with a row that is due. */
export interface DueApp extends Pick<HostedApp, 'env'> {
  readonly host: Pick<Host, 'session' | 'clock' | 'log' | 'basePath' | 'answers'>;
}

/**
 * Does the work of one row that the same use has put on the agenda of a session, at least once: a row whose outcome was lost comes
 * again. It has 30 seconds after the object that asks has gone. If it rejects, the row is offered again after a minute, then after
 * pauses that double up to an hour.
 */
export type DoWork = (row: DueRow, app: DueApp) => Promise<Exclude<DueOutcome, 'unknown'>>;

/** The seam `due`. */
export const DUE = defineSeam<DoWork>();

/** The app, as this file has it. */
interface OfferedApp extends DueApp {
  readonly host: DueApp['host'] & { readonly modules: Pick<Host['modules'], 'uses'> };
}

/**
 * Gives a row to the use that has written it. Without that use the row stays, and another version of the app may do the work.
 * Rejects with what the module throws.
 */
export async function doDue(app: OfferedApp, row: DueRow): Promise<DueOutcome> {
  const { modules, log } = app.host;
  const use = modules.uses.find(({ module, key }) => module.name === row.module && key === row.key);
  const work = use && DUE.of(use);
  if (work) return work(row, app);
  log({
    level: 'warn',
    event: 'module-missing',
    message: `work of module '${row.module}' (key '${row.key}') is not done: this deployment does not use it`,
    ...namesOfSession(row.name),
  });
  return 'unknown';
}
