import { fillInput } from './fill-input.ts';
import {
  direct,
  fresh,
  gather,
  type Next,
  openWords,
  type PlannedCall,
  readers,
  type Situation,
} from './situation.ts';
import type { Step } from './steps.ts';
import type { ToolCard } from './tool-card.ts';
import { isLook, kinOf, stem, wordsOf } from './words.ts';

/** A call with a value answers about one thing, one with free words only about some: it must fit twice as well. */
const groundedCounts = 2;
/** Of tools that fit alike, the one that takes a value not looked up yet: worth about one word of a description. */
const newValueCounts = 1;
/**
 * Where a question names no value, each of its own words in a tool's name, form included, counts for more than a value that
 * was spoken of before: "List the flomps" is for `list_flomps`, and not for `get_flomp` with the last one.
 */
const formCounts = 2;
/** Breaks ties: of two tools that fit alike, the one that needs no words may be asked anything. */
const openCounts = 1 / 1000;
/** It does little more than break ties: what was spoken of before should not outweigh a word of the step. */
const contextCounts = 1 / 100;

/**
 * The next look-ups for a question: the tool that says most about the words that are still open, preferring values
 * over free words; else a tool that may lead to one that cannot be filled yet; else, once, a tool for any question.
 */
export function lookUp(situation: Situation): Next {
  const { cards, relevance, sources, context, topic } = situation;
  const { segment, step } = sources;
  const words = openWords(situation);
  const spent = new Set(segment.flatMap(({ input }) => Object.values(input).map(String)));
  const related = readers(cards).filter((card) => relevance(card, [...words, ...context]) > 0);
  const candidates = related.map((card) => {
    const filling = fillInput(card, sources);
    const gain = relevance(card, words);
    const newValue = filling.mentions.some(({ value }) => !spent.has(value));
    const useful =
      (gain > 0 && (filling.grounded || segment.length === 0 || direct(card, words) > 0)) || newValue;
    const rank =
      gain * ((filling.grounded ? groundedCounts : 1) + formCounts * sharedForms(card, step)) +
      (newValue ? newValueCounts : 0) +
      (card.params.some(({ required }) => required) ? 0 : openCounts) +
      contextCounts * relevance(card, context);
    return {
      card,
      filling,
      rank: useful ? rank : 0,
      wanted: direct(card, words) > 0 || kinDirect(card, words),
    };
  });
  const best = candidates
    .filter(({ rank }) => rank > 0)
    .map((candidate) => ({ ...candidate, calls: fresh(candidate.card, candidate.filling, situation) }))
    .filter(({ calls }) => calls.length > 0)
    .toSorted((left, right) => right.rank - left.rank)[0];
  if (best !== undefined) return { type: 'call', calls: best.calls };
  const unreached = candidates.filter(({ wanted, filling }) => wanted && filling.missing.length > 0);
  const nouns = unreached.flatMap(({ filling }) => filling.missing.flatMap((param) => param.nouns));
  const bridge = unreached.length > 0 ? gather(situation, nouns, segment.length > 0) : [];
  if (bridge.length > 0) return { type: 'call', calls: bridge };
  const unknown =
    words.length > 0 && words.length === topic.length && segment.length === 0 && !step.refersBack;
  const last = unknown ? lastResort(situation) : [];
  return last.length > 0 ? { type: 'call', calls: last } : { type: 'done' };
}

/** How many verbs of looking and plurals of a step that names nothing are words of the tool's name. */
function sharedForms({ name }: ToolCard, { text, mentions, refersBack }: Step): number {
  if (mentions.length > 0 || refersBack) return 0;
  const forms = wordsOf(text).filter(
    (word) => isLook(stem(word)) || (word !== stem(word) && word.endsWith('s')),
  );
  const own = new Set(wordsOf(name));
  return new Set(forms.filter((word) => own.has(word))).size;
}

const kinDirect = (card: ToolCard, words: readonly string[]): boolean =>
  words.some((word) => direct(card, kinOf(word)) > 0);

/** A tool that takes any question, when nothing else has a word in common with it. */
function lastResort(situation: Situation): readonly PlannedCall[] {
  const { cards, sources } = situation;
  for (const card of readers(cards)) {
    const required = card.params.filter((param) => param.required);
    if (required.length !== 1 || !required.every(({ shape }) => shape.type === 'text' && !shape.tells))
      continue;
    const calls = fresh(card, fillInput(card, sources), situation);
    if (calls.length > 0) return calls;
  }
  return [];
}
