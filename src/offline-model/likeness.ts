import type { Fact } from './facts.ts';
import type { PastCall } from './memory.ts';
import type { Param } from './params.ts';
import { kinOf, stem, wordsOf } from './words.ts';

/** How a fact may be what a parameter asks for. Only their order matters: of several facts the surest kind is taken. */
const unlike = 0;
/** `total` for `amount`, or `zarnik_code` for `lost_zarnik_id`: another name that may mean the same. */
const akin = 1;
/** `flomp: "F-12"` for `flomp_id`: the thing's own name, over a value that could identify it. */
const aboutSame = 2;
/** `flomp_code` for `flomp_id`: an identifier of the same thing under another name. */
const identifiesSame = 3;
/** `flomp_id` for `flompId`: the same name. */
const sameName = 4;

/** How surely a fact is what the parameter asks for, by its name; 0 is not at all. */
export function likeness(fact: Fact, { name, nouns, shape }: Param): number {
  const words = wordsOf(name).map(stem);
  const same = sameWords(fact.words, words);
  switch (shape.type) {
    case 'id':
      return likenessToId(fact, nouns, words);
    case 'number':
      if (typeof fact.value !== 'number') return unlike;
      if (same) return sameName;
      return kinOf(words.at(-1) ?? '').includes(fact.words.at(-1) ?? '') ? akin : unlike;
    case 'email':
      return /^[^\s@]+@[^\s@]+$/.test(String(fact.value)) ? akin : unlike;
    default:
      return same ? sameName : unlike;
  }
}

function likenessToId(fact: Fact, nouns: readonly string[], words: readonly string[]): number {
  const bare = !words.some((word) => nouns.includes(word));
  if (bare) return fact.marked && nouns.some((noun) => fact.nouns.includes(noun)) ? identifiesSame : unlike;
  if (sameWords(fact.words, words)) return sameName;
  const about = sameWords(fact.nouns, nouns);
  if (about && fact.marked) return identifiesSame;
  if (about) return /\d/.test(String(fact.value)) ? aboutSame : unlike;
  return fact.marked && fact.nouns.at(-1) === nouns.at(-1) ? akin : unlike;
}

const sameWords = (left: readonly string[], right: readonly string[]): boolean =>
  left.length > 0 && left.length === right.length && left.every((word) => right.includes(word));

/** True when a call found that there is no such identifier: its result names it and leaves it empty. */
export const isAbsent = (param: Param, calls: readonly PastCall[]): boolean =>
  param.shape.type === 'id' &&
  calls.some(({ absent }) => absent.some((fact) => likeness(fact, param) > unlike));
