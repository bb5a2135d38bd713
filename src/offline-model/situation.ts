import { type FilledInput, fillInput } from './fill-input.ts';
import { type InputSources, isAbsent } from './fill-value.ts';
import { callKey, type PastCall } from './memory.ts';
import { computeWeight, type Relevance, type ToolCard, weights } from './tool-card.ts';
import { isPlainLookVerb, listImpliedStems, toStem, toWords } from './words.ts';

/** A call that the planner wants to make. */
export interface PlannedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The next action for one step. */
export type NextAction =
  | { readonly type: 'call'; readonly calls: readonly PlannedCall[] }
  | { readonly type: 'done' }
  /** A command that cannot run. `missing` lists the inputs without a fitting value. */
  | { readonly type: 'blocked'; readonly missing: readonly string[] };

/** The planner's input for one step. */
export interface Situation {
  readonly cards: readonly ToolCard[];
  readonly relevance: Relevance;
  readonly sources: InputSources;
  /** The keys of the calls made since the latest user message. */
  readonly made: ReadonlySet<string>;
  /** The topic of the step. An elliptical step also gets the topic of the previous message. */
  readonly topic: readonly string[];
  /** The topics mentioned before the step. */
  readonly context: readonly string[];
}

/**
 * Returns the topic words that calls and facts have not answered yet, except those known to have no answer.
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
  const asked = (remembers && step.refersBack ? calls : segment).filter(
    (call) => !isOnlyPointer(call, cards),
  );
  const isCovered = (word: string): boolean =>
    keys.has(word) ||
    (remembers && listImpliedStems(word).some((kin) => keys.has(kin))) ||
    asked.some((call) => isAnsweredBy(call, word, cards)) ||
    isCutOff(situation, word);
  return topic.filter((word) => !isPlainLookVerb(word) && !isCovered(word));
}

/**
 * Returns whether the link to a word's subject is missing. This is the case if all tools that match the word
 * best need an identifier that a result left empty. A tool with a weaker match would answer a different
 * question.
 */
function isCutOff({ cards, sources }: Situation, word: string): boolean {
  if (sources.segment.every(({ absent }) => absent.length === 0)) return false;
  const weighed = readOnlyTools(cards).map((card) => ({ card, weight: computeWeight(card, word) }));
  const most = Math.max(0, ...weighed.map(({ weight }) => weight));
  const closest = weighed.filter(({ weight }) => weight > 0 && weight === most);
  return (
    closest.length > 0 && closest.every(({ card }) => isMissingAbsent(fillInput(card, sources), sources))
  );
}

/**
 * Returns whether the call answers this word. Either its tool matches the word, or its tool and its result
 * match what the word asks for.
 */
function isAnsweredBy({ tool, facts }: PastCall, word: string, cards: readonly ToolCard[]): boolean {
  const card = cards.find(({ name }) => name === tool);
  if (card === undefined) return toWords(tool).map(toStem).includes(word);
  const weight = computeWeight(card, word);
  // A tool that only mentions the word does not replace a tool named after it.
  const enough = readOnlyTools(cards).some((other) => countDirectWords(other, [word]) > 0)
    ? weights.parameter
    : weights.description;
  return (
    weight >= enough ||
    (weight > 0 && facts.some(({ words }) => words.some((other) => listImpliedStems(word).includes(other))))
  );
}

/**
 * Returns look-ups with known values that can yield an input that another tool lacks. With `eager`, a tool
 * that shares no word also qualifies.
 */
export function gatherLookUps(
  situation: Situation,
  nouns: readonly string[],
  eager: boolean,
): readonly PlannedCall[] {
  const { cards, relevance, sources } = situation;
  const words = openWords(situation);
  const options = readOnlyTools(cards).flatMap((card) => {
    const filling = fillInput(card, sources);
    const opens = card.params.every(({ required }) => !required);
    const calls = createNewCalls(card, filling, situation);
    const gain = relevance(card, nouns) + relevance(card, words) + (eager ? minRelevance : 0);
    // A tool without required input fits any situation, so it must share a word.
    const promises = opens ? gain > minRelevance : gain > 0 && filling.grounded;
    return calls.length > 0 && promises ? [{ calls, gain }] : [];
  });
  return options.toSorted((left, right) => right.gain - left.gain)[0]?.calls ?? [];
}

/**
 * A relevance below that of any shared word. A tool without a shared word therefore comes last, and only if
 * `eager`.
 */
const minRelevance = 0.1;

/** Returns the calls of a filling that were not made yet. */
export const createNewCalls = (
  { name }: ToolCard,
  { inputs }: FilledInput,
  { made }: Situation,
): PlannedCall[] => {
  const keys = new Set(made);
  return inputs.flatMap((input) => {
    const key = callKey(name, input);
    if (keys.has(key)) return [];
    keys.add(key);
    return [{ tool: name, input }];
  });
};

/** Returns whether a missing identifier is known to be absent, so no other call can yield it. */
export const isMissingAbsent = ({ missing }: FilledInput, { segment }: InputSources): boolean =>
  missing.some((param) => isAbsent(param, segment));

/** Returns the read-only tools that are not locked. */
export const readOnlyTools = (cards: readonly ToolCard[]): ToolCard[] =>
  cards.filter(({ changes, locked }) => changes.length === 0 && !locked);

/** Returns how many of the words occur in the tool's name and parameters. */
export const countDirectWords = (card: ToolCard, words: readonly string[]): number =>
  words.filter((word) => (card.weights.get(word) ?? 0) >= weights.parameter).length;

/** Returns whether the call's result only lists the tools that are available now or must be called first. */
export function isOnlyPointer({ result, tool }: PastCall, cards: readonly ToolCard[]): boolean {
  if (/^tools now available:/i.test(result ?? '')) return true;
  if (result === undefined || /^\s*[[{]/.test(result) || !/\btools?\b/i.test(result.slice(0, 4_000)))
    return false;
  const named = new Set(result.slice(0, 4_000).match(/[\w.-]*\w/g));
  return cards.some(({ name }) => name !== tool && named.has(name));
}
