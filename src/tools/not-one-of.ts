/** What a setting must be: undefined when it is one of these words, else the words, as in `'all' or 'any'`. */
export const notOneOf = (value: unknown, words: readonly string[]): string | undefined =>
  words.some((word) => word === value) ? undefined : words.map((word) => `'${word}'`).join(' or ');
