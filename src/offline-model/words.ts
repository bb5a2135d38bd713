/** How the offline planner reads words: English, lower case, lightly stemmed. */

const splitCamel = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu;
const wordPattern = /[\p{L}\p{N}]+/gu;

/** The lower-case words of a name or a sentence, in order; `flompId`, `flomp_id` and `flomp id` read the same. */
export const wordsOf = (text: string): string[] =>
  text.replace(splitCamel, ' ').toLowerCase().match(wordPattern) ?? [];

/** Folds the plain inflections of a word together (`charge`, `charges`, `charged`, `charging`). Never empties a word. */
export function stem(word: string): string {
  let root = word;
  if (root.length > 4 && root.endsWith('ies')) root = `${root.slice(0, -3)}y`;
  else if (root.length > 2 && root.endsWith('s') && !/(ss|us|is)$/.test(root)) root = root.slice(0, -1);
  root = root.replace(/(?<=.{3})(?:ing|ed)$/, '').replace(/([^aeious])\1$/, '$1');
  return root.length > 3 && root.endsWith('e') ? root.slice(0, -1) : root;
}

/** The stems of the words that carry meaning, in order. */
export const stemsOf = (text: string): string[] =>
  wordsOf(text)
    .filter((word) => !stopWords.has(word))
    .map(stem);

const list = (words: string): string[] => words.split(/\s+/);

/** Words that say nothing about which tool is meant. */
export const stopWords: ReadonlySet<string> = new Set(
  list(`a an the of to in on at by for with from into is are was were be been being am it its itself this that these those i me my you your
    we us our they them their he him she his her and or but then so please can could would will shall should may might must do does did
    done has have had what which how there here about as if not no don t s d ll ve re now also just tell let want need like know some any
    all other another one each every given use used using when hi hello hey thanks thank ok okay first next finally after before again
    tool only too very still more than yet via per both`),
);

/** Words in a name that make its value an identifier: `flomp_id`, `tracking code`. */
export const idMarkers: ReadonlySet<string> = new Set(
  list('id identifier code number no nr num key ref reference uuid guid sku slug token handle').map(stem),
);

/**
 * What an asking word looks for, as words that tools and results use, the closest first.
 */
const askedFor: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    where: list('location locate position whereabouts track trace address city'),
    who: list('name person people user owner contact author member email'),
    whose: list('name person people user owner contact author member'),
    when: list('date time day due at eta schedule'),
    cost: list('price total amount fee'),
    price: list('cost total amount fee'),
    amount: list('total price cost sum'),
    much: list('total amount price cost balance'),
    many: list('count number quantity total'),
  }).map(([word, kin]) => [stem(word), kin.map(stem)]),
);

/** The stems that stand for what `word` asks for; the word itself is not among them. */
export const kinOf = (word: string): readonly string[] => askedFor.get(word) ?? [];

/** The stems a task is about: its meaningful words, and its asking words. */
export const topicOf = (text: string): string[] => {
  const asking = wordsOf(text).filter((word) => word === 'when');
  return [...new Set([...stemsOf(text), ...asking])].filter((word) => !/^\d+$/.test(word));
};
