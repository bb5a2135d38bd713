const SHORTEST_KEY = 20;

const hasKeyPrefix = (run: string): boolean => /^(?:sk|pk|rk|gsk|xai|nvapi|hf|AIza)[-_]/.test(run);

/** Mixed in a way that names and words are not, or a long number in hexadecimal digits. */
const isRandom = (run: string): boolean =>
  /^[0-9a-f]{32,}$/i.test(run) ||
  (run.length >= SHORTEST_KEY && /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run));

const blot = (text: string): string =>
  text
    .replace(/\b(Bearer|Basic)\s+\S+/gi, '$1 [secret]')
    .replace(/\b((?:api[-_]?)?key|token|secret|password)=[^\s&]+/gi, '$1=[secret]')
    .replace(/[\w-]{8,}/g, (run) => (hasKeyPrefix(run) || isRandom(run) ? '[secret]' : run));

/**
 * Makes what takes everything that looks like a credential out of a message. The model of an SDK keeps its key to itself,
 * so the key can only be known by its looks. `name`, the model's own, is kept: the reader needs it.
 */
export const blotCredentials =
  (name: string) =>
  (message: string): string =>
    name === '' ? blot(message) : message.split(name).map(blot).join(name);
