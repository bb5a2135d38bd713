import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');
const cache = join(root, 'node_modules/.cache/holdfast');

/** The files and folders from which the package is built. */
const PACKAGE_SOURCES = [
  ...['build', 'src', 'durable-objects', 'docs'],
  ...['package.json', 'package-lock.json', 'README.md', 'LICENSE', 'tsconfig.json', 'tsconfig.build.json'],
  ...['llms.txt', 'skills'],
];

/**
 * Returns `true` if a path belongs to the package. The manual's site is built in `docs`, but is not part of it.
 */
const isOfPackage = (path: string): boolean =>
  !/docs\/(?:node_modules|\.vitepress|reference)(?:\/|$)/.test(path);

/** The package in its published form. */
export interface PackedPackage {
  /** The path of the tarball. */
  readonly tarball: string;
  /** The unpacked content, which must not be changed. */
  readonly folder: string;
}

/**
 * The age in ms after which a lock is considered abandoned by a killed run. Packing takes half a minute on a
 * busy machine.
 */
const PACK_TIMEOUT_MS = 120_000;

/** The timeout of a test that packs, in ms. */
export const PACK_TEST_TIMEOUT_MS = 2 * PACK_TIMEOUT_MS;

/**
 * Builds and packs the package once for each state of its sources. Other test files wait for it or use the
 * result.
 */
export async function packPackage(): Promise<PackedPackage> {
  const place = join(cache, computeKey());
  const lock = `${place}.lock`;
  await mkdir(cache, { recursive: true });
  while (!existsSync(place)) {
    // `mkdir` fails if the folder exists, so only one test file acquires the lock.
    const isOurs = await mkdir(lock).then(
      () => true,
      () => false,
    );
    if (isOurs) await packInto(place).finally(() => rm(lock, { recursive: true }));
    else await waitForLock(lock);
  }
  return { tarball: join(place, 'package.tgz'), folder: join(place, 'package') };
}

async function waitForLock(lock: string): Promise<void> {
  await setTimeout(200);
  const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (since !== undefined && Date.now() - since > PACK_TIMEOUT_MS)
    await rm(lock, { recursive: true, force: true });
}

async function packInto(place: string): Promise<void> {
  if (existsSync(place)) return;
  const temp = await mkdtemp(join(cache, 'packing-'));
  try {
    const stage = join(temp, 'stage');
    for (const name of [
      'package.json',
      'README.md',
      'LICENSE',
      'docs',
      'src/examples',
      'llms.txt',
      'skills',
    ]) {
      cpSync(join(root, name), join(stage, name), { recursive: true, filter: isOfPackage });
    }
    await run(process.execPath, [join(root, 'build/build-package.ts'), '--outDir', join(stage, 'dist')]);
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', temp], { cwd: stage });
    const [made = ''] = readdirSync(temp).filter((name) => name.endsWith('.tgz'));
    await rename(join(temp, made), join(temp, 'package.tgz'));
    await run('tar', ['-xzf', 'package.tgz'], { cwd: temp });
    await rm(stage, { recursive: true });
    await rename(temp, place);
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

function computeKey(): string {
  const hash = createHash('sha256');
  const files = PACKAGE_SOURCES.flatMap((name) =>
    statSync(join(root, name)).isDirectory()
      ? readdirSync(join(root, name), { recursive: true, encoding: 'utf8' }).map((file) => join(name, file))
      : name,
  );
  for (const file of files.filter(isOfPackage).toSorted()) {
    if (!statSync(join(root, file)).isFile()) continue;
    hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex').slice(0, 32);
}
