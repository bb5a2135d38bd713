/** This file knows which words ask for a change, and which only for a look: general English, and no tool's own vocabulary. */
import { stem, wordsOf } from './words.ts';

/**
 * The kinds of change that a tool makes, its leading verb's first; empty for a tool that only looks. The name decides;
 * a name without a verb, or with one before a thing (`refund_status`), leaves it to how the description begins. A verb
 * nobody listed is recognised by a description that repeats it before an article (`zorble_flomp`: "Zorbles a flomp."),
 * so that doubt falls on the side of "changes".
 */
export function changesOf(name: string, description: string): readonly string[] {
  const parts = wordsOf(name).map(stem);
  const [opening = '', next = ''] = wordsOf(description.slice(0, 200));
  const article = /^(a|an|the|this|one|all|some|each|every|several|your|its|new|it|them)$/.test(next);
  const said = stem(opening);
  const acts = opening === '' || classes.has(said) || (article && !looks.has(said));
  if (things.has(parts.at(-1) ?? '') && !(classes.has(parts[0] ?? '') && acts)) return [];
  const at = parts.findIndex(isVerb);
  const verb = parts[at] ?? '';
  if (looks.has(verb)) return [];
  if (verb !== '') {
    const made = makers.has(verb) ? parts.slice(at + 1).filter((part) => !looks.has(part)) : [];
    return [verb, ...made].map(changeOf);
  }
  return classes.has(said) || (article && parts[0] === said && !looks.has(said)) ? [changeOf(said)] : [];
}

/** The kind of change that a stem names, equal for synonyms; a verb nobody listed is its own kind. */
export const changeOf = (word: string): string => classes.get(word) ?? word;

/** True for a listed verb of change or of looking. Takes a stem. */
export const isVerb = (word: string): boolean => classes.has(word) || looks.has(word);

/** True for a verb of looking. Takes a stem. */
export const isLook = (word: string): boolean => looks.has(word);

/** True for a verb (`get`, `show`) that says that something is wanted, not what. Takes a stem. */
export const isPlainLook = (word: string): boolean => plainLooks.has(word);

/** Verbs of one line mean the same change. */
const synonyms = `cancel void revoke withdraw abort
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

/** Verbs of change that have no synonym here. */
const others = `close reopen confirm submit transfer move pause resume stop restart lock unlock invite subscribe unsubscribe upload
  deploy execute run write save grant merge import apply escalate assign archive sign upgrade downgrade extend renew reset revert
  install uninstall attach detach link unlink commit push complete finish deliver schedule reschedule redeem donate switch turn
  generate perform clear empty vote join leave kill terminate place`;

const classes: ReadonlyMap<string, string> = new Map([
  ...others.split(/\s+/).map((verb) => [stem(verb), stem(verb)] as const),
  ...synonyms
    .split('\n')
    .map((line) => line.split(' ').map(stem))
    .flatMap((line) => line.map((verb) => [verb, line.join()] as const)),
]);

/** Verbs of looking that say nothing about what is wanted. */
const plainLooks: ReadonlySet<string> = new Set(
  'get find fetch list show look lookup search read view see check query retrieve tell give display load'
    .split(' ')
    .map(stem),
);

const looks: ReadonlySet<string> = new Set([
  ...plainLooks,
  ...`describe explain answer ask browse inspect track trace locate count compare calculate compute estimate convert translate
  summarize summarise analyze analyse validate verify preview recall measure predict forecast help return`
    .split(/\s+/)
    .map(stem),
]);

/** Verbs that only introduce what is done: `create_booking` books. */
const makers: ReadonlySet<string> = new Set(
  'create make add place perform submit start'.split(' ').map(stem),
);

/** A name that ends so is a thing to look at, even with a verb in it: `zarnik_update_history`. */
const things: ReadonlySet<string> = new Set(
  'status count info history list summary detail state policy rate limit level balance total price date time'
    .split(' ')
    .map(stem),
);
