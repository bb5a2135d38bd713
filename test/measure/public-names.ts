import { collectExports } from '../source/imports.ts';
import type { Source } from '../source/parse-source.ts';

/** The exports of a package entry. */
export interface Entry {
  /** The import path, such as `holdfast` or `holdfast/worker`. */
  readonly entry: string;
  readonly file: string;
  /** `true` if it only re-exports names of other entries. */
  readonly onlyReexports: boolean;
  readonly values: readonly string[];
  readonly types: readonly string[];
  /** The names that it exports only to hint at the entry that really exports them. */
  readonly hints: readonly string[];
}

/** The file with these hints. */
const SIGNPOSTS = 'src/elsewhere.ts';

/** A name that several entries export. */
export interface SharedName {
  readonly name: string;
  readonly entries: readonly string[];
}

/** The part of package.json that is used here. */
export interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly types: string }>>;
}

/**
 * Returns the names of all entries, in the order of package.json. @throws Error if the source of an entry is
 * missing.
 */
export function collectEntries({ name, exports }: Manifest, sources: readonly Source[]): Entry[] {
  const byFile = new Map(sources.map((source) => [source.file, source]));
  return Object.entries(exports).map(([path, { types }]) => {
    const entry = `${name}${path.slice(1)}`;
    const built = types.replace(/^\.\/dist\//, '').replace(/\.d\.ts$/, '');
    const source = byFile.get(`${built}.ts`) ?? byFile.get(`${built}.tsx`);
    if (!source) throw new Error(`The source of ${entry}, ${built}.ts, does not exist.`);
    const all = collectNames(source, byFile, new Set());
    const hints = collectExports(source).flatMap(({ name, from }) => (from === SIGNPOSTS ? name : []));
    for (const name of hints) all.delete(name);
    const listNamesOf = (isType: boolean): string[] =>
      [...all].filter(([, is]) => is === isType).map(([one]) => one);
    const onlyReexports = collectExports(source).every(({ name }) => name === '*');
    const names = { values: listNamesOf(false).sort(), types: listNamesOf(true).sort(), hints: hints.sort() };
    return { entry, file: source.file, onlyReexports, ...names };
  });
}

/** Returns whether each exported name is a type. Re-exports are resolved in the other file. */
function collectNames(
  source: Source,
  byFile: ReadonlyMap<string, Source>,
  seen: ReadonlySet<string>,
): Map<string, boolean> {
  const names = new Map<string, boolean>();
  for (const { name, isType, from } of collectExports(source)) {
    const other = from === null ? undefined : byFile.get(from);
    if (name !== '*') names.set(name, isType);
    else if (other && !seen.has(other.file)) {
      const inner = collectNames(other, byFile, new Set([...seen, source.file]));
      for (const [one, is] of inner) if (one !== 'default') names.set(one, isType || is);
    }
  }
  return names;
}

/** Returns every name that several entries export themselves, for the same or for different declarations. */
export function findSharedNames(entries: readonly Entry[]): SharedName[] {
  const all = new Map<string, string[]>();
  for (const { entry, values, types } of entries.filter(({ onlyReexports }) => !onlyReexports)) {
    for (const name of [...values, ...types]) all.set(name, [...(all.get(name) ?? []), entry]);
  }
  return [...all]
    .filter(([, of]) => of.length > 1)
    .map(([name, of]) => ({ name, entries: of }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
