import type { ToolDefinition } from '../model/chat-model.ts';
import { saysUnavailable } from './memory.ts';
import { type Param, paramsOf } from './params.ts';
import { changeOf, changesOf, idMarkers, isLook, isVerb, kinOf, stem, stemsOf, wordsOf } from './words.ts';

/** What the planner understands of an offered tool. */
export interface ToolCard {
  readonly name: string;
  /** How much each stem says about the tool: from its name most, from its description least. */
  readonly weights: ReadonlyMap<string, number>;
  /** The name's words without its verbs and markers: what the tool is about. */
  readonly nouns: readonly string[];
  /** The kinds of change it makes, its leading verb's first; empty when it only looks. */
  readonly changes: readonly string[];
  readonly params: readonly Param[];
  /** It cannot be used yet: its own description says so, or what was said and done. */
  readonly locked: boolean;
  /** It may be locked; only a call of it can tell. */
  readonly unsure?: boolean;
}

/** Reads a definition, once per definition object. Never throws, whatever the schema holds. */
export function toolCard(tool: ToolDefinition): ToolCard {
  const known = cards.get(tool);
  if (known !== undefined) return known;
  const card = read(tool);
  cards.set(tool, card);
  return card;
}

const cards = new WeakMap<ToolDefinition, ToolCard>();

function read({ name, description, inputSchema }: ToolDefinition): ToolCard {
  const about = description.slice(0, 1_000);
  const changes = changesOf(name, about);
  const nameStems = wordsOf(name).map(stem);
  const nouns = nameStems.filter(
    (word) =>
      !idMarkers.has(word) &&
      !isLook(word) &&
      !(isVerb(word) && changes.includes(changeOf(word))) &&
      word !== changes[0],
  );
  const params = paramsOf(inputSchema, nouns);
  const weighed = new Map<string, number>();
  const weigh = (words: readonly string[], weight: number): void => {
    for (const word of words) weighed.set(word, Math.max(weight, weighed.get(word) ?? 0));
  };
  const { name: inName, parameter, description: inDescription, parameterDescription } = weights;
  weigh(stemsOf(about), inDescription);
  weigh(
    params.flatMap((param) => stemsOf(param.description)),
    parameterDescription,
  );
  weigh(
    params.flatMap((param) => [...param.nouns, ...param.choices]),
    parameter,
  );
  weigh(nameStems, inName);
  return {
    name,
    weights: weighed,
    nouns,
    changes,
    params,
    locked: saysUnavailable(about),
  };
}

/** What a word says about a tool, by where it stands. Only the order matters: a tool is named for what it is about. */
export const weights = { name: 3, parameter: 2, description: 1, parameterDescription: 0.5 } as const;

/** How much a tool has to do with some words; 0 is nothing. */
export type Relevance = (card: ToolCard, words: readonly string[]) => number;

/** Weighs a word by how few of the offered tools share it. */
export function relevanceAmong(cards: readonly ToolCard[]): Relevance {
  const sharing = new Map<string, number>();
  for (const { weights } of cards) {
    for (const word of weights.keys()) sharing.set(word, 1 + (sharing.get(word) ?? 0));
  }
  const rarity = (word: string): number => Math.log(1 + (cards.length + 1) / (sharing.get(word) ?? 1));
  return (card, words) => words.reduce((sum, word) => sum + rarity(word) * weightOf(card, word), 0);
}

/** Answers what a stem says about a tool, directly or through what an asking word looks for. */
export const weightOf = (card: ToolCard, word: string): number =>
  card.weights.get(word) ??
  Math.max(
    0,
    ...kinOf(word).map((kin, at) => (kinCounts - at * fartherCounts) * (card.weights.get(kin) ?? 0)),
  );

/** Kin says less than the word itself, the less the farther it stands in its list; even the last of a list says some. */
const kinCounts = 0.7;
const fartherCounts = 0.05;
