import { constants, copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** As `wrangler dev` reads it: a name at the start of a line, after `export` or not. */
const SAYS_WHO = /^[ \t]*(?:export[ \t]+)?HOLDFAST_(?:AUTH|TOKEN)[ \t]*[=:]/m;

/**
 * Copies `.dev.vars.example` of a folder to `.dev.vars` if that is missing. A `.dev.vars` that is there is never changed.
 *
 * @returns what to print: that the file was written, or that it says nothing about who may come in. Otherwise `undefined`.
 */
export function ensureDevVars(folder: string): string | undefined {
  const file = join(folder, '.dev.vars');
  if (!existsSync(file)) {
    copyFileSync(join(folder, '.dev.vars.example'), file, constants.COPYFILE_EXCL);
    return 'Wrote .dev.vars: HOLDFAST_AUTH=localhost lets this machine in without a token.';
  }
  if (SAYS_WHO.test(readFileSync(file, 'utf8'))) return undefined;
  return (
    '.dev.vars has neither HOLDFAST_AUTH nor HOLDFAST_TOKEN, so the Worker answers 401. ' +
    'To let this machine in without a token, add the line HOLDFAST_AUTH=localhost.'
  );
}
