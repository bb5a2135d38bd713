/** Cuts text that came from outside to at most `max` UTF-16 units, the last of which is then an ellipsis. */
export const shorten = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;

const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
const KEY_LENGTH = 40;

/**
 * Writes a path into a JSON value as a person would: `items[0].quantity`, and odd keys as `["a b"]`.
 * With `root` the path starts there: `$.items[0]`. Long keys are cut, since a model chose them.
 */
export function formatPath(keys: readonly PropertyKey[], root = ''): string {
  let path = root;
  for (const key of keys) {
    if (typeof key === 'number') {
      path += `[${key}]`;
      continue;
    }
    const name = shorten(String(key), KEY_LENGTH);
    if (!PLAIN_KEY.test(String(key))) path += `[${JSON.stringify(name)}]`;
    else path += path === '' ? name : `.${name}`;
  }
  return path;
}
