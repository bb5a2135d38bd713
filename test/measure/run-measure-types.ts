/**
 * `npm run measure-types` writes an app with twenty agents that uses the installed package. Prints the figures
 * of `tsc`: types, instantiations, memory and milliseconds, next to those of an app that only imports the
 * package. `-- --agents 40` changes the number of agents, `-- --json` prints JSON, and `-- --keep` keeps the
 * folder.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createBareApp, createTypedApp, type Files } from './typed-app.ts';

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const root = resolve(import.meta.dirname, '../..');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const agents = Number(values.agents);

/** The compiler's figures for one run. */
interface Figures {
  readonly app: string;
  readonly files: number;
  readonly lines: number;
  readonly types: number;
  readonly instantiations: number;
  readonly memoryMiB: number;
  /** With a single thread, so that the counts are reproducible. */
  readonly checkMs: number;
  readonly totalMs: number;
  /** With the compiler's default number of threads. */
  readonly wallMs: number;
}

/** The runs. The fastest one counts, because other load on the machine only adds time. */
const RUNS = [1, 2, 3];

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: ['@cloudflare/workers-types'],
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ['src'],
};

const folder = mkdtempSync(join(tmpdir(), 'measure-types-'));
try {
  installPackage(folder);
  const figures = [
    measureApp('the package alone', createBareApp()),
    measureApp(`one agent`, createTypedApp(1)),
    measureApp(`${agents} agents`, createTypedApp(agents)),
  ];
  console.log(values.json ? JSON.stringify(figures, null, 2) : formatTable(figures));
} finally {
  if (values.keep) console.log(folder);
  else rmSync(folder, { recursive: true });
}

/** Copies the built declarations to the folder of an installed package, next to its dependencies. */
function installPackage(into: string): void {
  const modules = join(into, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  const dist = join(modules, 'holdfast/dist');
  execFileSync('node', [join(root, 'build/build-package.ts'), '--outDir', dist]);
  cpSync(join(root, 'package.json'), join(modules, 'holdfast/package.json'));
}

function measureApp(app: string, files: Files): Figures {
  const src = join(folder, 'src');
  rmSync(src, { recursive: true, force: true });
  for (const [file, text] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  const alone = RUNS.map(() => readDiagnostics('--singleThreaded'));
  const parallel = RUNS.map(() => readDiagnostics());
  const computeLeast = (runs: readonly ReadonlyMap<string, number>[], name: string) =>
    Math.min(...runs.map((told) => told.get(name) ?? Number.NaN));
  const computeMs = (runs: typeof alone, name: string) => Math.round(computeLeast(runs, name) * 1000);
  return {
    app,
    files: files.size,
    lines: [...files.values()].join('').split('\n').length,
    types: computeLeast(alone, 'Types'),
    instantiations: computeLeast(alone, 'Instantiations'),
    memoryMiB: Math.round(computeLeast(alone, 'Memory used') / 1024),
    checkMs: computeMs(alone, 'Check time'),
    totalMs: computeMs(alone, 'Total time'),
    wallMs: computeMs(parallel, 'Total time'),
  };
}

/** Runs the compiler, and returns its figures by name. @throws Error if the app does not compile. */
function readDiagnostics(...more: readonly string[]): ReadonlyMap<string, number> {
  const run = spawnSync('node', [tsc, '-p', folder, '--extendedDiagnostics', ...more], { encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`The app does not compile:\n${run.stdout}${run.stderr}`);
  const lines = [...run.stdout.matchAll(/^(\w[\w ]*):\s+([\d.]+)/gm)];
  return new Map(lines.map(([, name = '', figure]) => [name, Number(figure)]));
}

function formatTable(figures: readonly Figures[]): string {
  const keys = [
    'app',
    'files',
    'lines',
    'types',
    'instantiations',
    'memoryMiB',
    'checkMs',
    'totalMs',
    'wallMs',
  ] as const;
  const rows = [keys, keys.map(() => '---'), ...figures.map((one) => keys.map((key) => one[key]))];
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
}
