/**
 * `npm run build`: builds the library for publication in `dist`, or in the folder of `-- --outDir FOLDER`. The
 * scripts have no comments and little white space. The declarations contain only the names that the entries
 * reference. The source maps of both include the source text, so the package contains no source files.
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
}; // the package.json of this repository
const toOutputPath = (target: string): string => join(out, target.replace('./dist/', ''));
const entries = Object.values(exports);
shakeDeclarations(
  out,
  entries.map(({ types }) => toOutputPath(types)),
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
  // Exported names are preserved. The source maps contain the other original names.
  minifyIdentifiers: true,
  // Line breaks keep stack traces without source maps readable, and let debuggers set breakpoints.
  lineLimit: 1000,
  sourcemap: 'linked',
  sourcesContent: true,
  logLevel: 'warning',
});

// The page is already minified, and a source map would repeat its text.
await buildConsolePage();
copyFileSync(BUILT_PAGE, join(out, relative(root, BUILT_PAGE)));

// The command line program runs in Node. It is a single file, since other modules do not import it. Only the
// page of the console is not included in it, because the package already contains that page.
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

const scripts = new Set(entries.map((entry) => toOutputPath(entry.default)));
for (const file of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.js')) removeEmpty(join(out, file));
}
for (const file of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('.map')) finishMap(file);
}

/** Removes the empty script of a file with only types. A package entry keeps an empty module instead. */
function removeEmpty(path: string): void {
  if (!/^\/\/# sourceMappingURL=\S+\s*$/.test(readFileSync(path, 'utf8'))) return;
  rmSync(`${path}.map`);
  if (scripts.has(path)) writeFileSync(path, 'export {};\n');
  else rmSync(path);
}

/**
 * Rewrites a source map: its sources get their paths in the repository, and their text is included, since the
 * package contains no source files.
 */
function finishMap(file: string): void {
  const path = join(out, file);
  const map = JSON.parse(readFileSync(path, 'utf8')) as { readonly sources: readonly string[] }; // written by esbuild or the compiler
  const sources = map.sources.map((source) => resolve(dirname(path), source));
  const published = dirname(join(root, 'dist', file));
  const finished = {
    ...map,
    sources: sources.map((source) => relative(published, source).replaceAll('\\', '/')),
    sourcesContent: sources.map((source) => readFileSync(source, 'utf8')),
  };
  writeFileSync(path, JSON.stringify(finished));
}
