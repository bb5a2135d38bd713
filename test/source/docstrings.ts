import { posix } from 'node:path';
import type { Source } from './parse-source.ts';

/** The declaration of an exported name. */
export interface Declaration {
  readonly file: string;
  readonly name: string;
  /**
   * The comment before its declaration, or the comments of all its overloads, without stars. Empty if there
   * is no comment.
   */
  readonly doc: string | undefined;
}

/**
 * Returns the declaration of an exported name. Follows re-exports.
 * @throws Error if it is not declared in the sources.
 */
export function findDeclaration(
  name: string,
  source: Source,
  byFile: ReadonlyMap<string, Source>,
): Declaration {
  const found = resolveExport(name, source, byFile);
  if (!found) throw new Error(`The sources do not declare ${name}, which ${source.file} exports.`);
  return found;
}

function resolveExport(
  name: string,
  source: Source,
  byFile: ReadonlyMap<string, Source>,
): Declaration | undefined {
  for (const { exportName, importName, moduleRequest } of source.module.staticExports.flatMap(
    (one) => one.entries,
  )) {
    const isAll = exportName.kind === 'None' && moduleRequest !== null;
    if (!isAll && exportName.name !== name) continue;
    if (!moduleRequest) return parseDeclaration(source, name);
    const other = byFile.get(posix.join(posix.dirname(source.file), moduleRequest.value));
    const found = other && resolveExport(isAll ? name : (importName.name ?? name), other, byFile);
    if (found) return found;
  }
  return undefined;
}

/** Finds the declaration of a name in its own file. */
function parseDeclaration({ file, text }: Source, name: string): Declaration {
  const declaration = new RegExp(
    `^export (?:declare )?(?:abstract )?(?:const|let|type|interface|class|enum|(?:async )?function\\*?) ${name}\\b`,
    'gm',
  );
  const places = [...text.matchAll(declaration)].map(({ index }) => index);
  if (places.length === 0)
    throw new Error(`${file} declares ${name} without exporting it in the declaration.`);
  const docs = places.flatMap((at) => findComment(text.slice(0, at)) ?? []);
  return { file, name, doc: docs.length > 0 ? docs.join('\n') : undefined };
}

/** Returns the docstring at the end of a text. */
function findComment(text: string): string | undefined {
  const before = text.trimEnd();
  if (!before.endsWith('*/')) return undefined;
  const start = Math.max(before.lastIndexOf('/** '), before.lastIndexOf('/**\n'));
  if (start < 0 || before.indexOf('*/', start) < before.length - 2) return undefined;
  return before
    .slice(start + 3, -2)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim();
}

/** Returns the code of the examples in a docstring. */
export const parseExamples = (doc: string): string[] =>
  [...doc.matchAll(/@example\b[^`]*```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
