import { failure, type ToolResult } from '../tools/tool-result.ts';

/** What of a hostile name is echoed, and how many names are listed. */
const MAX_NAME = 64;
const MAX_LISTED = 100;

/** Tokens in common, over all tokens of both. Lower would suggest by chance. */
const MIN_SIMILARITY = 0.25;
/** A name that holds the other whole is likelier than its tokens say. */
const SUBSTRING_BONUS = 0.2;
const MAX_SUGGESTIONS = 3;

/** What a model reads when it calls a tool that it was not offered (TNF-02). */
export function toolNotFound(name: string, offered: ReadonlyMap<string, unknown>): ToolResult {
  const names = [...offered.keys()];
  const listed = names.slice(0, MAX_LISTED).join(', ');
  const more = names.length > MAX_LISTED ? `, and ${names.length - MAX_LISTED} more` : '';
  return failure(
    'unknown-tool',
    `Tool '${name.slice(0, MAX_NAME)}' does not exist.${suggestion(suggestNames(name, names))} ` +
      `Available tools: [${listed}${more}]. Use the exact tool name from this list. Do not combine or prefix tool ` +
      'names — tool names found in source code or search results are not callable.',
  );
}

function suggestion(names: readonly string[]): string {
  if (names.length === 0) return '';
  if (names.length === 1) return ` Did you mean '${names[0]}'?`;
  return ` Possible matches: [${names.map((name) => `'${name}'`).join(', ')}].`;
}

/**
 * Names like the one the model made up, best first, at most three: those that differ in case and punctuation only,
 * else those that share words (TNF-04).
 */
export function suggestNames(wanted: string, names: readonly string[]): string[] {
  const name = wanted.slice(0, MAX_NAME);
  const plain = normalised(name);
  if (plain.length < 3) return [];
  const same = names.filter((other) => normalised(other) === plain);
  if (same.length > 0) return same.slice(0, MAX_SUGGESTIONS);
  const ranked = names
    .map((other) => ({ other, score: similarity(name, other) }))
    .filter(({ score }) => score >= MIN_SIMILARITY)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_SUGGESTIONS);
  const [first, second] = ranked;
  if (first && second && first.score >= 2 * second.score) return [first.other];
  return ranked.map(({ other }) => other);
}

function similarity(a: string, b: string): number {
  const [left, right] = [tokens(a), tokens(b)];
  const common = [...left].filter((token) => right.has(token)).length;
  const all = new Set([...left, ...right]).size;
  const [plainA, plainB] = [normalised(a), normalised(b)];
  const holds = plainB.length >= 3 && (plainA.includes(plainB) || plainB.includes(plainA));
  return Math.min(1, (all === 0 ? 0 : common / all) + (holds ? SUBSTRING_BONUS : 0));
}

const normalised = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Words of three letters and more, at separators and humps. */
const tokens = (name: string): Set<string> =>
  new Set(
    name
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((token) => token.length >= 3),
  );
