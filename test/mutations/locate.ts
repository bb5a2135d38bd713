import type { Mutation } from '../mutations.ts';
import { findFunctions, type Span } from '../source/functions.ts';
import type { Source } from '../source/parse-source.ts';

/** The part of a file that a mutation replaces. */
export interface Place extends Span {
  readonly file: string;
}

/**
 * Finds the text that a mutation replaces. @throws Error that describes the mistake in its entry and the fix.
 */
export function locateMutation(sources: readonly Source[], mutation: Mutation): Place {
  const { name, in: owner, text } = mutation;
  const places = sources.flatMap((source) => findPlaces(source, owner));
  const [place] = places;
  const files = places.map(({ source }) => source.file).join(', ');
  if (!place) {
    throw new Error(`${name}: the function '${owner}' does not exist. ${MEND_ADVICE}`);
  }
  if (places.length > 1) {
    throw new Error(
      `${name}: ${places.length} functions are named '${owner}': in ${files}. Add the owner to the name in ` +
        `test/mutations.ts, as in 'Owner.${owner}', or name another function.`,
    );
  }
  const { source, span } = place;
  const found = [...source.text.slice(span.start, span.end).matchAll(toPattern(text))];
  const [only] = found;
  if (!only || found.length > 1) {
    throw new Error(
      `${name}: '${owner}' in ${files} must contain \`${text}\` exactly once, not ${found.length} times. ${MEND_ADVICE}`,
    );
  }
  const start = span.start + only.index;
  return { file: source.file, start, end: start + only[0].length };
}

const MEND_ADVICE = 'Update its entry in test/mutations.ts.';

function findPlaces(source: Source, name: string): { readonly source: Source; readonly span: Span }[] {
  const isNamed = name.split('.').every((part) => source.text.includes(part));
  return isNamed ? findFunctions(source, name).map((span) => ({ source, span })) : [];
}

/**
 * Returns a pattern in which white space matches any white space, because the formatter may break lines
 * anywhere.
 */
const toPattern = (text: string): RegExp =>
  new RegExp(
    text
      .trim()
      .split(/\s+/)
      .map((word) => word.replaceAll(/[$^.*+?()[\]{}|\\/]/g, '\\$&'))
      .join('\\s+'),
    'g',
  );

/** Returns the text of a file with these places replaced. They must not overlap. */
export function applyReplacements(
  text: string,
  changes: readonly { readonly place: Span; readonly becomes: string }[],
): string {
  const last = changes.toSorted((a, b) => b.place.start - a.place.start);
  return last.reduce(
    (left, { place, becomes }) => left.slice(0, place.start) + becomes + left.slice(place.end),
    text,
  );
}
