/** Texts one below the other with an empty line between; those that are empty or absent are left out. */
export const paragraphs = (...texts: readonly (string | undefined)[]): string =>
  texts.filter((text) => text !== undefined && text !== '').join('\n\n');
