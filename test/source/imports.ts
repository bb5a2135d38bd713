import { posix } from 'node:path';
import { Visitor } from 'oxc-parser';
import type { Source } from './parse-source.ts';

/** One file imports another, or passes on what it exports. */
export interface Import {
  readonly from: string;
  /** A path from the root, or a package's name. */
  readonly to: string;
  /** Nothing of it is there when the code runs. */
  readonly typeOnly: boolean;
  /** What is imported, as the other file calls it: `default`, `*` for all of it, and nothing where it is only run. */
  readonly names: readonly string[];
}

/** What a file imports, `export ... from`, `import()` and the `import('...')` of types included. */
export function importsOf({ file, program, module }: Source): Import[] {
  const made = (specifier: string, typeOnly: boolean, names: readonly string[]): Import => ({
    from: file,
    to: resolved(file, specifier),
    typeOnly,
    names,
  });
  const found = module.staticImports.map(({ moduleRequest, entries }) => {
    const typeOnly = entries.length > 0 && entries.every(({ isType }) => isType);
    return made(moduleRequest.value, typeOnly, entries.map(importedName));
  });
  for (const { entries } of module.staticExports) {
    const passedOn = Map.groupBy(entries, ({ moduleRequest }) => moduleRequest?.value);
    for (const [specifier, ofFile] of passedOn) {
      if (specifier === undefined) continue;
      const typeOnly = ofFile.every(({ isType }) => isType);
      const names = ofFile.map(({ importName }) => importName.name ?? '*');
      found.push(made(specifier, typeOnly, names));
    }
  }
  new Visitor({
    ImportExpression: ({ source }) => {
      if (source.type === 'Literal') found.push(made(String(source.value), false, ['*']));
    },
    TSImportType: ({ source }) => void found.push(made(source.value, true, ['*'])),
  }).visit(program);
  return found;
}

/** A specifier as a path from the root; the name of a package stays. */
export const resolved = (file: string, specifier: string): string =>
  specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier;

type Entry = Source['module']['staticImports'][number]['entries'][number];

const importedName = ({ importName: { kind, name } }: Entry): string =>
  kind === 'Default' ? 'default' : (name ?? '*');

/** A name that a file exports. */
export interface Export {
  /** `default`; `*` for all that another file exports. */
  readonly name: string;
  readonly isType: boolean;
  /** The file or package that it is passed on from; `null` when it is the file's own. */
  readonly from: string | null;
}

/** What a file exports, each name once: overloads are one. */
export function exportsOf({ file, module }: Source): Export[] {
  const found = new Map<string, Export>();
  for (const { entries } of module.staticExports) {
    for (const { exportName, isType, moduleRequest } of entries) {
      const name = exportName.kind === 'Default' ? 'default' : (exportName.name ?? '*');
      const from = moduleRequest && resolved(file, moduleRequest.value);
      const id = name === '*' ? `* ${from}` : name;
      // A constant and a type of one name are a value.
      found.set(id, { name, from, isType: isType && (found.get(id)?.isType ?? true) });
    }
  }
  return [...found.values()];
}
