import { createFailureResult, type ToolResult } from '../tool/tool-result.ts';
import { DEFAULT_POLICIES, type UnknownToolPolicy } from './policies.ts';

/**
 * The maximum number of characters of a hostile name to echo. `MAX_LISTED`: the maximum number of listed
 * names.
 */
const MAX_NAME_LENGTH = 64;
const MAX_LISTED = 100;

/** Returns the result of a call to a tool that was not offered. */
export function createNotFoundResult(
  name: string,
  offered: ReadonlyMap<string, unknown>,
  policy: UnknownToolPolicy,
): ToolResult {
  const names = [...offered.keys()];
  const more = names.length > MAX_LISTED ? `, and ${names.length - MAX_LISTED} more` : '';
  const available = `Available tools: [${names.slice(0, MAX_LISTED).join(', ')}${more}]`;
  const wanted = name.slice(0, MAX_NAME_LENGTH);
  if (policy.mode === 'immediate')
    return createFailureResult('unknown-tool', `Tool '${wanted}' not found. ${available}`);
  return createFailureResult(
    'unknown-tool',
    `Tool '${wanted}' does not exist.${formatSuggestion(suggestNames(name, names, policy))} ${available}. ` +
      'Use the exact tool name from this list. Do not combine or prefix tool names — tool names found in source code ' +
      'or search results are not callable.',
  );
}

/** Returns the only name that differs from the wanted one just in case and punctuation. */
export function findSameName(wanted: string, names: Iterable<string>): string | undefined {
  const plain = normalizeName(wanted.slice(0, MAX_NAME_LENGTH));
  const same = plain === '' ? [] : [...names].filter((name) => normalizeName(name) === plain);
  return same.length === 1 ? same[0] : undefined;
}

function formatSuggestion(names: readonly string[]): string {
  if (names.length === 0) return '';
  if (names.length === 1) return ` Did you mean '${names[0]}'?`;
  return ` Possible matches: [${names.map((name) => `'${name}'`).join(', ')}].`;
}

/**
 * Returns names similar to the one that the model made up, best match first, up to `policy.suggestions`.
 * Prefers names that differ only in case and punctuation over names that share words.
 */
export function suggestNames(
  wanted: string,
  names: readonly string[],
  policy: UnknownToolPolicy = DEFAULT_POLICIES.unknownTools,
): string[] {
  const name = wanted.slice(0, MAX_NAME_LENGTH);
  const plain = normalizeName(name);
  if (plain.length < 3) return [];
  const same = names.filter((other) => normalizeName(other) === plain);
  if (same.length > 0) return same.slice(0, policy.suggestions);
  const ranked = names
    .map((other) => ({ other, score: computeSimilarity(name, other, policy.containment) }))
    .filter(({ score }) => score >= policy.similarity)
    .sort((a, b) => b.score - a.score)
    .slice(0, policy.suggestions);
  const [first, second] = ranked;
  if (first && second && first.score >= 2 * second.score) return [first.other];
  return ranked.map(({ other }) => other);
}

function computeSimilarity(a: string, b: string, containment: number): number {
  const [left, right] = [tokenize(a), tokenize(b)];
  const common = [...left].filter((token) => right.has(token)).length;
  const all = new Set([...left, ...right]).size;
  const [plainA, plainB] = [normalizeName(a), normalizeName(b)];
  const holds = plainB.length >= 3 && (plainA.includes(plainB) || plainB.includes(plainA));
  return Math.min(1, (all === 0 ? 0 : common / all) + (holds ? containment : 0));
}

const normalizeName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** Splits a name at separators and humps into words of at least three letters. */
const tokenize = (name: string): Set<string> =>
  new Set(
    name
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((token) => token.length >= 3),
  );
