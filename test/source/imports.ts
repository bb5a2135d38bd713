import { posix } from 'node:path';
import { Visitor } from 'oxc-parser';
import type { Source } from './parse-source.ts';

/** An import of another file, or a re-export of its exports. */
export interface Import {
  readonly from: string;
  /** A path from the root, or a package's name. */
  readonly to: string;
  /** `true` for an import of types only. */
  readonly typeOnly: boolean;
  /**
   * The imported names, as the other file exports them: `default`, or `*` for all. Empty for an import without
   * names.
   */
  readonly names: readonly string[];
}

/**
 * Returns the imports of a file, including `export ... from`, `import()` and the `import('...')` of types.
 */
export function collectImports({ file, program, module }: Source): Import[] {
  const createImport = (specifier: string, typeOnly: boolean, names: readonly string[]): Import => ({
    from: file,
    to: resolveImport(file, specifier),
    typeOnly,
    names,
  });
  const found = module.staticImports.map(({ moduleRequest, entries }) => {
    const typeOnly = entries.length > 0 && entries.every(({ isType }) => isType);
    return createImport(moduleRequest.value, typeOnly, entries.map(getImportedName));
  });
  for (const { entries } of module.staticExports) {
    const passedOn = Map.groupBy(entries, ({ moduleRequest }) => moduleRequest?.value);
    for (const [specifier, ofFile] of passedOn) {
      if (specifier === undefined) continue;
      const typeOnly = ofFile.every(({ isType }) => isType);
      const names = ofFile.map(({ importName }) => importName.name ?? '*');
      found.push(createImport(specifier, typeOnly, names));
    }
  }
  new Visitor({
    ImportExpression: ({ source }) => {
      if (source.type === 'Literal') found.push(createImport(String(source.value), false, ['*']));
    },
    TSImportType: ({ source }) => void found.push(createImport(source.value, true, ['*'])),
  }).visit(program);
  return found;
}

/** Returns a specifier as a path from the root. Package names are unchanged. */
export const resolveImport = (file: string, specifier: string): string =>
  specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier;

type Entry = Source['module']['staticImports'][number]['entries'][number];

const getImportedName = ({ importName: { kind, name } }: Entry): string =>
  kind === 'Default' ? 'default' : (name ?? '*');

/** A name that a file exports. */
export interface Export {
  /** The name, `default`, or `*` for all exports of another file. */
  readonly name: string;
  readonly isType: boolean;
  /** The source of a re-export, or `null` if the file declares the name itself. */
  readonly from: string | null;
}

/** Returns the exports of a file. Overloads count once. */
export function collectExports({ file, module }: Source): Export[] {
  const found = new Map<string, Export>();
  for (const { entries } of module.staticExports) {
    for (const { exportName, isType, moduleRequest } of entries) {
      const name = exportName.kind === 'Default' ? 'default' : (exportName.name ?? '*');
      const from = moduleRequest && resolveImport(file, moduleRequest.value);
      const id = name === '*' ? `* ${from}` : name;
      // A constant and a type with the same name count as a value.
      found.set(id, { name, from, isType: isType && (found.get(id)?.isType ?? true) });
    }
  }
  return [...found.values()];
}
