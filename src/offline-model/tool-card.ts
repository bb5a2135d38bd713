import type { ToolDefinition } from '../model/chat-model.ts';
import { isUnavailableText } from './memory.ts';
import { type Param, readParams } from './params.ts';
import {
  idMarkers,
  isLookVerb,
  isVerb,
  listChanges,
  listImpliedStems,
  toChange,
  toStem,
  toStems,
  toWords,
} from './words.ts';

/** The planner's view of an offered tool. */
export interface ToolCard {
  readonly name: string;
  /** The weight of each stem for the tool: highest from its name, lowest from its description. */
  readonly weights: ReadonlyMap<string, number>;
  /** The words of the name without verbs and markers: the tool's subject. */
  readonly nouns: readonly string[];
  /** The kinds of change that it makes, its leading verb's first. Empty if it only reads. */
  readonly changes: readonly string[];
  readonly params: readonly Param[];
  /** `true` if it cannot be used yet, according to its own description or to the conversation. */
  readonly locked: boolean;
  /** `true` if it may be locked. Only a call can show it. */
  readonly unsure?: boolean;
}

/** Reads a definition, once per definition object. Never throws, whatever the schema contains. */
export function readToolCard(tool: ToolDefinition): ToolCard {
  const known = cards.get(tool);
  if (known !== undefined) return known;
  const card = createCard(tool);
  cards.set(tool, card);
  return card;
}

const cards = new WeakMap<ToolDefinition, ToolCard>();

function createCard({ name, description, inputSchema }: ToolDefinition): ToolCard {
  const about = description.slice(0, 1_000);
  const changes = listChanges(name, about);
  const nameStems = toWords(name).map(toStem);
  const nouns = nameStems.filter(
    (word) =>
      !idMarkers.has(word) &&
      !isLookVerb(word) &&
      !(isVerb(word) && changes.includes(toChange(word))) &&
      word !== changes[0],
  );
  const params = readParams(inputSchema, nouns);
  const weighed = new Map<string, number>();
  const addWeights = (words: readonly string[], weight: number): void => {
    for (const word of words) weighed.set(word, Math.max(weight, weighed.get(word) ?? 0));
  };
  const { name: inName, parameter, description: inDescription, parameterDescription } = weights;
  addWeights(toStems(about), inDescription);
  addWeights(
    params.flatMap((param) => toStems(param.description)),
    parameterDescription,
  );
  addWeights(
    params.flatMap((param) => [...param.nouns, ...param.choices]),
    parameter,
  );
  addWeights(nameStems, inName);
  return {
    name,
    weights: weighed,
    nouns,
    changes,
    params,
    locked: isUnavailableText(about),
  };
}

/** The weight of a word by its position. Only the order matters: a tool is named after its subject. */
export const weights = { name: 3, parameter: 2, description: 1, parameterDescription: 0.5 } as const;

/** Returns how relevant a tool is for some words. 0 means not at all. */
export type Relevance = (card: ToolCard, words: readonly string[]) => number;

/** Creates a relevance function that weighs a word by how few of the offered tools share it. */
export function createRelevance(cards: readonly ToolCard[]): Relevance {
  const sharing = new Map<string, number>();
  for (const { weights } of cards) {
    for (const word of weights.keys()) sharing.set(word, 1 + (sharing.get(word) ?? 0));
  }
  const computeRarity = (word: string): number => Math.log(1 + (cards.length + 1) / (sharing.get(word) ?? 1));
  return (card, words) =>
    words.reduce((sum, word) => sum + computeRarity(word) * computeWeight(card, word), 0);
}

/** Returns the weight of a stem for a tool, directly or through the words that an asking word implies. */
export const computeWeight = (card: ToolCard, word: string): number =>
  card.weights.get(word) ??
  Math.max(
    0,
    ...listImpliedStems(word).map(
      (kin, at) => (impliedFactor - at * distancePenalty) * (card.weights.get(kin) ?? 0),
    ),
  );

/** An implied word weighs less than the word itself, and less with each place in its list, but never 0. */
const impliedFactor = 0.7;
const distancePenalty = 0.05;
