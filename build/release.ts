/**
 * `npm run release`: publishes the versions that npm does not have yet: `holdfast` by changesets, and then
 * `create-holdfast`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'src/create');
const manifest = readFileSync(join(folder, 'package.json'), 'utf8');
const { name, version } = JSON.parse(manifest) as { name: string; version: string }; // the package.json of create-holdfast

execFileSync('npx', ['changeset', 'publish'], { cwd: root, stdio: 'inherit' });
const known = spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' });
if (known.stdout.trim() !== version) {
  execFileSync('npm', ['publish', '--access', 'public', '--provenance'], { cwd: folder, stdio: 'inherit' });
}
