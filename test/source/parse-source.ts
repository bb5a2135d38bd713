import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EcmaScriptModule, type Program, parseSync } from 'oxc-parser';

/** A file of TypeScript, and what the parser makes of it. All positions are those of `text`. */
export interface Source {
  /** Its path from the root of the checkout, with slashes. */
  readonly file: string;
  readonly text: string;
  /** The whole syntax tree. Brackets around an expression are no nodes of their own. */
  readonly program: Program;
  /** What the file imports and exports. */
  readonly module: EcmaScriptModule;
  /** Where its comments are. */
  readonly comments: readonly { readonly start: number; readonly end: number }[];
}

/** Parses a file. Its tree is built when it is first asked for. @throws Error with the place when the text is no TypeScript. */
export function parseSource(file: string, text: string): Source {
  const result = parseSync(file, text, { preserveParens: false });
  const [problem] = result.errors;
  if (problem) throw new Error(`${file} cannot be parsed: ${problem.codeframe ?? problem.message}`);
  return {
    file,
    text,
    get program() {
      return result.program;
    },
    get module() {
      return result.module;
    },
    get comments() {
      return result.comments;
    },
  };
}

/**
 * The paths of all TypeScript files in a folder and the folders inside of it, sorted, from the root of the checkout. `src/create` is
 * a package of its own, and left out.
 */
export const sourceFilesIn = (root: string, folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file).replaceAll('\\', '/'))
    .filter((file) => !file.startsWith('src/create/'))
    .sort();

/** Reads and parses a file by its path from the root of the checkout. */
export const readSource = (root: string, file: string): Source =>
  parseSource(file, readFileSync(join(root, file), 'utf8'));

/**
 * The source of the library: all that its users may run. The examples are users of it, and left out.
 */
export const readLibrary = (root: string): Source[] =>
  ['durable-objects', 'src']
    .flatMap((folder) => sourceFilesIn(root, folder))
    .filter((file) => !file.startsWith('src/examples/'))
    .map((file) => readSource(root, file));
