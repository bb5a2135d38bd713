import type { ToolCard } from './tool-card.ts';
import { kinOf } from './words.ts';

/** How much a tool has to do with some words; 0 is nothing. */
export type Relevance = (card: ToolCard, words: readonly string[]) => number;

/** Kin says less than the word itself, the less the farther it stands in its list; even the last of a list says some. */
const kinCounts = 0.7;
const fartherCounts = 0.05;

/** What a stem says about a tool, directly or through what an asking word looks for. */
export const weightOf = (card: ToolCard, word: string): number =>
  card.weights.get(word) ??
  Math.max(
    0,
    ...kinOf(word).map((kin, at) => (kinCounts - at * fartherCounts) * (card.weights.get(kin) ?? 0)),
  );

/** Weighs a word by how few of the offered tools share it. */
export function relevanceAmong(cards: readonly ToolCard[]): Relevance {
  const sharing = new Map<string, number>();
  for (const { weights } of cards) {
    for (const word of weights.keys()) sharing.set(word, 1 + (sharing.get(word) ?? 0));
  }
  const rarity = (word: string): number => Math.log(1 + (cards.length + 1) / (sharing.get(word) ?? 1));
  return (card, words) => words.reduce((sum, word) => sum + rarity(word) * weightOf(card, word), 0);
}
