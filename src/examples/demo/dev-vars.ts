import { constants, copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Matches a setting in the syntax of `wrangler dev`: its name at the start of a line, optionally after
 * `export`.
 */
const AUTH_SETTING = /^[ \t]*(?:export[ \t]+)?HOLDFAST_(?:AUTH|TOKEN)[ \t]*[=:]/m;

/**
 * Copies `.dev.vars.example` to `.dev.vars` in a folder if `.dev.vars` is missing. Never changes an existing
 * one.
 *
 * @returns a message if the file was written, or if it does not configure authentication. Otherwise
 * `undefined`.
 */
export function ensureDevVars(folder: string): string | undefined {
  const file = join(folder, '.dev.vars');
  if (!existsSync(file)) {
    copyFileSync(join(folder, '.dev.vars.example'), file, constants.COPYFILE_EXCL);
    return 'Wrote .dev.vars: HOLDFAST_AUTH=localhost lets this machine in without a token.';
  }
  if (AUTH_SETTING.test(readFileSync(file, 'utf8'))) return undefined;
  return (
    '.dev.vars has neither HOLDFAST_AUTH nor HOLDFAST_TOKEN, so the Worker returns 401. ' +
    'To let this machine in without a token, add the line HOLDFAST_AUTH=localhost.'
  );
}
