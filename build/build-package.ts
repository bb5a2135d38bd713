/**
 * `npm run build`: builds the library for publication, in `dist`, or in `-- --outDir FOLDER`. The scripts
 * have no comments and little white space. The declarations contain only what the entries reference. The maps
 * of both contain their sources, so that the package itself stays small.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { BUILT_PAGE, buildConsolePage } from './console-page.ts';
import { shakeDeclarations } from './shake-declarations.ts';

const root = resolve(import.meta.dirname, '..');
const { values } = parseArgs({ options: { outDir: { type: 'string', default: join(root, 'dist') } } });
const out = resolve(values.outDir);

rmSync(out, { recursive: true, force: true });
const tsc = join(root, 'node_modules/typescript/bin/tsc');
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', out], {
  cwd: root,
  stdio: 'inherit',
});

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>;
}; // our own
const built = (target: string): string => join(out, target.replace('./dist/', ''));
const entries = Object.values(exports);
shakeDeclarations(
  out,
  entries.map(({ types }) => built(types)),
);

await build({
  entryPoints: readdirSync(out, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => join(out, file)),
  outdir: out,
  outbase: out,
  allowOverwrite: true,
  format: 'esm',
  // For a browser, esbuild would replace `process.env.NODE_ENV` here. The user's bundler must do that.
  platform: 'neutral',
  target: 'es2024',
  charset: 'utf8',
  minifyWhitespace: true,
  minifySyntax: true,
  // Names that are exported stay. The maps have the others.
  minifyIdentifiers: true,
  // Stack traces without maps, and debuggers, need lines.
  lineLimit: 1000,
  sourcemap: 'linked',
  sourcesContent: true,
  logLevel: 'warning',
});

// It is minified already, and a map of it would contain it once more.
await buildConsolePage();
copyFileSync(BUILT_PAGE, join(out, relative(root, BUILT_PAGE)));

// The program runs in Node. It is one file, since other modules do not import it, but for the page of the
// console, which the package contains once.
await build({
  entryPoints: [join(root, 'src/cli/main.ts')],
  outfile: join(out, 'cli/holdfast.js'),
  bundle: true,
  plugins: [
    {
      name: 'page of the console',
      setup: ({ onResolve }) =>
        onResolve({ filter: /\/built-page\.js$/ }, () => ({
          path: `../${relative(root, BUILT_PAGE)}`,
          external: true,
        })),
    },
  ],
  format: 'esm',
  platform: 'node',
  target: 'node22',
  charset: 'utf8',
  minify: true,
  lineLimit: 1000,
  sourcemap: 'linked',
  logLevel: 'warning',
});

const scripts = new Set(entries.map((entry) => built(entry.default)));
for (const file of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.js')) removeEmpty(join(out, file));
}
for (const file of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.map')) finishMap(file);
}

/** Removes the script of a file with only types, since other scripts do not import it. */
function removeEmpty(path: string): void {
  if (!/^\/\/# sourceMappingURL=\S+\s*$/.test(readFileSync(path, 'utf8'))) return;
  rmSync(`${path}.map`);
  if (scripts.has(path)) writeFileSync(path, 'export {};\n');
  else rmSync(path);
}

/**
 * Rewrites a map so that its sources have their paths in the repository, and include their text, since the
 * package does not contain them.
 */
function finishMap(file: string): void {
  const path = join(out, file);
  const map = JSON.parse(readFileSync(path, 'utf8')) as { readonly sources: readonly string[] }; // ours
  const sources = map.sources.map((source) => resolve(dirname(path), source));
  const published = dirname(join(root, 'dist', file));
  const finished = {
    ...map,
    sources: sources.map((source) => relative(published, source).replaceAll('\\', '/')),
    sourcesContent: sources.map((source) => readFileSync(source, 'utf8')),
  };
  writeFileSync(path, JSON.stringify(finished));
}
