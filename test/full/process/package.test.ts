/** The published package: its linters, its size, its source maps, and the part that a Worker bundles. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { publint } from 'publint';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { CLERK_ENTRY, createBundleOptions } from '../../measure/bundles.ts';
import { asInstalled } from './as-installed.ts';
import { installPackage } from './installed-package.ts';
import { PACK_TEST_TIMEOUT_MS, type PackedPackage, packPackage } from './packed.ts';

const root = resolve(import.meta.dirname, '../../..');
/** The limit of the unpacked size without source maps, in bytes. */
const MAX_PACKAGE_BYTES = 3 * 1024 * 1024;

let packedPackage: PackedPackage;
let files: readonly string[];
const read = (file: string): string => readFileSync(join(packedPackage.folder, file), 'utf8');

beforeAll(async () => {
  packedPackage = await packPackage();
  files = readdirSync(packedPackage.folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(join(packedPackage.folder, file)).isFile(),
  );
}, PACK_TEST_TIMEOUT_MS);

it('publint reports no problems', async () => {
  const { messages } = await publint({ pkgDir: packedPackage.folder, pack: false, strict: true });
  expect(messages).toEqual([]);
});

it('all entries of the package have types with the resolution of Node and of bundlers', async () => {
  // The package has no CommonJS files, because Node 22.12 and later can `require` ES modules.
  const attw = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
  const args = [attw, packedPackage.tarball, '--profile', 'esm-only', '--format', 'json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e8 });
  const { analysis } = JSON.parse(stdout) as {
    analysis: {
      readonly problems: readonly { readonly kind: string; readonly resolutionKind?: string }[];
      readonly entrypoints: object;
    };
  }; // the output format of `attw`
  const told = analysis.problems.filter(
    ({ resolutionKind = '' }) => !/node10|node16-cjs/.test(resolutionKind),
  );
  expect(told).toEqual([]);
  const { exports } = JSON.parse(read('package.json')) as { exports: object }; // the package.json of this package
  expect(Object.keys(analysis.entrypoints).toSorted()).toEqual(Object.keys(exports).toSorted());
}, 120_000);

it('the package without its source maps is smaller than its limit, and has all required files and no tests', () => {
  const bytes = files
    .filter((file) => !file.endsWith('.map'))
    .reduce((sum, file) => sum + statSync(join(packedPackage.folder, file)).size, 0);
  expect(bytes).toBeLessThan(MAX_PACKAGE_BYTES);
  const folders = new Set(files.map((file) => file.split('/')[0]));
  expect([...folders].toSorted()).toEqual(
    ['LICENSE', 'README.md', 'dist', 'docs', 'llms.txt', 'package.json', 'skills', 'src'].toSorted(),
  );
});

/** The part of a source map that the test reads. */
interface SourceMapFile {
  readonly version: number;
  readonly sources: string[];
  readonly sourcesContent: readonly (string | null)[];
}

it('every script and every declaration has a map that contains its sources as in the repository', () => {
  // The page of the console is generated, so it has no source.
  const isPage = (file: string): boolean => file.endsWith('/console/built-page.js');
  const all = files.filter((file) => /^dist\/.*\.(js|d\.ts)$/.test(file) && !isPage(file));
  const built = all.filter((file) => read(file) !== 'export {};\n');
  // The script of an entry with only types is empty.
  expect(all.filter((file) => !built.includes(file))).toEqual(['dist/src/journal/entry.js']);
  expect(built.length).toBeGreaterThan(500);
  const lost = built.filter((file) => {
    const [, name] = /\n\/\/# sourceMappingURL=(\S+)\s*$/.exec(read(file)) ?? [];
    if (name === undefined || !existsSync(join(packedPackage.folder, dirname(file), name))) return true;
    const { sources, sourcesContent } = JSON.parse(read(join(dirname(file), name))) as SourceMapFile; // the assertions below check its members
    return sources.some(
      (source, at) => readFileSync(join(root, dirname(file), source), 'utf8') !== sourcesContent[at],
    );
  });
  expect(lost).toEqual([]);
  const maps = files.filter((file) => file.endsWith('.map'));
  expect(maps).toHaveLength(built.length);
});

it.each([
  ['dist/src/loop/run-loop.js', 'runToolLoop', 'async function '],
  ['dist/src/tool/call.d.ts', 'CallContext', 'export interface CallContext'],
  // The build removed some of the imports and the text before this declaration.
  ['dist/src/client/create-client.d.ts', 'createClient', 'export declare function createClient'],
  // The build wrote this declaration on one line.
  ['dist/src/journal/events.d.ts', 'PRINCIPAL', 'export declare const PRINCIPAL'],
])('the map of %s maps %s to its line in the source', (file, name, declaration) => {
  const text = read(file);
  // Scripts use a short local name and export it under this one.
  const built = new RegExp(`(\\w+) as ${name}\\b`).exec(text)?.[1];
  const declared = built === undefined ? declaration : declaration + built;
  const lines = text.split('\n');
  const line = lines.findIndex((text) => text.includes(declared));
  const column = (lines[line]?.indexOf(declared) ?? 0) + declared.length - (built ?? name).length;
  const map = JSON.parse(read(`${file}.map`));
  const entry = new SourceMap(map).findEntry(line, column);
  if (!('originalLine' in entry)) throw new Error('The source map has no entry for the declaration.');
  const source = readFileSync(resolve(root, dirname(file), entry.originalSource), 'utf8').split('\n');
  expect(source[entry.originalLine]?.slice(entry.originalColumn)).toMatch(new RegExp(`^${name}\\b`));
});

it(
  'a Worker bundles the same code from the package as from the sources',
  async () => {
    const { path } = await installPackage([]);
    onTestFinished(() => rmSync(path, { recursive: true, force: true }));
    const options = createBundleOptions(CLERK_ENTRY);
    const ofSources = await build(options);
    const entry = asInstalled(readFileSync(join(root, 'src/examples/first/worker.ts'), 'utf8'));
    const clerk = asInstalled(readFileSync(join(root, 'src/examples/first/clerk.ts'), 'utf8'));
    const contents = `${entry.replace(/^import .*clerk.*$/m, '')}\n${clerk.replaceAll('export const', 'const')}`;
    const ofPackage = await build({
      ...options,
      stdin: { contents, resolveDir: path, loader: 'ts' },
      absWorkingDir: path,
    });
    const [theirs = 0, ours = 0] = [ofPackage, ofSources].map(
      ({ outputFiles }) => outputFiles[0]?.contents.length,
    );
    expect(ours).toBeGreaterThan(100_000);
    // The bundles differ in names and in the order of a few statements, so only their sizes are compared.
    expect(Math.abs(theirs - ours)).toBeLessThan(ours / 100);
  },
  PACK_TEST_TIMEOUT_MS,
);
