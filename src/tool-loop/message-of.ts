/** What of a thrown message is passed on, in characters. */
const MAX_MESSAGE = 2_000;

/** How deep a chain of causes is followed. */
const MAX_CAUSES = 5;

/** What a tool's exception says and what caused it, for a model to read; its class when it says nothing (SPM-10). */
export function messageOf(tool: string, thrown: unknown): string {
  const message = attempt(() => wordsOf(thrown, MAX_CAUSES));
  if (message.trim() !== '') return message.slice(0, MAX_MESSAGE);
  const name = attempt(() => Object(thrown).constructor?.name);
  return `Exception occurred in tool: ${tool} (${name === '' ? 'no class' : name})`;
}

/** Its own words first, and those of its cause after them, unless they are in its own already (ANN-11). */
function wordsOf(thrown: unknown, causes: number): string {
  if (!(thrown instanceof Error)) return attempt(() => String(thrown));
  const own = attempt(() => thrown.message);
  const isLast = causes === 0 || thrown.cause === undefined || thrown.cause === null;
  const cause = isLast ? '' : wordsOf(thrown.cause, causes - 1);
  if (own.trim() === '') return cause;
  return own.includes(cause) ? own : `${own} (cause: ${cause})`;
}

/** Anything can be thrown, also what cannot be made words. */
function attempt(words: () => unknown): string {
  try {
    const said = words();
    return typeof said === 'string' ? said : '';
  } catch {
    return '';
  }
}
