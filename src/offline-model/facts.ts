import { isScalar, parseJson, type Scalar } from '../model/untrusted-json.ts';
import { mentionsIn } from './mentions.ts';
import { idMarkers, isVerb, stem, wordsOf } from './words.ts';

/** A value that a tool's result or input gave a name to. */
export interface Fact {
  /** The name as it was written. */
  readonly label: string;
  /** Stems of the name. */
  readonly words: readonly string[];
  /** Stems of the name without markers such as `id`; those of what it belongs to when only a marker is left. */
  readonly nouns: readonly string[];
  /** Stems of what it belongs to: the key around it, or else the tool. */
  readonly owner: readonly string[];
  /** The name says that the value is an identifier. */
  readonly marked: boolean;
  readonly value: Scalar;
}

const maxFacts = 300;
const maxJson = 200_000;
const maxText = 4_000;

/** The facts in a result: of JSON every named value, of text what stands after `name:` or `the name is`. */
export function factsIn(result: string, tool: readonly string[]): readonly Fact[] {
  const json = result.length > maxJson ? undefined : parseJson(result);
  return typeof json === 'object' && json !== null
    ? factsOf(json, tool)
    : factsOfText(result.slice(0, maxText), tool);
}

/**
 * Answers what a result names and leaves empty (`null`, `""`, `[]`), each as a fact whose value is the empty string.
 */
export const absentIn = (result: string, tool: readonly string[]): readonly Fact[] =>
  result.length > maxJson
    ? []
    : factsFor(parseJson(result), tool, (value) => (isEmpty(value) ? '' : undefined));

/** The named values in JSON data, outermost first, at most 300. */
export const factsOf = (json: unknown, tool: readonly string[]): readonly Fact[] =>
  factsFor(json, tool, (value) => (isScalar(value) && !isEmpty(value) ? value : undefined));

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

function factsFor(
  json: unknown,
  tool: readonly string[],
  read: (value: unknown) => Scalar | undefined,
): readonly Fact[] {
  const owner = tool.map(stem).filter((word) => !isVerb(word));
  const facts: Fact[] = [];
  let level: readonly Node[] = [{ value: json, label: '', owner }];
  for (let depth = 0; depth < 8 && level.length > 0; depth += 1) {
    for (const { value, label, owner } of level) {
      const stated = label === '' ? undefined : read(value);
      if (facts.length < maxFacts && stated !== undefined) facts.push(fact(label, owner, stated));
    }
    level = level.flatMap(childrenOf).slice(0, 1_000);
  }
  return facts;
}

interface Node {
  readonly value: unknown;
  readonly label: string;
  readonly owner: readonly string[];
}

function childrenOf({ value, label, owner }: Node): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.slice(0, 100).map((item: unknown) => ({ value: item, label, owner }));
  const around = label === '' ? owner : wordsOf(label).map(stem);
  return Object.entries(value).map(([key, item]: [string, unknown]) => ({
    value: item,
    label: key,
    owner: around,
  }));
}

function fact(label: string, owner: readonly string[], value: Scalar): Fact {
  const words = wordsOf(label.slice(0, 80)).map(stem);
  const nouns = words.filter((word) => !idMarkers.has(word));
  return {
    label,
    words,
    nouns: nouns.length === 0 ? owner : nouns,
    owner,
    marked: nouns.length < words.length,
    value,
  };
}

function factsOfText(text: string, tool: readonly string[]): readonly Fact[] {
  const owner = tool.map(stem).filter((word) => !isVerb(word));
  const lines = text.matchAll(/(?:^|[\n,;.]\s*)([\p{L}][\p{L}\p{N}_ -]{0,40}?)\s*[:=]\s*([^\n,;]{1,200})/gu);
  const named = [...lines].map(([, label = '', value = '']) => fact(label.trim(), owner, value.trim()));
  const written = mentionsIn(text)
    .filter(({ kind, before }) => kind !== 'name' && before.length > 0)
    .map(({ before, value }) => ({ ...fact([...before].reverse().join(' '), owner, value), marked: true }));
  return [...named, ...written].slice(0, maxFacts);
}
