/** What of a thrown message is passed on, in characters. */
const MAX_MESSAGE = 2_000;

/** What a thrown value says, for a model to read. */
export function messageOf(thrown: unknown): string {
  const message = wordsOf(thrown);
  return message.trim() === '' ? 'The tool failed and did not say why.' : message.slice(0, MAX_MESSAGE);
}

function wordsOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return ''; // anything can be thrown, also what cannot be made words
  }
}
