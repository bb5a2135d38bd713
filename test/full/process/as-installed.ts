import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const manifest = readFileSync(resolve(import.meta.dirname, '../../../package.json'), 'utf8');
const { exports } = JSON.parse(manifest) as { exports: Record<string, { default: string }> }; // our own

/** Where this repository's entries are found once the package is installed. */
const ENTRIES = Object.entries(exports).map(([entry, { default: built }]) => {
  const file = built
    .replace('./dist/', '')
    .replace(/\.js$/, '.ts')
    .replace(/^src\//, '');
  const path = file.replaceAll('.', '\\.');
  return [new RegExp(`'[./]+/(src/)?${path}'`, 'g'), `'holdfast${entry.slice(1)}'`] as const;
});

/** A file of ours as a user writes it, who has installed the package and keeps what an example consists of in one folder. */
export function asInstalled(source: string): string {
  const installed = ENTRIES.reduce((text, [ours, theirs]) => text.replace(ours, theirs), source);
  return installed.replace(/'[./]+\/src\/examples\/[a-z-]+\//g, "'./");
}
