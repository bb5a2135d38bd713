/** A change to a file that a page describes. */
export interface PageChange {
  readonly file: string;
  /** If `true`, `text` contains added and removed lines. Otherwise, it is the whole file. */
  readonly isDiff: boolean;
  readonly text: string;
}

/** Returns the changes under each heading `## Step ...` of a page, in order. */
export function parseSteps(page: string): PageChange[][] {
  return page
    .split(/^## Step /m)
    .slice(1)
    .map((step) =>
      [...step.matchAll(/^```(\w+) title="([^"]+)"\n([\s\S]*?)^```$/gm)].map(
        ([, language, file = '', text = '']) => ({ file, isDiff: language === 'diff', text }),
      ),
    );
}

/**
 * Applies a diff to the text of a file. Lines with `@@` separate its hunks.
 *
 * @throws Error if the replaced text of a hunk is not in the file exactly once.
 */
export function applyDiff(text: string, diff: string): string {
  let changed = text;
  for (const hunk of diff.trimEnd().split(/^@@\n/m)) {
    const lines = hunk.trimEnd().split('\n');
    const getSide = (sign: string): string =>
      lines
        .filter((line) => line.startsWith(sign) || line.startsWith(' '))
        .map((line) => line.slice(1))
        .join('\n');
    const before = getSide('-');
    const [head, tail, ...more] = changed.split(before);
    if (head === undefined || tail === undefined || before === '' || more.length > 0)
      throw new Error(`The file must contain the replaced lines exactly once:\n${before}`);
    changed = `${head}${getSide('+')}${tail}`;
  }
  return changed;
}
