import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { collectImports } from '../source/imports.ts';
import { listSourceFiles, type Source } from '../source/parse-source.ts';
import type { Manifest } from './public-names.ts';

/** A part of the library that must not add to the size of a Worker that does not import it. */
export interface Feature {
  /** The path of its folder or its single file, from the root of the checkout: `src/modules/openapi`. */
  readonly path: string;
  /** The entries of package.json whose source is in it, as they are written there: `./openapi`. */
  readonly entries: readonly string[];
}

const MODULES = 'src/modules';

/** The entries that are the kernel itself. Every other entry is a feature. */
const KERNEL_ENTRIES = ['.', './worker', './durable-objects', './events', './models'];

/**
 * Returns the features, sorted: each folder in `src/modules`, and each other location of an entry in
 * package.json. A location inside another feature is part of that feature.
 */
export function collectFeatures({ exports }: Manifest, files: readonly string[]): Feature[] {
  const features = new Map<string, string[]>();
  for (const file of files) {
    const [, folder] = /^src\/modules\/([^/]+)\//.exec(file) ?? [];
    if (folder !== undefined) features.set(`${MODULES}/${folder}`, []);
  }
  for (const [entry, { types }] of Object.entries(exports)) {
    if (KERNEL_ENTRIES.includes(entry)) continue;
    const path = getFeatureFolder(types);
    features.set(path, [...(features.get(path) ?? []), entry]);
  }
  const findOutermost = (path: string): string =>
    [...features.keys()].filter((one) => isOfFeature(path, one)).toSorted((a, b) => a.length - b.length)[0] ??
    path;
  const grouped = Object.groupBy([...features], ([path]) => findOutermost(path));
  return Object.entries(grouped)
    .map(([path, parts = []]) => ({ path, entries: parts.flatMap(([, entries]) => entries) }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns the folder of an entry. A file directly in `src` is a separate feature. */
function getFeatureFolder(types: string): string {
  const file = types.replace(/^\.\/dist\//, '').replace(/\.d\.ts$/, '.ts');
  const folder = dirname(file);
  return folder === 'src' ? file : folder;
}

/** Returns `true` if a file belongs to a feature. */
export const isOfFeature = (file: string, path: string): boolean =>
  file === path || file.startsWith(`${path}/`);

/** Returns `true` if a feature is a module: in the folder of modules, a surface, or MCP. */
export const isModule = ({ path }: Feature): boolean =>
  [`${MODULES}/`, 'src/surfaces/', 'src/mcp'].some((start) => path.startsWith(start));

/** Returns the features that these files, such as a Worker's, import by name. */
export function listImportedFeatures(features: readonly Feature[], sources: readonly Source[]): Feature[] {
  const imported = sources.flatMap(collectImports).map(({ to }) => to);
  return features.filter(({ path }) => imported.some((file) => isOfFeature(file, path)));
}

/** Returns the features of this checkout. */
export function readLibraryFeatures(): Feature[] {
  const root = resolve(import.meta.dirname, '../..');
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest; // the package.json of this repository
  return collectFeatures(manifest, listSourceFiles(root, MODULES));
}
