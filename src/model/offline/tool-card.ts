import type { ToolDefinition } from '../chat-model.ts';
import { type Param, paramsOf } from './params.ts';
import { changeOf, changesOf, isLook, isVerb } from './verbs.ts';
import { idMarkers, stem, stemsOf, wordsOf } from './words.ts';

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
  /** Its own description says that it cannot be used yet. */
  readonly locked: boolean;
}

const cards = new WeakMap<ToolDefinition, ToolCard>();

/** Reads a definition, once per definition object. Never throws, whatever the schema holds. */
export function toolCard(tool: ToolDefinition): ToolCard {
  const known = cards.get(tool);
  if (known !== undefined) return known;
  const card = read(tool);
  cards.set(tool, card);
  return card;
}

function read({ name, description, inputSchema }: ToolDefinition): ToolCard {
  const about = description.slice(0, 1_000);
  const changes = changesOf(name, about);
  const nameStems = wordsOf(name).map(stem);
  const nouns = nameStems.filter(
    (word) =>
      !idMarkers.has(word) && !isLook(word) && !(isVerb(word) && changes.includes(changeOf(word))) && word !== changes[0],
  );
  const params = paramsOf(inputSchema, nouns);
  const weights = new Map<string, number>();
  const weigh = (words: readonly string[], weight: number): void => {
    for (const word of words) weights.set(word, Math.max(weight, weights.get(word) ?? 0));
  };
  weigh(stemsOf(about), 1);
  weigh(
    params.flatMap((param) => stemsOf(param.description)),
    0.5,
  );
  weigh(
    params.flatMap((param) => [...param.nouns, ...param.choices]),
    2,
  );
  weigh(nameStems, 3);
  return {
    name,
    weights,
    nouns,
    changes,
    params,
    locked: /\bnot (?:yet|currently) available\b/i.test(about),
  };
}
