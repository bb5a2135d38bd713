/** Builds the measured Workers with the library of this checkout or of a commit. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Plugin } from 'esbuild';
import { bundleWorker } from '../full/process/start-worker.ts';

const root = resolve(import.meta.dirname, '../..');

/** A folder with the library of a commit. */
export interface Checkout {
  readonly folder: string;
  remove(): void;
}

/** The current checkout, used without a copy. */
export const currentCheckout: Checkout = { folder: root, remove: () => {} };

/**
 * Checks out a commit in a separate folder, with the packages that are installed here.
 *
 * @throws Error if the repository has no such commit.
 */
export function checkOut(commit: string): Checkout {
  const parent = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  const folder = join(parent, 'checkout');
  const runGit = (...args: readonly string[]) => execFileSync('git', [...args], { cwd: root, stdio: 'pipe' });
  runGit('worktree', 'add', '--detach', folder, commit);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return {
    folder,
    remove() {
      runGit('worktree', 'remove', '--force', folder);
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

/** The names of the measured Workers, which are also their file names in `workers`. */
export type MeasuredName = 'holdfast' | 'ai-sdk' | 'one-tool' | 'ai-sdk-one-tool' | 'bare-object' | 'empty';

/** The build settings that a user's build does not have. */
export interface MeterOptions {
  /** Makes the Worker count its platform usage. */
  readonly isCounted?: boolean | undefined;
  /** The speed of its clock, as a multiple of real time. */
  readonly speed?: number | undefined;
}

/**
 * Bundles a measured Worker for production, with the library in a folder. Returns the path of the bundle in
 * `into`.
 */
export async function bundleMeasured(
  name: MeasuredName,
  { folder, into, isCounted, speed }: MeterOptions & { readonly folder: string; readonly into: string },
): Promise<string> {
  const constants = {
    'process.env.NODE_ENV': 'production',
    ...(isCounted && { COUNTED: 'yes' }),
    ...(speed !== undefined && { SPEED: String(speed) }),
  };
  const plugins = folder === root ? [] : [createLibraryPlugin(folder)];
  const code = await bundleWorker(`test/bench/workers/${name}.ts`, { constants, plugins });
  const file = join(mkdtempSync(join(into, `${name}-`)), 'worker.js');
  writeFileSync(file, code);
  return file;
}

/** Makes the measured Workers import the library from another folder. */
const createLibraryPlugin = (folder: string): Plugin => ({
  name: 'library of another checkout',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/\.\.\/\.\.\/(src|durable-objects)\// }, ({ path, importer }) =>
      importer.startsWith(join(root, 'test/bench/workers/'))
        ? { path: join(folder, path.slice('../../../'.length)) }
        : undefined,
    );
  },
});
