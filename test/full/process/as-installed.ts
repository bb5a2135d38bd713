import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const manifest = readFileSync(resolve(import.meta.dirname, '../../../package.json'), 'utf8');
const { exports } = JSON.parse(manifest) as { exports: Record<string, { default: string }> }; // the package.json of this repository

/** Patterns that match relative imports of the package's entries, with the package paths that replace them. */
const ENTRIES = Object.entries(exports).map(([entry, { default: built }]) => {
  const file = built
    .replace('./dist/', '')
    .replace(/\.js$/, '.ts')
    .replace(/^src\//, '');
  const path = file.replaceAll('.', '\\.');
  return [new RegExp(`'[./]+/(src/)?${path}'`, 'g'), `'holdfast${entry.slice(1)}'`] as const;
});

/**
 * Rewrites a file of this repository as a user of the installed package would write it, with all files of an
 * example in one folder.
 */
export function asInstalled(source: string): string {
  const installed = ENTRIES.reduce((text, [ours, theirs]) => text.replace(ours, theirs), source);
  return installed.replace(/'[./]+\/src\/examples\/[a-z0-9-]+\//g, "'./");
}
