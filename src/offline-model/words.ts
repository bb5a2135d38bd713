/**
 * The vocabulary of the offline planner: English, lower case, lightly stemmed. It separates verbs of change
 * from look-up verbs.
 */

const splitCamel = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu;
const wordPattern = /[\p{L}\p{N}]+/gu;

/**
 * Returns the lower-case words of a name or a sentence, in order. `flompId`, `flomp_id` and `flomp id` are
 * equal.
 */
export const toWords = (text: string): string[] =>
  text.replace(splitCamel, ' ').toLowerCase().match(wordPattern) ?? [];

/**
 * Removes plain inflections: `charge`, `charges`, `charged` and `charging` are equal. Never returns an empty
 * word.
 */
export function toStem(word: string): string {
  let root = word;
  if (root.length > 4 && root.endsWith('ies')) root = `${root.slice(0, -3)}y`;
  else if (root.length > 2 && root.endsWith('s') && !/(ss|us|is)$/.test(root)) root = root.slice(0, -1);
  root = root.replace(/(?<=.{3})(?:ing|ed)$/, '').replace(/([^aeious])\1$/, '$1');
  return root.length > 3 && root.endsWith('e') ? root.slice(0, -1) : root;
}

/** Returns the stems of the meaningful words, in order. */
export const toStems = (text: string): string[] =>
  toWords(text)
    .filter((word) => !stopWords.has(word))
    .map(toStem);

const splitWords = (words: string): string[] => words.split(/\s+/);

/** Words that do not help to choose a tool. */
export const stopWords: ReadonlySet<string> = new Set(
  splitWords(`a an the of to in on at by for with from into is are was were be been being am it its itself this that these those i me my you your
    we us our they them their he him she his her and or but then so please can could would will shall should may might must do does did
    done has have had what which how there here about as if not no don t s d ll ve re now also just tell let want need like know some any
    all other another one each every given use used using when hi hello hey thanks thank ok okay first next finally after before again
    tool only too very still more than yet via per both`),
);

/** Words in a name that mark its value as an identifier: `flomp_id`, `tracking code`. */
export const idMarkers: ReadonlySet<string> = new Set(
  splitWords('id identifier code number no nr num key ref reference uuid guid sku slug token handle').map(
    toStem,
  ),
);

/** The words in tools and results that match an asking word, closest first. */
const impliedWords: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    where: splitWords('location locate position whereabouts track trace address city'),
    who: splitWords('name person people user owner contact author member email'),
    whose: splitWords('name person people user owner contact author member'),
    when: splitWords('date time day due at eta schedule'),
    cost: splitWords('price total amount fee'),
    price: splitWords('cost total amount fee'),
    amount: splitWords('total price cost sum'),
    much: splitWords('total amount price cost balance'),
    many: splitWords('count number quantity total'),
  }).map(([word, kin]) => [toStem(word), kin.map(toStem)]),
);

/** Returns the stems implied by the asking word `word`, without the word itself. */
export const listImpliedStems = (word: string): readonly string[] => impliedWords.get(word) ?? [];

/**
 * Returns the topic of a text: the stems of its meaningful words, plus `when` if the text contains it. Omits
 * numbers.
 */
export const extractTopic = (text: string): string[] => {
  const asking = toWords(text).filter((word) => word === 'when');
  return [...new Set([...toStems(text), ...asking])].filter((word) => !/^\d+$/.test(word));
};

/**
 * Returns the kinds of change that a tool makes, its leading verb's first. Empty for a read-only tool. The
 * name decides. If it has no verb, or only one before a noun (`refund_status`), the start of the description
 * decides. The description reveals an unlisted verb if it repeats it before an article (`zorble_flomp`:
 * "Zorbles a flomp."). A doubtful tool counts as one that changes data.
 */
export function listChanges(name: string, description: string): readonly string[] {
  const parts = toWords(name).map(toStem);
  const [opening = '', next = ''] = toWords(description.slice(0, 200));
  const article = /^(a|an|the|this|one|all|some|each|every|several|your|its|new|it|them)$/.test(next);
  const said = toStem(opening);
  const acts = opening === '' || changeKinds.has(said) || (article && !lookVerbs.has(said));
  if (readOnlyNouns.has(parts.at(-1) ?? '') && !(changeKinds.has(parts[0] ?? '') && acts)) return [];
  const at = parts.findIndex(isVerb);
  const verb = parts[at] ?? '';
  if (lookVerbs.has(verb)) return [];
  if (verb !== '') {
    const made = makingVerbs.has(verb) ? parts.slice(at + 1).filter((part) => !lookVerbs.has(part)) : [];
    return [verb, ...made].map(toChange);
  }
  return changeKinds.has(said) || (article && parts[0] === said && !lookVerbs.has(said))
    ? [toChange(said)]
    : [];
}

/** Returns the kind of change for a stem. Synonyms share a kind; an unlisted verb is its own kind. */
export const toChange = (word: string): string => changeKinds.get(word) ?? word;

/** Returns whether a stem is a listed verb of change or a look-up verb. */
export const isVerb = (word: string): boolean => changeKinds.has(word) || lookVerbs.has(word);

/** Returns whether a stem is a look-up verb. */
export const isLookVerb = (word: string): boolean => lookVerbs.has(word);

/** Returns whether a stem is a verb such as `get` or `show`, which does not identify the requested data. */
export const isPlainLookVerb = (word: string): boolean => plainLookVerbs.has(word);

/** The verbs on one line mean the same change. */
const changeSynonyms = `cancel void revoke withdraw abort
delete remove erase drop purge destroy discard
create add make register insert
update change set edit modify rename adjust correct replace
send email mail message notify forward
pay charge bill debit
refund reimburse repay
book reserve
buy purchase
launch begin start trigger
approve accept
reject decline refuse
block ban suspend
enable activate
disable deactivate
ship dispatch
publish post`;

/** Verbs of change without a synonym in this list. */
const otherChangeVerbs = `close reopen confirm submit transfer move pause resume stop restart lock unlock invite subscribe unsubscribe upload
  deploy execute run write save grant merge import apply escalate assign archive sign upgrade downgrade extend renew reset revert
  install uninstall attach detach link unlink commit push complete finish deliver schedule reschedule redeem donate switch turn
  generate perform clear empty vote join leave kill terminate place`;

const changeKinds: ReadonlyMap<string, string> = new Map([
  ...otherChangeVerbs.split(/\s+/).map((verb) => [toStem(verb), toStem(verb)] as const),
  ...changeSynonyms
    .split('\n')
    .map((line) => line.split(' ').map(toStem))
    .flatMap((line) => line.map((verb) => [verb, line.join()] as const)),
]);

/** Look-up verbs that do not identify the requested data. */
const plainLookVerbs: ReadonlySet<string> = new Set(
  'get find fetch list show look lookup search read view see check query retrieve tell give display load'
    .split(' ')
    .map(toStem),
);

const lookVerbs: ReadonlySet<string> = new Set([
  ...plainLookVerbs,
  ...`describe explain answer ask browse inspect track trace locate count compare calculate compute estimate convert translate
  summarize summarize analyze analyse validate verify preview recall measure predict forecast help return`
    .split(/\s+/)
    .map(toStem),
]);

/** Verbs whose meaning is in the noun that follows: `create_booking` books. */
const makingVerbs: ReadonlySet<string> = new Set(
  'create make add place perform submit start'.split(' ').map(toStem),
);

/** A name with one of these last words is read-only, even if it contains a verb: `zarnik_update_history`. */
const readOnlyNouns: ReadonlySet<string> = new Set(
  'status count info history list summary detail state policy rate limit level balance total price date time'
    .split(' ')
    .map(toStem),
);
