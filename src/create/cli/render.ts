import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Template } from './options.ts';
import { type Manager, withCommandsOf } from './package-manager.ts';

/** What tells one project from another. */
export interface Project {
  readonly name: string;
  readonly template: Template;
  readonly manager: Manager;
  /** The version of the package manager, if it is the one that runs this program. */
  readonly managerVersion?: string | undefined;
  /** What `package.json` says of Holdfast in place of the released version. */
  readonly holdfast?: string | undefined;
}

/** The text of each file, by its path with slashes. */
export type Files = ReadonlyMap<string, string>;

const TEMPLATES = fileURLToPath(new URL('../templates/', import.meta.url));

/** The name that a project has in the templates. */
const PLACEHOLDER = 'my-agent';

/** Returns the files of a new project: those that all templates share, its template's over them, and its package manager's. */
export function renderProject(project: Project): Files {
  const { template, manager } = project;
  // Who may come in is decided by the template alone where it has tenants, and else by one token.
  const shared = template === 'multi-tenant' ? ['base'] : ['base', 'token'];
  const own = template === 'embed' ? 'embed/app' : template;
  const files = new Map([...shared, own, `managers/${manager}`].map(readLayer).reduce(merge));
  // What starts the Worker comes with the agent there.
  if (template === 'embed') files.delete('scripts/serve.mjs');
  const rendered = [...files].map(([path, text]) => [path, adapt(path, text, project)] as const);
  const devVars = rendered.find(([path]) => path === '.dev.vars.example')?.[1];
  return new Map([
    ...rendered,
    ...(devVars === undefined ? [] : [['.dev.vars', withSecrets(devVars)] as const]),
  ]);
}

/** Returns the files of one folder of the templates. npm packs no `.gitignore`, so a name that starts with a dot starts with `_` there. */
export function readLayer(layer: string): Files {
  const folder = join(TEMPLATES, layer);
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

/** Merges manifests, adds to settings, and replaces any other file. */
function merge(below: Files, above: Files): Files {
  const merged = new Map(below);
  for (const [path, text] of above) {
    const before = below.get(path);
    merged.set(path, before === undefined ? text : mergeFile(path, before, text));
  }
  return merged;
}

function mergeFile(path: string, below: string, above: string): string {
  if (path === 'package.json') return toJson(mergeManifests(JSON.parse(below), JSON.parse(above)));
  // The one with the title is the beginning.
  if (path === 'README.md' && above.startsWith('# ')) return `${above}\n${below}`;
  return ADDED_TO.has(path) ? `${below}\n${above}` : above;
}

const ADDED_TO: ReadonlySet<string> = new Set(['README.md', 'wrangler.toml', '.dev.vars.example']);

/** A `package.json`, as far as one is written here. */
export type Manifest = Readonly<Record<string, unknown>>;

/** Returns both, where the second decides. What is an object or a list in both is merged, and sorted if it lists packages. */
export function mergeManifests(below: Manifest, above: Manifest): Manifest {
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const both = { ...Object(isObject(below[key]) ? below[key] : {}), ...Object(value) };
    const entries = Object.entries(both);
    const isList = key.toLowerCase().endsWith('dependencies');
    merged[key] = !isObject(value)
      ? withAll(below[key], value)
      : Object.fromEntries(isList ? entries.toSorted(([left], [right]) => (left < right ? -1 : 1)) : entries);
  }
  return merged;
}

const withAll = (below: unknown, above: unknown): unknown =>
  Array.isArray(below) && Array.isArray(above) ? [...new Set([...below, ...above])] : above;

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const toJson = (value: Manifest): string => `${JSON.stringify(value, null, 2)}\n`;

/** Writes what is for people and tools, and no code, for this project. */
function adapt(path: string, text: string, project: Project): string {
  const { name, manager, managerVersion, holdfast } = project;
  if (path === 'package.json') {
    const own = {
      name,
      ...(holdfast !== undefined && { dependencies: { holdfast } }),
      // Corepack, which the CI file uses, would take Yarn 1.
      ...(manager === 'yarn' && managerVersion !== undefined && { packageManager: `yarn@${managerVersion}` }),
    };
    return toJson(mergeManifests(JSON.parse(text), own));
  }
  if (path === 'wrangler.toml') return text.replaceAll(PLACEHOLDER, name);
  if (path === 'README.md' || path === '.dev.vars.example')
    return withCommandsOf(manager, text.replaceAll(PLACEHOLDER, name));
  return text;
}

/** Draws the secrets of this machine: in the example each says that it is for development. */
const withSecrets = (devVars: string): string =>
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
