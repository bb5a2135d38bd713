/** Pages that are copied from the docs of other libraries, and the edits to them. */
import type { Plugin } from 'esbuild';

/** A page from the docs of a library. */
export interface CopiedPage {
  readonly code: string;
  /** The folder from which its imports are resolved. */
  readonly folder: string;
  /** Replacements of text. Each `from` must occur once. */
  readonly changes: readonly (readonly [from: string, to: string])[];
}

/** Returns the first block with this file name in the docs. */
export function extractBlock(docs: string, file: string): string {
  const [, code] = new RegExp(`\`\`\`tsx [^\\n]*'${file}'[^\\n]*\\n(.*?)\`\`\``, 's').exec(docs) ?? [];
  if (code === undefined) throw new Error(`The docs have no code block for ${file}.`);
  return code;
}

/**
 * Lets a bundle import the pages with `import { pages } from 'copied:pages'`. Each page is loaded on demand.
 */
export const createCopiedPagesPlugin = (pages: Readonly<Record<string, CopiedPage>>): Plugin => ({
  name: 'copied pages',
  setup(building) {
    building.onResolve({ filter: /^copied:/ }, ({ path }) => ({ path: path.slice(7), namespace: 'copied' }));
    building.onLoad({ filter: /^pages$/, namespace: 'copied' }, () => {
      const lines = Object.keys(pages).map((name) => `'${name}': () => import('copied:page/${name}'),`);
      return { contents: `export const pages = {${lines.join('\n')}};` };
    });
    building.onLoad({ filter: /^page\//, namespace: 'copied' }, ({ path }) => {
      const page = pages[path.slice(5)];
      if (!page) throw new Error(`The copied pages do not include '${path}'.`);
      return { contents: applyChanges(page), loader: 'tsx', resolveDir: page.folder };
    });
  },
});

function applyChanges({ code, changes }: CopiedPage): string {
  for (const [from] of changes)
    if (code.split(from).length !== 2)
      throw new Error(`The page must contain this text exactly once: ${from}`);
  return changes.reduce((text, [from, to]) => text.replace(from, () => to), code);
}
