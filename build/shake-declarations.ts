import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { parseSync } from 'oxc-parser';

/** A top-level statement of a declaration file, with the comments before it. */
interface Statement {
  readonly start: number;
  /** The start of the statement itself, after its comments. */
  readonly own: number;
  readonly end: number;
  /** The local names that it declares. */
  readonly names: readonly string[];
  /** All identifiers in it, including the names that it references. */
  readonly mentions: ReadonlySet<string>;
  /** Inline imports of types, each with a file and a name, or the whole file. */
  readonly inline: readonly Reference[];
  /**
   * `true` if it is kept even without a reference: it changes global types, runs, or makes the file a module.
   */
  readonly isKept: boolean;
  /** `true` for `export {}`, which keeps declarations without `export` local to the file. */
  readonly isMark: boolean;
  /** `true` if it declares something without `export`. */
  readonly isLocal: boolean;
  /**
   * `true` if it declares a value. Its type is written on one line, because the type is used for inference and
   * is not read by people.
   */
  readonly isValue: boolean;
  /** The names of an `import` statement. Such a statement declares no other names. */
  readonly imported?: readonly { readonly local: string; readonly text: string }[];
}

/** A name of another file, or `*` for all its exports. */
interface Reference {
  readonly file: string;
  readonly name: string;
}

/** A referenced name: an export of an entry, or a name that another statement mentions. */
interface ReferenceRequest extends Reference {
  readonly isPublic: boolean;
}

interface DeclarationFile {
  readonly text: string;
  readonly statements: readonly Statement[];
  /** The target of an exported name: a local name, or one of another file. */
  readonly exports: ReadonlyMap<string, string | Reference>;
  readonly allOf: readonly string[];
  readonly imports: ReadonlyMap<string, Reference>;
}

/** The fields of a syntax tree node that this file reads. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/**
 * Removes unreferenced files, statements and imported names from the declarations in a folder. Indents with
 * tabs, and keeps the declaration maps correct. Entries are the paths of declaration files.
 */
export function shakeDeclarations(folder: string, entries: readonly string[]): void {
  const files = new Map<string, DeclarationFile>();
  const getFile = (path: string): DeclarationFile => {
    const known = files.get(path) ?? readDeclarations(path);
    files.set(path, known);
    return known;
  };
  const used = new Map<string, Set<Statement>>();
  const published = new Set<Statement>();
  const asked = new Set<string>();
  const todo: ReferenceRequest[] = entries.map((file) => ({
    file: resolve(file),
    name: '*',
    isPublic: true,
  }));
  const kept = new Set<string>();
  for (let next = todo.pop(); next; next = todo.pop()) {
    const { file, name, isPublic } = next;
    const key = `${file} ${name} ${isPublic}`;
    if (asked.has(key)) continue;
    asked.add(key);
    const { statements, exports, allOf } = getFile(file);
    if (!kept.has(file)) {
      kept.add(file);
      for (const statement of statements) if (statement.isKept) recordUse(file, statement, false);
    }
    if (name === '*') for (const [, target] of exports) follow(file, target, isPublic);
    const target = exports.get(name);
    if (target !== undefined) follow(file, target, isPublic);
    // The name may come from any file that this file re-exports.
    if (target === undefined) for (const other of allOf) todo.push({ file: other, name, isPublic });
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(folder, name);
    const statements = used.get(path);
    if (statements === undefined && !kept.has(path)) {
      rmSync(path);
      rmSync(`${path}.map`, { force: true });
    } else writeShaken(path, getFile(path), statements ?? new Set(), published);
  }

  function follow(file: string, target: string | Reference, isPublic: boolean): void {
    if (typeof target === 'string') useLocal(file, target, isPublic);
    else todo.push({ ...target, isPublic });
  }

  function useLocal(file: string, name: string, isPublic: boolean): void {
    const { statements, imports } = getFile(file);
    const imported = imports.get(name);
    if (imported) todo.push({ ...imported, isPublic });
    for (const statement of statements)
      if (statement.names.includes(name)) recordUse(file, statement, isPublic);
  }

  function recordUse(file: string, statement: Statement, isPublic: boolean): void {
    if (isPublic) published.add(statement);
    const ofFile = used.get(file) ?? new Set();
    used.set(file, ofFile);
    if (ofFile.has(statement)) return;
    ofFile.add(statement);
    todo.push(...statement.inline.map((one) => ({ ...one, isPublic: false })));
    for (const name of statement.mentions) useLocal(file, name, false);
  }
}

function readDeclarations(path: string): DeclarationFile {
  const text = readFileSync(path, 'utf8');
  const { program, errors } = parseSync(path, text);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  const body = program.body as unknown as readonly Node[]; // the parser's own types; only a few fields are read here
  const statements: Statement[] = [];
  const exports = new Map<string, string | Reference>();
  const imports = new Map<string, Reference>();
  const allOf: string[] = [];
  const resolveSource = (source: unknown): string | undefined => {
    const to = String((source as { value: unknown }).value);
    return to.startsWith('.') ? toDeclarationPath(resolve(dirname(path), to)) : undefined;
  };
  let end = 0;
  for (const node of body) {
    const start = end;
    end = node.end;
    const names: string[] = [];
    let isKept = false;
    let imported: { local: string; text: string }[] | undefined;
    const source = node.source ? resolveSource(node.source) : undefined;
    const specifiers = (node.specifiers ?? []) as readonly Node[];
    if (node.type === 'ImportDeclaration') {
      isKept = specifiers.length === 0;
      imported = [];
      for (const one of specifiers) {
        const local = getName(one.local);
        imported.push({ local, text: text.slice(one.start, one.end) });
        const name = one.type === 'ImportSpecifier' ? getName(one.imported) : '*';
        if (source) imports.set(local, { file: source, name });
      }
    } else if (node.type === 'ExportAllDeclaration') {
      isKept = true;
      if (source) allOf.push(source);
    } else if (node.type === 'ExportNamedDeclaration' && node.declaration) {
      names.push(...getDeclaredNames(node.declaration as Node));
      for (const name of names) exports.set(name, name);
    } else if (node.type === 'ExportNamedDeclaration') {
      isKept = true;
      for (const one of specifiers) {
        const local = getName(one.local);
        exports.set(getName(one.exported), source ? { file: source, name: local } : local);
      }
    } else if (node.type === 'ExportDefaultDeclaration') {
      isKept = true;
    } else {
      names.push(...getDeclaredNames(node));
      isKept = names.length === 0;
    }
    const found = collectMentions(node, resolveSource);
    const isList = node.type === 'ImportDeclaration' || (node.type === 'ExportNamedDeclaration' && source);
    statements.push({
      start,
      own: node.start,
      end,
      names,
      isKept,
      mentions: isList ? new Set() : found.mentions,
      inline: found.inline,
      isMark: node.type === 'ExportNamedDeclaration' && !node.declaration && specifiers.length === 0,
      isLocal: names.length > 0 && !node.type.startsWith('Export'),
      isValue: isValue(node),
      ...(imported && { imported }),
    });
  }
  return { text, statements, exports, allOf, imports };
}

/**
 * Returns the path of an imported module's declarations: TypeScript reads `./a.ts` and `./a.js` as
 * `./a.d.ts`.
 */
const toDeclarationPath = (path: string): string => `${path.replace(/\.(tsx?|js)$/, '')}.d.ts`;

const getName = (node: unknown): string => {
  const { name, value } = node as { name?: string; value?: string };
  return name ?? value ?? '';
};

const isValue = (node: Node): boolean =>
  node.type === 'VariableDeclaration' ||
  (node.type === 'ExportNamedDeclaration' && node.declaration !== null && isValue(node.declaration as Node));

function getDeclaredNames(node: Node): string[] {
  if (node.type === 'VariableDeclaration') {
    return (node.declarations as readonly { id: unknown }[]).map(({ id }) => getName(id));
  }
  // `declare global` and `declare module 'x'` change declarations of other files.
  if (node.type === 'TSModuleDeclaration' || node.type === 'TSGlobalDeclaration') return [];
  return node.id ? [getName(node.id)] : [];
}

/** The keys of members are not references. */
const MEMBER_TYPES = new Set([
  'TSPropertySignature',
  'TSMethodSignature',
  'PropertyDefinition',
  'MethodDefinition',
]);

function collectMentions(
  statement: Node,
  fileOf: (source: unknown) => string | undefined,
): { mentions: Set<string>; inline: Reference[] } {
  const mentions = new Set<string>();
  const inline: Reference[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    if (typeof value !== 'object' || value === null || !('type' in value)) return;
    const node = value as Node; // every object with a `type` in the tree is a node
    if (node.type === 'Identifier') mentions.add(getName(node));
    if (node.type === 'TSImportType') {
      const file = fileOf(node.source ?? node.argument);
      if (file) inline.push({ file, name: getFirstName(node.qualifier) });
    }
    for (const [key, child] of Object.entries(node)) {
      if (key === 'key' && MEMBER_TYPES.has(node.type) && node.computed !== true) continue;
      if (node.type === 'TSImportType' && key === 'qualifier') continue;
      visit(child);
    }
  };
  visit(statement);
  return { mentions, inline };
}

/** Returns the first name of `A.B.C`, or `*` if there is none. */
function getFirstName(qualifier: unknown): string {
  if (!qualifier) return '*';
  const node = qualifier as Node; // the qualifier of an import type is a node
  return node.type === 'TSQualifiedName' ? getFirstName(node.left) : getName(node);
}

/**
 * A piece of an output line, with its original line number and the number of columns removed from its start.
 */
interface Piece {
  readonly text: string;
  readonly was: number;
  readonly lost: number;
}

function writeShaken(
  path: string,
  file: DeclarationFile,
  used: ReadonlySet<Statement>,
  published: ReadonlySet<Statement>,
): void {
  const mentioned = new Set([...used].flatMap(({ mentions }) => [...mentions]));
  const hasLocals = [...used].some(({ isLocal }) => isLocal);
  const lines: (readonly Piece[])[] = [];
  const addGeneratedLine = (text: string): void => {
    lines.push([{ text, was: -1, lost: 0 }]);
  };
  for (const statement of file.statements) {
    // Users cannot name this statement, so its own comment is removed. The comments of its members are kept,
    // since public types may include the members.
    const isNamed = statement.names.length === 0 || published.has(statement);
    const start = isNamed ? statement.start : statement.own;
    const text = file.text.slice(start, statement.end);
    const first = file.text.slice(0, start).split('\n').length - 1;
    if (statement.imported !== undefined && !statement.isKept) {
      const left = statement.imported.filter(({ local }) => mentioned.has(local));
      if (left.length === statement.imported.length) lines.push(...toPieces(text, first).map((one) => [one]));
      else if (left.length > 0) {
        // Imports of several names always use braces.
        const from = text.slice(text.lastIndexOf(' from '));
        addGeneratedLine(`import { ${left.map((one) => one.text).join(', ')} }${from}`);
      }
    } else if (used.has(statement) && (!statement.isMark || hasLocals)) {
      const pieces = toPieces(text, first);
      if (statement.isValue) lines.push(...toLines(pieces));
      else lines.push(...pieces.map((piece) => [piece]));
    }
  }
  const isModule = [...used].some(({ names, imported }) => imported === undefined && names.length > 0);
  if (lines.length === 0 && !isModule) addGeneratedLine('export {};');
  const map = JSON.parse(readFileSync(`${path}.map`, 'utf8')) as { mappings: string }; // written by the compiler
  const decoded = decode(map.mappings);
  const mappings = lines.map((pieces) => {
    let column = 0;
    return pieces.flatMap(({ text, was, lost }) => {
      const moved = column - lost;
      column += text.length;
      return (decoded[was] ?? [])
        .filter(([start]) => start >= lost)
        .map(([start, ...rest]) => [start + moved, ...rest] as SourceMapSegment);
    });
  });
  writeFileSync(`${path}.map`, JSON.stringify({ ...map, mappings: encode(mappings) }));
  const text = lines.map((pieces) => pieces.map((piece) => piece.text).join('')).join('\n');
  writeFileSync(path, `${text}\n//# sourceMappingURL=${basename(path)}.map\n`);
}

/** Returns the lines of a statement, indented with tabs, without empty ones. */
const toPieces = (text: string, first: number): Piece[] =>
  text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const shown = line.replace(/^(?: {4})+/, (spaces) => '\t'.repeat(spaces.length / 4));
    return { text: shown, was: first + at, lost: line.length - shown.length };
  });

/**
 * Joins pieces without the spaces before each line, and without semicolons before closing braces. Comments of
 * several lines keep their lines, since editors show them.
 */
function toLines(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [];
  let isInComment = false;
  let isBelowComment = false;
  for (const [at, { text, was, lost }] of pieces.entries()) {
    const trimmed = text.trimStart();
    const isLast = /^\s*\}/.test(pieces[at + 1]?.text ?? '');
    const shown = isInComment ? ` ${trimmed}` : isLast ? trimmed.replace(/;$/, '') : trimmed;
    const piece = { text: shown, was, lost: lost + text.length - shown.length };
    const line = lines.at(-1);
    if (line === undefined || isInComment || isBelowComment) lines.push([piece]);
    else line.push(piece);
    isBelowComment = isInComment && trimmed.endsWith('*/');
    isInComment = isInComment ? !isBelowComment : trimmed.startsWith('/*') && !trimmed.includes('*/');
  }
  return lines;
}
