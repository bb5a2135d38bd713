import { besidesFiles } from '../../worker/body.ts';

/**
 * Checks the text of a body that may hold files: besides what is inside of its texts it may hold no more than other bodies, since a value of
 * a few characters takes many bytes of memory.
 *
 * @throws SessionError if it is too large.
 */
export function mustFit(json: string, most: number): void {
  if (json.length > most && lengthBesidesTexts(json) > most) throw besidesFiles(most);
}

/** The characters of JSON text that stand outside of its texts, their quotes included. */
function lengthBesidesTexts(json: string): number {
  let length = json.length;
  for (let open = json.indexOf('"'); open >= 0; ) {
    const close = endOfText(json, open);
    length -= close - open - 1;
    open = json.indexOf('"', close + 1);
  }
  return length;
}

/** Where the text that begins here ends: at a quote before which no backslash stands that is none of a pair, or where all does. */
function endOfText(json: string, open: number): number {
  let close = json.indexOf('"', open + 1);
  for (; close >= 0; close = json.indexOf('"', close + 1)) {
    let slashes = 0;
    while (json[close - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return close;
  }
  return json.length;
}
