/**
 * `npm run version-packages`: sets the version from the changesets, moves their text to the changelog, and
 * writes the version to all other files that contain it.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** The files that contain the version, in addition to `package.json`. */
const VERSIONED_FILES = [
  'README.md',
  'src/create/cli/options.ts',
  'src/create/package.json',
  'src/create/templates/base/package.json',
  'src/mcp/client/open-wire.ts',
  'test/full/create/create.test.ts',
  'test/gate/node/mcp/client/connect.test.ts',
  'test/gate/node/mcp/client/revisions.test.ts',
];

const readVersion = (): string => {
  const manifest = readFileSync(join(root, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version; // the package.json of this repository
};
const run = (command: string, ...args: string[]): void => {
  execFileSync(command, args, { cwd: root, stdio: 'inherit' });
};
const replaceInFile = (file: string, from: string, to: string): void => {
  const path = join(root, file);
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(from, to));
};

const before = readVersion();
run('npx', 'changeset', 'version');
const after = readVersion();
if (after !== before) {
  for (const file of VERSIONED_FILES) replaceInFile(file, before, after);
  run('npm', 'install', '--package-lock-only', '--ignore-scripts');
}
