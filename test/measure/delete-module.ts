import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyCheckout } from '../mutations/checkout-copy.ts';
import { listSourceFiles, readSource, type Source } from '../source/parse-source.ts';
import { collectFeatures, type Feature, isModule, isOfFeature } from './features.ts';
import type { Manifest } from './public-names.ts';
import { computeRemoval, type Removal } from './removal.ts';

/** A checkout from which modules can be deleted. */
export interface Checkout {
  readonly root: string;
  readonly sources: readonly Source[];
  readonly features: readonly Feature[];
}

/** The outcome of deleting a module. */
export interface Deletion {
  /** Why the kernel does not work without the module, or `undefined`. */
  readonly problem: string | undefined;
  /** The library files outside of the module that are also deleted. */
  readonly alongside: readonly string[];
  /** The numbers of kernel test files that passed and that were deleted. */
  readonly tests: { readonly passed: number; readonly gone: number };
}

/** Reads a checkout with all its tests and examples. */
export function readCheckout(root: string): Checkout {
  const files = ['durable-objects', 'src', 'test'].flatMap((folder) => listSourceFiles(root, folder));
  const sources = files.map((file) => readSource(root, file));
  return { root, sources, features: collectFeatures(readManifest(root), files) };
}

export const listModules = ({ features }: Checkout): Feature[] => features.filter(isModule);

/**
 * Deletes a module in a copy of the checkout: its folder, its entries in package.json, and the tests, examples
 * and features that import it. Then compiles the library and runs the remaining tests in the folders of the
 * kernel.
 */
export async function deleteModule(
  { root, sources, features }: Checkout,
  { path }: Feature,
  testFolders: readonly string[],
): Promise<Deletion> {
  const isKernel = (file: string): boolean =>
    isLibrary(file) && !features.some((feature) => isOfFeature(file, feature.path));
  const removal = computeRemoval(sources, { isPart: (file) => isOfFeature(file, path), isKernel });
  const tests = sources
    .map(({ file }) => file)
    .filter((file) => file.endsWith('.test.ts') && testFolders.some((folder) => isOfFeature(file, folder)));
  const left = tests.filter((file) => !removal.files.includes(file));
  const deletion = {
    alongside: removal.files.filter((file) => isLibrary(file) && !isOfFeature(file, path)),
    tests: { passed: 0, gone: tests.length - left.length },
  };
  const { kernel } = removal;
  if (kernel.length > 0) return { ...deletion, problem: `The kernel imports it: ${kernel.join(', ')}.` };
  if (left.length === 0) return { ...deletion, problem: 'No test of the kernel is left.' };
  const copy = copyCheckout(root);
  try {
    apply(removal, copy);
    const problem = (await compile(copy)) ?? (await runTests(copy, left));
    if (problem !== undefined) return { ...deletion, problem };
    return { ...deletion, tests: { ...deletion.tests, passed: left.length }, problem };
  } finally {
    rmSync(dirname(copy), { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Returns `true` if the library's build contains a file. */
const isLibrary = (file: string): boolean =>
  !file.startsWith('test/') && !file.startsWith('src/examples/') && file !== 'src/worker.ts';

const readManifest = (root: string): Manifest =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest; // the package.json of this repository

function apply({ files, rewritten }: Removal, copy: string): void {
  for (const file of files) rmSync(join(copy, file));
  for (const { file, text } of rewritten) writeFileSync(join(copy, file), text);
  const manifest = readManifest(copy);
  const exports = Object.entries(manifest.exports).filter(
    ([, { types }]) => !files.includes(types.replace(/^\.\/dist\//, '').replace(/\.d\.ts$/, '.ts')),
  );
  const left = { ...manifest, exports: Object.fromEntries(exports) };
  writeFileSync(join(copy, 'package.json'), JSON.stringify(left, null, 2));
}

const compile = (copy: string): Promise<string | undefined> =>
  run(copy, ['typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noEmit', '--pretty', 'false']);

const runTests = (copy: string, files: readonly string[]): Promise<string | undefined> =>
  run(copy, ['vitest/vitest.mjs', 'run', '--project', 'gate in Node', '--reporter=dot', ...files]);

const TIMEOUT_MS = 60_000;

/** Runs the program of a package. Returns the end of its output if it fails. */
function run(copy: string, [program = '', ...args]: readonly string[]): Promise<string | undefined> {
  const options = { cwd: copy, timeout: 10 * TIMEOUT_MS, maxBuffer: 2 ** 26 };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(copy, 'node_modules', program), ...args],
      options,
      (failure, stdout, stderr) => {
        resolve(failure ? `${program} failed:\n${`${stdout}${stderr}`.trim().slice(-4_000)}` : undefined);
      },
    );
  });
}
