import { constants, copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The syntax of `wrangler dev`: a name at the start of a line, optionally after `export`. */
const SAYS_WHO = /^[ \t]*(?:export[ \t]+)?HOLDFAST_(?:AUTH|TOKEN)[ \t]*[=:]/m;

/**
 * Copies `.dev.vars.example` of a folder to `.dev.vars` if that is missing. Never changes an existing
 * `.dev.vars`.
 *
 * @returns a message that the file was written, or that it configures no authentication. Otherwise
 * `undefined`.
 */
export function ensureDevVars(folder: string): string | undefined {
  const file = join(folder, '.dev.vars');
  if (!existsSync(file)) {
    copyFileSync(join(folder, '.dev.vars.example'), file, constants.COPYFILE_EXCL);
    return 'Wrote .dev.vars: HOLDFAST_AUTH=localhost lets this machine in without a token.';
  }
  if (SAYS_WHO.test(readFileSync(file, 'utf8'))) return undefined;
  return (
    '.dev.vars has neither HOLDFAST_AUTH nor HOLDFAST_TOKEN, so the Worker returns 401. ' +
    'To let this machine in without a token, add the line HOLDFAST_AUTH=localhost.'
  );
}
