import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Template } from './options.ts';
import { type Manager, replaceCommands } from './package-manager.ts';

/** The properties of one project. */
export interface Project {
  readonly name: string;
  readonly template: Template;
  readonly manager: Manager;
  /** The version of the package manager, if it runs this program. */
  readonly managerVersion?: string | undefined;
  /** The version of Holdfast in `package.json` instead of the released one. */
  readonly holdfast?: string | undefined;
}

/** The text of each file, by its path with slashes. */
export type Files = ReadonlyMap<string, string>;

const TEMPLATES_FOLDER = fileURLToPath(new URL('../templates/', import.meta.url));

/** The project's name in the templates. */
const PLACEHOLDER = 'my-agent';

/**
 * Returns the files of a new project: those that all templates share, then its template's, then its package
 * manager's. Later files win.
 */
export function renderProject(project: Project): Files {
  const { template, manager } = project;
  // The multi-tenant template has its own authentication; the others use one token.
  const shared = template === 'multi-tenant' ? ['base'] : ['base', 'token'];
  const own = template === 'embed' ? 'embed/app' : template;
  const files = new Map([...shared, own, `managers/${manager}`].map(readLayer).reduce(mergeFiles));
  // The agent's folder contains the script that starts the Worker.
  if (template === 'embed') files.delete('scripts/serve.mjs');
  const rendered = [...files].map(([path, text]) => [path, adaptFile(path, text, project)] as const);
  const devVars = rendered.find(([path]) => path === '.dev.vars.example')?.[1];
  return new Map([
    ...rendered,
    ...(devVars === undefined ? [] : [['.dev.vars', generateSecrets(devVars)] as const]),
  ]);
}

/**
 * Returns the files of one template folder. npm does not pack `.gitignore`, so `_` replaces the leading dot
 * of names there.
 */
export function readLayer(layer: string): Files {
  const folder = join(TEMPLATES_FOLDER, layer);
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return new Map(
    names.map((name) => [
      name.split(sep).join('/').replace(/^_/, '.'),
      readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n'),
    ]),
  );
}

/** Merges manifests, appends settings, and replaces all other files. */
function mergeFiles(below: Files, above: Files): Files {
  const merged = new Map(below);
  for (const [path, text] of above) {
    const before = below.get(path);
    merged.set(path, before === undefined ? text : mergeFile(path, before, text));
  }
  return merged;
}

function mergeFile(path: string, below: string, above: string): string {
  if (path === 'package.json') return toJson(mergeManifests(JSON.parse(below), JSON.parse(above)));
  // The part with the title comes first.
  if (path === 'README.md' && above.startsWith('# ')) return `${above}\n${below}`;
  return APPENDED_FILES.has(path) ? `${below}\n${above}` : above;
}

const APPENDED_FILES: ReadonlySet<string> = new Set(['README.md', 'wrangler.toml', '.dev.vars.example']);

/** The parts of a `package.json` that this program writes. */
export type Manifest = Readonly<Record<string, unknown>>;

/**
 * Merges two manifests. Values of the second win. Objects and lists in both are merged, and lists of packages
 * are sorted.
 */
export function mergeManifests(below: Manifest, above: Manifest): Manifest {
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const both = { ...Object(isObject(below[key]) ? below[key] : {}), ...Object(value) };
    const entries = Object.entries(both);
    const isList = key.toLowerCase().endsWith('dependencies');
    merged[key] = !isObject(value)
      ? mergeLists(below[key], value)
      : Object.fromEntries(isList ? entries.toSorted(([left], [right]) => (left < right ? -1 : 1)) : entries);
  }
  return merged;
}

const mergeLists = (below: unknown, above: unknown): unknown =>
  Array.isArray(below) && Array.isArray(above) ? [...new Set([...below, ...above])] : above;

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const toJson = (value: Manifest): string => `${JSON.stringify(value, null, 2)}\n`;

/** Adapts texts and settings, but not code, to this project. */
function adaptFile(path: string, text: string, project: Project): string {
  const { name, manager, managerVersion, holdfast } = project;
  if (path === 'package.json') {
    const own = {
      name,
      ...(holdfast !== undefined && { dependencies: { holdfast } }),
      // Corepack, which the CI file uses, would otherwise install Yarn 1.
      ...(manager === 'yarn' && managerVersion !== undefined && { packageManager: `yarn@${managerVersion}` }),
    };
    return toJson(mergeManifests(JSON.parse(text), own));
  }
  if (path === 'wrangler.toml') return text.replaceAll(PLACEHOLDER, name);
  if (path === 'README.md' || path === '.dev.vars.example')
    return replaceCommands(manager, text.replaceAll(PLACEHOLDER, name));
  return text;
}

/**
 * Generates the secrets for this machine. In the example, each has a placeholder that says it is for
 * development.
 */
const generateSecrets = (devVars: string): string =>
  devVars.replace(
    /^(\w+)=for-development-.*$/gm,
    (_, name) => `${name}=${randomBytes(32).toString('base64url')}`,
  );

export function writeFiles(folder: string, files: Files): void {
  for (const [path, text] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
