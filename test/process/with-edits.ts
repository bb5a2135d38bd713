import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Plugin } from 'esbuild';

/** One place in the checkout's code that reads otherwise in a build. */
export interface Edit {
  /** From the root of the checkout. */
  readonly file: string;
  /** Stands there exactly once. */
  readonly from: string;
  readonly to: string;
}

/**
 * Builds the code with these edits, and leaves the files alone. A build fails when a text is not there exactly once, so that
 * none goes on as another version without being one.
 */
export const withEdits = (root: string, edits: readonly Edit[]): Plugin => ({
  name: 'edits',
  setup({ onLoad, onEnd }) {
    const left = new Set(edits);
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const wanted = edits.filter(({ file }) => resolve(root, file) === path);
      if (wanted.length === 0) return undefined;
      for (const edit of wanted) left.delete(edit);
      return { contents: wanted.reduce(edited, await readFile(path, 'utf8')), loader: 'ts' };
    });
    onEnd(() => {
      const [unused] = left;
      return unused ? { errors: [{ text: `${unused.file} is no part of this build.` }] } : undefined;
    });
  },
});

function edited(code: string, { file, from, to }: Edit): string {
  const pieces = code.split(from);
  if (pieces.length !== 2) throw new Error(`${file} has ${pieces.length - 1} of this text: ${from}`);
  return pieces.join(to);
}
