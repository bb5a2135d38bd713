import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/**
 * A replacement of text in the code of a build. The text identifies the place, because code can move to other
 * files.
 */
export interface Edit {
  /** The end of the file's path. Defaults to any file. */
  readonly file?: string;
  /** The replaced text. It must occur exactly once in the build or the file. */
  readonly from: string;
  readonly to: string;
}

/**
 * Builds the code with these edits without changing its files. The build fails if a text does not occur exactly
 * once, so that an edit cannot be skipped silently.
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
