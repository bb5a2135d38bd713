import { collectExports, collectImports, type Import, resolveImport } from '../source/imports.ts';
import type { Source } from '../source/parse-source.ts';

/** The file changes that are needed to delete a part of the library without breaking an import. */
export interface Removal {
  /** The files to delete, including those of the part, sorted. */
  readonly files: readonly string[];
  /** The files that only re-export names, with their remaining text. */
  readonly rewritten: readonly { readonly file: string; readonly text: string }[];
  /** The kernel files that import deleted files, sorted. The part can be deleted only if there are none. */
  readonly kernel: readonly string[];
}

/** Defines which files are the part, and which are the kernel. */
export interface PartTests {
  isPart(file: string): boolean;
  isKernel(file: string): boolean;
}

/**
 * Returns the changes for the deletion of a part: each file that imports the part or another deleted file is
 * deleted. A file with only re-exports, such as a package entry, loses only the deleted names. Kernel files are
 * kept and reported.
 */
export function computeRemoval(sources: readonly Source[], { isPart, isKernel }: PartTests): Removal {
  const files = sources.map(toFile);
  const deleted = new Set<string>();
  const gone = new Map<string, ReadonlySet<string>>();
  const remove = ({ file, names }: File): void => {
    deleted.add(file);
    gone.set(file, new Set(names));
  };
  const isHit = ({ to, names }: Import): boolean =>
    deleted.has(to) || names.some((name) => gone.get(to)?.has(name));
  const listLost = (lines: readonly Line[]): string[] =>
    lines.flatMap(({ from, name, as }) => {
      const lost = gone.get(from) ?? new Set();
      if (as === null) return [...lost];
      return deleted.has(from) || lost.has(name) ? [as] : [];
    });
  const keepLines = (lines: readonly Line[]): Line[] =>
    lines.filter(({ from, name, as }) => !deleted.has(from) && (as === null || !gone.get(from)?.has(name)));

  for (const file of files) if (isPart(file.file)) remove(file);
  const rest = files.filter(({ file }) => !isPart(file) && !isKernel(file));
  for (let before = -1; before !== computeSize(gone); ) {
    before = computeSize(gone);
    for (const one of rest.filter(({ file }) => !deleted.has(file))) {
      const lost = one.lines ? listLost(one.lines) : [];
      if (one.lines ? keepLines(one.lines).length === 0 : one.imports.some(isHit)) remove(one);
      else if (lost.length > 0) gone.set(one.file, new Set(lost));
    }
  }

  const listNames = (some: readonly File[]): string[] => some.map(({ file }) => file).toSorted();
  return {
    files: [...deleted].sort(),
    rewritten: rest
      .filter(({ file }) => gone.has(file) && !deleted.has(file))
      .map(({ file, lines = [] }) => ({ file, text: keepLines(lines).map(formatImport).join('') })),
    kernel: listNames(files.filter(({ file, imports }) => isKernel(file) && imports.some(isHit))),
  };
}

const computeSize = (gone: ReadonlyMap<string, ReadonlySet<string>>): number =>
  [...gone.values()].reduce((all, names) => all + names.size + 1, 0);

interface File {
  readonly file: string;
  readonly imports: readonly Import[];
  /** The exported names. */
  readonly names: readonly string[];
  /** All its statements, if it only re-exports names. */
  readonly lines: readonly Line[] | undefined;
}

/** A re-exported name. */
interface Line {
  readonly from: string;
  readonly specifier: string;
  /** The name in the other file, or `*` for all names. */
  readonly name: string;
  /** The new name, or `null` for the original names. */
  readonly as: string | null;
  readonly isType: boolean;
}

function toFile(source: Source): File {
  const { file, program } = source;
  const isBarrel =
    program.body.length > 0 &&
    program.body.every(
      (statement) =>
        statement.type === 'ExportAllDeclaration' ||
        (statement.type === 'ExportNamedDeclaration' && statement.source !== null),
    );
  return {
    file,
    imports: collectImports(source),
    names: collectExports(source).map(({ name }) => name),
    lines: isBarrel ? collectLines(source) : undefined,
  };
}

const collectLines = ({ file, module }: Source): Line[] =>
  module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, importName, exportName, isType }) => {
      if (!moduleRequest) return [];
      const specifier = moduleRequest.value;
      const name = importName.name ?? '*';
      return [{ from: resolveImport(file, specifier), specifier, name, as: exportName.name, isType }];
    }),
  );

function formatImport({ specifier, name, as, isType }: Line): string {
  const type = isType ? 'type ' : '';
  if (as === null) return `export ${type}* from '${specifier}';\n`;
  return name === '*'
    ? `export ${type}* as ${as} from '${specifier}';\n`
    : `export { ${type}${name} as ${as} } from '${specifier}';\n`;
}
