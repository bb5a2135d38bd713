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

/** A line with fenced words in quotes instead: the same for the same words, whichever mark was drawn for them. */
export const asQuoted = (line: string): string =>
  line.replaceAll(/\[untrusted ([0-9a-f]{8})\] (.*?) \[\/untrusted \1\]/gs, '"$2"');
