import { cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { packPackage } from './packed.ts';

const root = resolve(import.meta.dirname, '../../..');

/** The part of `package.json` that tests read. */
export interface Manifest {
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** A user's folder with the published package installed. The caller removes it. */
export interface UserFolder {
  readonly path: string;
  readonly manifest: Manifest;
}

/**
 * Creates a user's folder without a registry. It contains only the package's declared dependencies and
 * `more`, so an undeclared dependency is missing.
 */
export async function installPackage(more: readonly string[]): Promise<UserFolder> {
  const path = await mkdtemp(join(tmpdir(), 'holdfast-user-'));
  const { folder } = await packPackage();
  await cp(folder, join(path, 'package'), { recursive: true });
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest; // the package.json of this package
  await writeFile(join(path, 'package.json'), '{ "name": "user", "type": "module" }');
  await linkPackage('holdfast', join(path, 'package'));
  const { dependencies, peerDependencies } = manifest;
  for (const name of [...Object.keys({ ...dependencies, ...peerDependencies }), ...more]) {
    await linkPackage(name, join(root, 'node_modules', name));
  }
  return { path, manifest };

  async function linkPackage(name: string, target: string): Promise<void> {
    const place = join(path, 'node_modules', name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(target, place, 'dir');
  }
}
