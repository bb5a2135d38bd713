import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { CreateProblem } from './problem.ts';
import type { Manifest } from './render.ts';
import { parseJsonc, readMain } from './settings.ts';

/** An existing app in a folder, as needed to add an agent to it. */
export interface App {
  readonly manifest: Manifest;
  /** The indentation of `package.json`, which stays the same. */
  readonly indent: string;
  /** The configuration file of wrangler. */
  readonly settings: string | undefined;
  /** The module of its Worker, such as `src/index.ts`. The agent's Worker forwards other requests to it. */
  readonly entry: string | undefined;
  /** `true` if Vite builds its page, and it has no Worker. */
  readonly isPage: boolean;
  /** `true` if Vite builds the page into another folder than `dist`. */
  readonly hasOutDir: boolean;
  /** `true` if `vite dev` runs its Worker. */
  readonly isRunByVite: boolean;
}

const SETTINGS_FILES = ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml'];
const VITE_CONFIGS = ['ts', 'mts', 'js', 'mjs'].map((extension) => `vite.config.${extension}`);
const ENTRIES = ['src/index.ts', 'src/index.tsx', 'src/worker.ts', 'src/index.js', 'index.ts', 'index.js'];

/** @throws CreateProblem if an agent cannot be added to the app. */
export function readApp(path: string): App {
  const text = readFileSync(join(path, 'package.json'), 'utf8');
  const manifest = parseFile('package.json', () => Object(JSON.parse(text)));
  const settings = SETTINGS_FILES.find((name) => existsSync(join(path, name)));
  const entry = findEntry(path, manifest, settings);
  if (entry !== undefined && !existsSync(join(path, entry)))
    throw new CreateProblem(`"main" in ${settings} is ${entry}, but this file does not exist.`);
  if (
    entry !== undefined &&
    /\bexport default (abstract )?class\b/.test(readFileSync(join(path, entry), 'utf8'))
  )
    throw new CreateProblem(
      `${entry} exports a class, so the agent must be mounted by hand. See https://www.npmjs.com/package/holdfast.`,
    );
  return {
    manifest,
    indent: /^([ \t]+)"/m.exec(text)?.[1] ?? '  ',
    settings,
    entry,
    isPage:
      settings === undefined &&
      entry === undefined &&
      existsSync(join(path, 'index.html')) &&
      hasPackage(manifest, 'vite'),
    hasOutDir: VITE_CONFIGS.some(
      (name) => existsSync(join(path, name)) && /\boutDir\b/.test(readFileSync(join(path, name), 'utf8')),
    ),
    isRunByVite: hasPackage(manifest, '@cloudflare/vite-plugin'),
  };
}

function findEntry(path: string, manifest: Manifest, settings: string | undefined): string | undefined {
  if (settings !== undefined) {
    const text = readFileSync(join(path, settings), 'utf8');
    const main = parseFile(settings, () => readMain(settings, text));
    return main === undefined ? undefined : posix.normalize(main.replaceAll('\\', '/'));
  }
  if (!hasPackage(manifest, 'hono')) return undefined;
  const hasAppExport = (file: string): boolean =>
    existsSync(join(path, file)) && /^export default \w/m.test(readFileSync(join(path, file), 'utf8'));
  return ENTRIES.find(hasAppExport);
}

function parseFile<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (problem) {
    throw new CreateProblem(
      `${name} cannot be read: ${problem instanceof Error ? problem.message : problem}`,
    );
  }
}

/** The lists of packages in a manifest. */
const DEPENDENCY_LISTS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

/** Returns the version of a package in a manifest, from any list. */
export const findVersion = (manifest: Manifest, name: string): string | undefined =>
  DEPENDENCY_LISTS.map((list) => Object(manifest[list])[name]).find((version) => typeof version === 'string');

export const hasPackage = (manifest: Manifest, name: string): boolean =>
  findVersion(manifest, name) !== undefined;

/** Returns the path by which a module of `agent/` imports a module of the app. */
export function getImportPath(entry: string): string {
  return `../${entry.replace(/\.([mc])ts$/, '.$1js').replace(/\.tsx?$/, '')}`;
}

/** Returns the app's own compiler options, with which its modules are checked. */
export function readCompilerOptions(path: string): Readonly<Record<string, unknown>> {
  const file = join(path, 'tsconfig.json');
  if (!existsSync(file)) return {};
  try {
    return Object(parseJsonc(readFileSync(file, 'utf8')).compilerOptions);
  } catch {
    return {};
  }
}
