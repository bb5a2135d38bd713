import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EcmaScriptModule, type Program, parseSync } from 'oxc-parser';

/** A parsed TypeScript file. All positions refer to `text`. */
export interface Source {
  /** Its path from the root of the checkout, with slashes. */
  readonly file: string;
  readonly text: string;
  /** The syntax tree. It has no nodes for parentheses. */
  readonly program: Program;
  /** The imports and exports of the file. */
  readonly module: EcmaScriptModule;
  /** The positions of its comments. */
  readonly comments: readonly { readonly start: number; readonly end: number }[];
}

/**
 * Parses a file. Builds its tree on first use. @throws Error with the position if the text is not valid
 * TypeScript.
 */
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
 * Returns the paths of all TypeScript files below a folder, sorted, relative to the root of the checkout.
 * Skips `src/create`, which is a separate package.
 */
export const listSourceFiles = (root: string, folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file).replaceAll('\\', '/'))
    .filter((file) => !file.startsWith('src/create/'))
    .sort();

/** Reads and parses a file by its path from the root of the checkout. */
export const readSource = (root: string, file: string): Source =>
  parseSource(file, readFileSync(join(root, file), 'utf8'));

/** Reads the source of the library without the examples. */
export const readLibrary = (root: string): Source[] =>
  ['durable-objects', 'src']
    .flatMap((folder) => listSourceFiles(root, folder))
    .filter((file) => !file.startsWith('src/examples/'))
    .map((file) => readSource(root, file));
