import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { type ArrowFunctionExpression, type Function as FunctionNode, Visitor } from 'oxc-parser';
import { parseSource, type Source } from '../../source/parse-source.ts';

/** A function of a built Worker, identified by its start. */
export interface CountedFunction {
  /** Relative to the root of the checkout. */
  readonly file: string;
  readonly line: number;
}

/**
 * Code that runs before all modules. It defines the set of functions that were entered since the last read of
 * `/executed`.
 */
const BANNER =
  'globalThis.__executed = new Set(); globalThis.__entered = (number) => { globalThis.__executed.add(number); };';

/**
 * Returns an esbuild plugin that records each executed function as its index in `functions`. It covers the
 * library and its packages, but not the examples and the measured Worker.
 */
export function createInstrumentPlugin(root: string, functions: CountedFunction[]): Plugin {
  return {
    name: 'instrumented',
    setup({ initialOptions, onLoad }) {
      initialOptions.banner = { js: BANNER };
      onLoad({ filter: /\.(ts|js|mjs)$/ }, async ({ path }) => {
        const file = relative(root, path).replaceAll('\\', '/');
        if (!isMeasured(file)) return undefined;
        const source = parseSource(file, await readFile(path, 'utf8'));
        return { contents: withCounts(source, functions), loader: file.endsWith('.ts') ? 'ts' : 'js' };
      });
    },
  };
}

/** Returns `true` if a file is part of the library. All other counted files belong to packages. */
export const isLibrary = (file: string): boolean =>
  /^(src|durable-objects)\//.test(file) && !file.startsWith('src/examples/');

const isMeasured = (file: string): boolean => isLibrary(file) || file.includes('node_modules/');

interface Insertion {
  readonly at: number;
  readonly text: string;
}

function withCounts(source: Source, functions: CountedFunction[]): string {
  const { file, text } = source;
  const insertions: Insertion[] = [];
  const add = ({ start, body }: FunctionNode | ArrowFunctionExpression): void => {
    if (body === null) return; // an overload has no body
    const entered = `__entered(${functions.push({ file, line: computeLine(text, start) }) - 1})`;
    if (body.type === 'BlockStatement') {
      insertions.push({ at: body.start + 1, text: `${entered};` });
    } else {
      insertions.push({ at: body.start, text: `(${entered},` }, { at: body.end, text: ')' });
    }
  };
  new Visitor({ FunctionDeclaration: add, FunctionExpression: add, ArrowFunctionExpression: add }).visit(
    source.program,
  );
  const pieces: string[] = [];
  let from = 0;
  for (const { at, text: more } of insertions.toSorted((a, b) => a.at - b.at)) {
    pieces.push(text.slice(from, at), more);
    from = at;
  }
  return [...pieces, text.slice(from)].join('');
}

const computeLine = (text: string, position: number): number => text.slice(0, position).split('\n').length;
