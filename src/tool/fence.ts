/**
 * Draws a mark that none of these texts holds: whoever wrote them could not know it. It is drawn once, when the texts enter a
 * session, and is kept with them, so that what a model was shown stays as it was.
 */
export function drawMark(texts: readonly string[]): string {
  for (;;) {
    const mark = crypto.randomUUID().slice(0, 8);
    if (!texts.some((text) => text.includes(mark))) return mark;
  }
}

/** Puts words of somebody outside between two marks, with this between the marks and them: no words can end what is theirs. */
export const fenced = (words: string, mark: string, between: '\n' | ' '): string =>
  `[untrusted ${mark}]${between}${words}${between}[/untrusted ${mark}]`;

/**
 * A line with fenced words in quotes instead: the same for the same words, whichever mark was drawn for them. A mark that has no
 * end is passed over, so that a line of many beginnings is read once.
 */
export function asQuoted(line: string): string {
  const lastEnds = new Map(Array.from(line.matchAll(END), ({ index, 1: mark }) => [mark, index]));
  let quoted = '';
  let from = 0;
  for (const { index, 0: start, 1: mark } of line.matchAll(START)) {
    const begin = index + start.length;
    if (index < from || (lastEnds.get(mark) ?? -1) < begin) continue;
    const end = line.indexOf(` [/untrusted ${mark}]`, begin);
    quoted += `${line.slice(from, index)}"${line.slice(begin, end)}"`;
    from = end + ` [/untrusted ${mark}]`.length;
  }
  return quoted + line.slice(from);
}

const START = /\[untrusted ([0-9a-f]{8})\] /g;
const END = / \[\/untrusted ([0-9a-f]{8})\]/g;
