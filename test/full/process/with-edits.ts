import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** One place in the code that reads otherwise in a build. It is known by its text alone, where it can be: code may move. */
export interface Edit {
  /** How the path of its file ends; any file unless given. */
  readonly file?: string;
  /** Stands exactly once in what is built, or in that file. */
  readonly from: string;
  readonly to: string;
}

/**
 * Builds the code with these edits, and leaves the files alone. A build fails when a text is not there exactly once, so that
 * none goes on as another version without being one.
 */
export const withEdits = (edits: readonly Edit[]): Plugin => ({
  name: 'edits',
  setup({ onLoad, onEnd }) {
    const found = new Map(edits.map((edit) => [edit, 0]));
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const code = await readFile(path, 'utf8');
      const ofFile = edits.filter(({ file = '' }) => path.endsWith(file));
      const edited = ofFile.reduce((text, edit) => {
        const pieces = text.split(edit.from);
        found.set(edit, (found.get(edit) ?? 0) + pieces.length - 1);
        return pieces.join(edit.to);
      }, code);
      return edited === code ? undefined : { contents: edited, loader: 'ts' };
    });
    onEnd(() => {
      const errors = [...found].flatMap(([{ from }, times]) =>
        times === 1 ? [] : [{ text: `This build has ${times} places of this text, and not one: ${from}` }],
      );
      return { errors };
    });
  },
});
