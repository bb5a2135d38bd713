import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, findVersion, getImportPath, hasPackage, readApp, readCompilerOptions } from './app.ts';
import { replaceCommands } from './package-manager.ts';
import { CreateProblem } from './problem.ts';
import {
  type Files,
  type Manifest,
  mergeManifests,
  type Project,
  readLayer,
  toJson,
  writeFiles,
} from './render.ts';
import { addAgentSettings } from './settings.ts';

const FOLDER = 'agent';

/** Lists the packages whose install scripts pnpm may run. */
const WORKSPACE = 'pnpm-workspace.yaml';

/** The changes to an app. */
export interface EmbedResult {
  /** The script that runs it. */
  readonly script: string;
  /** The changes, and the steps left to do, one per line. */
  readonly notes: readonly string[];
}

/** Adds an agent to the app in a folder, below `/ai`. @throws CreateProblem before it writes any file. */
export function embed(path: string, project: Project, { isNew = false } = {}): EmbedResult {
  if (existsSync(join(path, FOLDER)))
    throw new CreateProblem(
      `${join(path, FOLDER)} already exists, and your files are never overwritten. Rename it or remove it.`,
    );
  const app = readApp(path);
  const base = readLayer('base');
  const files = new Map(createAgentFiles(path, app, project, base));
  const settings = changeSettings(path, app, project, base);
  const manifest = changeManifest(app, project, JSON.parse(base.get('package.json') ?? ''));
  // A new app has scripts and a README about its agent.
  if (isNew) files.delete(`${FOLDER}/README.md`);
  // All files are rendered before any is written.
  writeFiles(path, files);
  writeFileSync(join(path, settings.name), settings.text);
  if (!isNew)
    writeFileSync(join(path, 'package.json'), `${JSON.stringify(manifest.value, null, app.indent)}\n`);
  if (project.manager === 'pnpm' && !existsSync(join(path, WORKSPACE)))
    writeFileSync(join(path, WORKSPACE), readLayer('managers/pnpm').get(WORKSPACE) ?? '');
  const vars = changeVars(path, app);
  const notes = [
    `Wrote ${FOLDER}/, and changed package.json, ${settings.name}, ${vars} and .gitignore.`,
    ...(app.entry === undefined
      ? []
      : [
          `${settings.name} now has ${FOLDER}/worker.ts as "main", which passes all requests outside /ai to ${app.entry}.`,
        ]),
    ...(app.isRunByVite ? ['Vite runs your Worker: the agent is at its address, below /ai.'] : []),
    ...(app.isPage && app.hasOutDir
      ? [`Vite does not build into its default folder. Set "directory" to your folder in ${settings.name}.`]
      : []),
    ...manifest.left,
    ...settings.left,
  ];
  return { script: app.isRunByVite ? 'dev' : 'dev:agent', notes };
}

function createAgentFiles(path: string, app: App, { manager }: Project, base: Files): Files {
  const layers = [
    'embed/agent',
    app.entry === undefined ? 'embed/alone' : 'embed/around',
    ...(app.isPage ? ['embed/page'] : []),
  ];
  const files = new Map(layers.flatMap((layer) => [...readLayer(layer)]));
  files.delete('wrangler.toml');
  files.set('serve.mjs', base.get('scripts/serve.mjs') ?? '');
  if (existsSync(join(path, WRITTEN_TYPES))) files.delete('env.d.ts');
  if (app.isRunByVite) for (const name of ['dev.mjs', 'serve.mjs']) files.delete(name);
  const changeFile = (name: string, by: (text: string) => string): void => {
    files.set(name, by(files.get(name) ?? ''));
  };
  changeFile('README.md', (text) => replaceCommands(manager, text));
  if (app.entry !== undefined) {
    const from = getImportPath(app.entry);
    changeFile('worker.ts', (text) => text.replaceAll('../src/worker', from));
    changeFile('tsconfig.json', (text) => toJson(adaptTsconfig(path, JSON.parse(text))));
  }
  return new Map([...files].map(([name, text]) => [`${FOLDER}/${name}`, text]));
}

/**
 * Adapts the compiler options to an app. The types from `wrangler types` replace the package's, and the app's
 * JSX settings stay.
 */
function adaptTsconfig(path: string, tsconfig: Manifest): Manifest {
  const { jsx, jsxImportSource } = readCompilerOptions(path);
  const compilerOptions = {
    ...Object(tsconfig.compilerOptions),
    ...(jsx !== undefined && { jsx }),
    ...(jsxImportSource !== undefined && { jsxImportSource }),
  };
  const hasTypes = existsSync(join(path, WRITTEN_TYPES));
  return { ...tsconfig, compilerOptions, include: ['*.ts', ...(hasTypes ? [`../${WRITTEN_TYPES}`] : [])] };
}

const WRITTEN_TYPES = 'worker-configuration.d.ts';

interface ChangedFile {
  readonly name: string;
  readonly text: string;
  readonly left: readonly string[];
}

function changeSettings(path: string, app: App, { name: worker }: Project, base: Files): ChangedFile {
  const main = `${FOLDER}/worker.ts`;
  const name = app.settings ?? 'wrangler.toml';
  const page = app.isPage ? (readLayer('embed/page').get('wrangler.toml') ?? '') : '';
  const text =
    app.settings === undefined
      ? [(base.get(name) ?? '').replace('"my-agent"', `"${worker}"`), page]
          .filter((part) => part !== '')
          .join('\n')
      : readFileSync(join(path, name), 'utf8');
  return { name, ...addAgentSettings(name, text, main) };
}

/** Adds missing packages and scripts. Existing entries keep their versions. */
function changeManifest(
  app: App,
  { holdfast, manager }: Project,
  ours: Manifest,
): { readonly value: Manifest; readonly left: readonly string[] } {
  const filterMissing = (list: unknown): Record<string, unknown> =>
    Object.fromEntries(Object.entries(Object(list)).filter(([name]) => !hasPackage(app.manifest, name)));
  const devDependencies = filterMissing(ours.devDependencies);
  const types = '@cloudflare/workers-types';
  const before = findVersion(app.manifest, types);
  const isOld = before !== undefined && /^[~^>=v ]*[0-4]\./.test(before);
  if (isOld) devDependencies[types] = Object(ours.devDependencies)[types];
  const ofManager = JSON.parse(readLayer(`managers/${manager}`).get('package.json') ?? '{}');
  const scripts = {
    ...(app.isRunByVite ? {} : { 'dev:agent': `node ${FOLDER}/dev.mjs` }),
    'test:agent': `vitest run --root ${FOLDER}`,
    'check:agent': `tsc -p ${FOLDER}`,
    ...(app.settings === undefined && { 'deploy:agent': 'wrangler deploy' }),
    // The page's settings need this script to build it.
    ...(app.isPage && Object(app.manifest.scripts).build === undefined && { build: 'vite build' }),
  };
  const theirs = Object(app.manifest.scripts);
  const taken = Object.entries(scripts).find(([name, script]) => ![undefined, script].includes(theirs[name]));
  if (taken)
    throw new CreateProblem(
      `package.json already has a script "${taken[0]}". Rename it, since the agent needs that name.`,
    );
  const dependencies = { ...filterMissing(ours.dependencies), ...(holdfast !== undefined && { holdfast }) };
  const added = { scripts, dependencies, devDependencies, ...ofManager };
  return {
    value: mergeManifests(app.manifest, added),
    left: isOld ? [`package.json now requires ${types} 5 instead of ${before}, as Holdfast does.`] : [],
  };
}

/**
 * Adds this machine's settings to the file that wrangler reads, and makes Git ignore it. Returns the name of
 * their file.
 */
function changeVars(path: string, app: App): string {
  // A `.dev.vars` would make wrangler ignore a `.env`.
  const isEnv =
    app.settings !== undefined && existsSync(join(path, '.env')) && !existsSync(join(path, '.dev.vars'));
  const name = isEnv ? '.env.local' : '.dev.vars';
  const lines = ['base', 'token'].map((layer) => readLayer(layer).get('.dev.vars.example') ?? '').join('\n');
  addMissing(join(path, name), lines, (text, line) => {
    const key = /^(\w+)=/.exec(line)?.[1];
    return key !== undefined && !new RegExp(`^\\s*(export\\s+)?${key}\\s*[=:]`, 'm').test(text);
  });
  const ignored = ['node_modules', '.wrangler', isEnv ? '.env.local' : '.dev.vars*'];
  const isIgnored = (text: string, line: string): boolean =>
    text.split('\n').some((known) => known.replace(/^\/|[/*]+\s*$|\s+$/g, '') === line.replace('*', ''));
  addMissing(join(path, '.gitignore'), ignored.join('\n'), (text, line) => !isIgnored(text, line));
  return name;
}

function addMissing(file: string, lines: string, isMissing: (text: string, line: string) => boolean): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const added = lines.split('\n').filter((line) => isMissing(text, line));
  if (added.length === 0) return;
  appendFileSync(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${added.join('\n')}\n`);
}
