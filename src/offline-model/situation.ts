import { type Filling, fillInput } from './fill-input.ts';
import { isAbsent, type Sources } from './fill-value.ts';
import { callKey, type PastCall } from './memory.ts';
import { type Relevance, type ToolCard, weightOf, weights } from './tool-card.ts';
import { isPlainLook, kinOf, stem, wordsOf } from './words.ts';

/** A call that the planner wants to make. */
export interface PlannedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The next action for one step. */
export type Next =
  | { readonly type: 'call'; readonly calls: readonly PlannedCall[] }
  | { readonly type: 'done' }
  /** A command that cannot run. `missing` lists the inputs without a fitting value. */
  | { readonly type: 'blocked'; readonly missing: readonly string[] };

/** The planner's input for one step. */
export interface Situation {
  readonly cards: readonly ToolCard[];
  readonly relevance: Relevance;
  readonly sources: Sources;
  /** The keys of the calls made since the latest user message. */
  readonly made: ReadonlySet<string>;
  /** The topic of the step. An elliptical step also gets the topic of the previous message. */
  readonly topic: readonly string[];
  /** The topics mentioned before the step. */
  readonly context: readonly string[];
}

/**
 * Returns the topic words that no call and no fact has answered yet, without those known to have no answer.
 */
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
 * Returns whether the link to a word's subject is missing. That is so if all tools that match the word best
 * need an identifier that a result left empty. A tool with a weaker match would answer a different question.
 */
function isCutOff({ cards, sources }: Situation, word: string): boolean {
  if (sources.segment.every(({ absent }) => absent.length === 0)) return false;
  const weighed = readers(cards).map((card) => ({ card, weight: weightOf(card, word) }));
  const most = Math.max(0, ...weighed.map(({ weight }) => weight));
  const closest = weighed.filter(({ weight }) => weight > 0 && weight === most);
  return closest.length > 0 && closest.every(({ card }) => lacksAbsent(fillInput(card, sources), sources));
}

/**
 * Returns whether the call answers this word. Either its tool matches the word, or its tool and its result
 * match what the word asks for.
 */
function answers({ tool, facts }: PastCall, word: string, cards: readonly ToolCard[]): boolean {
  const card = cards.find(({ name }) => name === tool);
  if (card === undefined) return wordsOf(tool).map(stem).includes(word);
  const weight = weightOf(card, word);
  // A tool that only mentions the word does not replace a tool named after it.
  const enough = readers(cards).some((other) => direct(other, [word]) > 0)
    ? weights.parameter
    : weights.description;
  return (
    weight >= enough ||
    (weight > 0 && facts.some(({ words }) => words.some((other) => kinOf(word).includes(other))))
  );
}

/**
 * Returns look-ups with known values that can yield an input that another tool lacks. With `eager`, a tool
 * that shares no word also qualifies.
 */
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
    // A tool without required input fits any situation, so it must share a word.
    const promises = opens ? gain > faintHope : gain > 0 && filling.grounded;
    return calls.length > 0 && promises ? [{ calls, gain }] : [];
  });
  return options.toSorted((left, right) => right.gain - left.gain)[0]?.calls ?? [];
}

/**
 * Less than any shared word gives. A tool without a shared word therefore comes last, and only if `eager`.
 */
const faintHope = 0.1;

/** Returns the calls of a filling that were not made yet. */
export const fresh = ({ name }: ToolCard, { inputs }: Filling, { made }: Situation): PlannedCall[] => {
  const keys = new Set(made);
  return inputs.flatMap((input) => {
    const key = callKey(name, input);
    if (keys.has(key)) return [];
    keys.add(key);
    return [{ tool: name, input }];
  });
};

/** Returns whether a missing identifier is known to be absent, so no other call can yield it. */
export const lacksAbsent = ({ missing }: Filling, { segment }: Sources): boolean =>
  missing.some((param) => isAbsent(param, segment));

/** Returns the read-only tools that are not locked. */
export const readers = (cards: readonly ToolCard[]): ToolCard[] =>
  cards.filter(({ changes, locked }) => changes.length === 0 && !locked);

/** Returns how many of the words occur in the tool's name and parameters. */
export const direct = (card: ToolCard, words: readonly string[]): number =>
  words.filter((word) => (card.weights.get(word) ?? 0) >= weights.parameter).length;

/** Returns whether the call's result only lists the tools that are available now or must be called first. */
export function onlyPointed({ result, tool }: PastCall, cards: readonly ToolCard[]): boolean {
  if (/^tools now available:/i.test(result ?? '')) return true;
  if (result === undefined || /^\s*[[{]/.test(result) || !/\btools?\b/i.test(result.slice(0, 4_000)))
    return false;
  const named = new Set(result.slice(0, 4_000).match(/[\w.-]*\w/g));
  return cards.some(({ name }) => name !== tool && named.has(name));
}
