import { type Filling, fillInput } from './fill-input.ts';
import { isAbsent, type Sources } from './fill-value.ts';
import { callKey, type PastCall } from './memory.ts';
import { type Relevance, type ToolCard, weightOf, weights } from './tool-card.ts';
import { isPlainLook, kinOf, stem, wordsOf } from './words.ts';

/** A call that the planner wants to be made. */
export interface PlannedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What comes next for one step. */
export type Next =
  | { readonly type: 'call'; readonly calls: readonly PlannedCall[] }
  | { readonly type: 'done' }
  /** A command that cannot be carried out; `missing` are the inputs that nothing fits. */
  | { readonly type: 'blocked'; readonly missing: readonly string[] };

/** The situation in which the planner considers a step. */
export interface Situation {
  readonly cards: readonly ToolCard[];
  readonly relevance: Relevance;
  readonly sources: Sources;
  /** The keys of the calls made since the latest user message. */
  readonly made: ReadonlySet<string>;
  /** What the step is about, with the words it leaves to the message before it. */
  readonly topic: readonly string[];
  /** What was spoken of before the step. */
  readonly context: readonly string[];
}

/** The words of the topic that no call and no fact has answered yet, and that are not known to have no answer. */
export function openWords(situation: Situation): string[] {
  const { sources, cards, topic } = situation;
  const { step, segment, background } = sources;
  const remembers = step.mentions.every(({ kind }) => kind === 'name');
  const calls = remembers ? [...segment, ...background] : segment;
  const keys = new Set(
    calls
      .flatMap(({ facts, absent }) => [...facts, ...absent])
      .filter(({ marked }) => !marked)
      .flatMap(({ words }) => words),
  );
  const asked = (remembers && step.refersBack ? calls : segment).filter((call) => !onlyPointed(call, cards));
  const covered = (word: string): boolean =>
    keys.has(word) ||
    (remembers && kinOf(word).some((kin) => keys.has(kin))) ||
    asked.some((call) => answers(call, word, cards)) ||
    isCutOff(situation, word);
  return topic.filter((word) => !isPlainLook(word) && !covered(word));
}

/**
 * True when a call found no link to what the word asks for: the tools that say most about the word all lack an
 * identifier that a result left empty. A tool that says less about it would answer something else.
 */
function isCutOff({ cards, sources }: Situation, word: string): boolean {
  if (sources.segment.every(({ absent }) => absent.length === 0)) return false;
  const weighed = readers(cards).map((card) => ({ card, weight: weightOf(card, word) }));
  const most = Math.max(0, ...weighed.map(({ weight }) => weight));
  const closest = weighed.filter(({ weight }) => weight > 0 && weight === most);
  return closest.length > 0 && closest.every(({ card }) => lacksAbsent(fillInput(card, sources), sources));
}

/** True when the call was made for this word: its tool is about it, or its tool and its result are about what it asks for. */
function answers({ tool, facts }: PastCall, word: string, cards: readonly ToolCard[]): boolean {
  const card = cards.find(({ name }) => name === tool);
  if (card === undefined) return wordsOf(tool).map(stem).includes(word);
  const weight = weightOf(card, word);
  // A tool that only mentions the word does not stand in for one that is named for it.
  const enough = readers(cards).some((other) => direct(other, [word]) > 0)
    ? weights.parameter
    : weights.description;
  return (
    weight >= enough ||
    (weight > 0 && facts.some(({ words }) => words.some((other) => kinOf(word).includes(other))))
  );
}

/** A look at something that is known, which may yield what another tool lacks. `eager`: without any word in common. */
export function gather(
  situation: Situation,
  nouns: readonly string[],
  eager: boolean,
): readonly PlannedCall[] {
  const { cards, relevance, sources } = situation;
  const words = openWords(situation);
  const options = readers(cards).flatMap((card) => {
    const filling = fillInput(card, sources);
    const opens = card.params.every(({ required }) => !required);
    const calls = fresh(card, filling, situation);
    const gain = relevance(card, nouns) + relevance(card, words) + (eager ? faintHope : 0);
    // A tool that needs no input may lead anywhere, so it has to have a word in common.
    const promises = opens ? gain > faintHope : gain > 0 && filling.grounded;
    return calls.length > 0 && promises ? [{ calls, gain }] : [];
  });
  return options.toSorted((left, right) => right.gain - left.gain)[0]?.calls ?? [];
}

/** It is less than one word in common ever gives, so that a look without any comes last, and then only an eager one. */
const faintHope = 0.1;

/** The calls of a filling that were not made yet. */
export const fresh = ({ name }: ToolCard, { inputs }: Filling, { made }: Situation): PlannedCall[] => {
  const keys = new Set(made);
  return inputs.flatMap((input) => {
    const key = callKey(name, input);
    if (keys.has(key)) return [];
    keys.add(key);
    return [{ tool: name, input }];
  });
};

/** True when an identifier that is missing was found to be absent, so that no other call can be expected to yield it. */
export const lacksAbsent = ({ missing }: Filling, { segment }: Sources): boolean =>
  missing.some((param) => isAbsent(param, segment));

/** The tools that only look, and can be used now. */
export const readers = (cards: readonly ToolCard[]): ToolCard[] =>
  cards.filter(({ changes, locked }) => changes.length === 0 && !locked);

/** Answers how many of the words the tool's name and parameters carry. */
export const direct = (card: ToolCard, words: readonly string[]): number =>
  words.filter((word) => (card.weights.get(word) ?? 0) >= weights.parameter).length;

/** A call that only said which tools there are now, or which must come first. */
export function onlyPointed({ result, tool }: PastCall, cards: readonly ToolCard[]): boolean {
  if (/^tools now available:/i.test(result ?? '')) return true;
  if (result === undefined || /^\s*[[{]/.test(result) || !/\btools?\b/i.test(result.slice(0, 4_000)))
    return false;
  const named = new Set(result.slice(0, 4_000).match(/[\w.-]*\w/g));
  return cards.some(({ name }) => name !== tool && named.has(name));
}
