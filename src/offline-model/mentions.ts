import { isScalar, parseJson, type Scalar } from '../model/untrusted-json.ts';
import { idMarkers, isVerb, stopWords, toStem, toWords } from './words.ts';

/** A value in a text, with the surrounding words that say what it is. */
export interface Mention {
  readonly kind: 'quoted' | 'email' | 'url' | 'date' | 'id' | 'number' | 'name';
  /** The value as written, without quotes, a leading `#` or a currency. */
  readonly value: string;
  /**
   * Stems of up to two words directly before it, nearest first, without markers such as `number`. Shared
   * along a list.
   */
  readonly before: readonly string[];
  /** The stem of the word directly after it, as in `3 boxes`. */
  readonly after: string | undefined;
  /** `true` for a quantity (`3 boxes`, `$5`, `1.5`), which by itself identifies no object. */
  readonly counts: boolean;
  /** The preposition among the words before it. */
  readonly preposition: string | undefined;
  /** The list number. Values joined by commas, `and` or `or` share a number. */
  readonly list: number;
  readonly index: number;
}

/** Returns the values in a text, in order, at most 40. Skips a value after `not` or `except`. */
export function findMentions(text: string): readonly Mention[] {
  const found: Mention[] = [];
  let end = 0;
  for (const match of text.matchAll(anyMention)) {
    const kind = patterns.find(([name]) => match.groups?.[name] !== undefined)?.[0] ?? 'name';
    const previous = found.at(-1);
    const between = text.slice(end, match.index);
    const inList = previous !== undefined && previous.kind === kind && conjunctions.test(between);
    const around = inList ? previous : readSurroundings(between);
    end = match.index + match[0].length;
    if (exclusion.test(text.slice(Math.max(0, match.index - 40), match.index))) continue;
    const after = findFollowingWord(text.slice(end, end + 40));
    const money =
      /[$€£]\s?$/.test(text.slice(0, match.index).slice(-2)) || /^\s?[$€£%]/.test(text.slice(end, end + 2));
    found.push({
      kind,
      value: cleanValue(kind, match[0]),
      before: around.before,
      preposition: around.preposition,
      after,
      counts: kind === 'number' && (money || after !== undefined || /[.-]/.test(match[0])),
      list: inList ? previous.list : found.length,
      index: found.length,
    });
    if (found.length === 40) break;
  }
  return found;
}

function cleanValue(kind: Mention['kind'], raw: string): string {
  if (kind === 'quoted') return raw.slice(1, -1);
  return kind === 'number' ? raw.replaceAll(',', '') : raw;
}

/** Returns the last words of `text`, back to the nearest two that name something. */
function readSurroundings(text: string): Pick<Mention, 'before' | 'preposition'> {
  const sentence =
    text
      .slice(-80)
      .split(/[.;!?\n]\s/)
      .at(-1) ?? '';
  const before: string[] = [];
  let preposition: string | undefined;
  for (const word of toWords(sentence).reverse().slice(0, 6)) {
    const filler = stopWords.has(word) || idMarkers.has(toStem(word));
    if (prepositions.has(word)) preposition ??= word;
    if (filler && before.length > 0) break;
    if (!filler) before.push(toStem(word));
    if (before.length === 2) break;
  }
  return { before, preposition };
}

function findFollowingWord(text: string): string | undefined {
  const word = /^\s+(\p{L}+)/u.exec(text)?.[1]?.toLowerCase();
  return word === undefined || stopWords.has(word) ? undefined : toStem(word);
}

const patterns: readonly (readonly [Mention['kind'], string])[] = [
  [
    'quoted',
    `"[^"]{1,500}"|“[^”]{1,500}”|\`[^\`]{1,500}\`|(?<![\\p{L}\\p{N}])'[^']{1,500}'(?![\\p{L}\\p{N}])`,
  ],
  ['url', 'https?://[^\\s<>"]{1,300}[^\\s<>".,;:!?)]'],
  ['email', '[\\w.+-]{1,64}@[\\w-]{1,64}(?:\\.[\\w-]{1,64}){1,4}'],
  ['date', '\\b\\d{4}-\\d{2}-\\d{2}(?:T[\\d:.]{1,15}(?:Z|[+-]\\d{2}:\\d{2})?)?\\b'],
  [
    'id',
    '(?<![\\w-])(?!\\d+(?:st|nd|rd|th)\\b)(?=[\\w-]{0,63}\\d)(?=[\\w-]{0,63}[A-Za-z_-])[A-Za-z0-9](?:[\\w-]{0,62}[A-Za-z0-9])?\\b',
  ],
  ['number', '(?<![\\w.])-?(?:\\d{1,3}(?:,\\d{3})+|\\d{1,15})(?:\\.\\d{1,10})?\\b'],
  ['name', "(?<=[\\p{L}\\p{N},:] )\\p{Lu}[\\p{L}'-]{1,40}(?: \\p{Lu}[\\p{L}'-]{1,40}){0,3}"],
];
const anyMention = new RegExp(patterns.map(([kind, source]) => `(?<${kind}>${source})`).join('|'), 'gu');
const prepositions: ReadonlySet<string> = new Set(['from', 'to', 'by', 'at', 'in', 'on', 'for', 'with']);
const conjunctions = /^\s*(?:,|and|or|&|vs\.?|versus|\s)+\s*$/i;
const exclusion = /\b(?:not|except|without)\s+(?:[\p{L}#]+\s+)?$/iu;

/** A named value from a tool's result or input. */
export interface NamedValue {
  /** The name as written. */
  readonly label: string;
  /** Stems of the name. */
  readonly words: readonly string[];
  /** Stems of the name without markers such as `id`. If only a marker is left, the stems of its owner. */
  readonly nouns: readonly string[];
  /** Stems of the owner: the key around it, or else the tool. */
  readonly owner: readonly string[];
  /** `true` if the name marks the value as an identifier. */
  readonly marked: boolean;
  readonly value: Scalar;
}

const maxFacts = 300;
const maxJson = 200_000;
const maxText = 4_000;

/** Returns the facts in a result: every named value of JSON, or the text after `name:` or `the name is`. */
export function readFacts(result: string, tool: readonly string[]): readonly NamedValue[] {
  const json = result.length > maxJson ? undefined : parseJson(result);
  return typeof json === 'object' && json !== null
    ? collectFacts(json, tool)
    : readTextFacts(result.slice(0, maxText), tool);
}

/** Returns the names that a result leaves empty (`null`, `""`, `[]`), each as a fact with an empty string. */
export const readAbsentFacts = (result: string, tool: readonly string[]): readonly NamedValue[] =>
  result.length > maxJson
    ? []
    : collectFactsWith(parseJson(result), tool, (value) => (isEmpty(value) ? '' : undefined));

/** Returns the named values in JSON data, outermost first, at most 300. */
export const collectFacts = (json: unknown, tool: readonly string[]): readonly NamedValue[] =>
  collectFactsWith(json, tool, (value) => (isScalar(value) && !isEmpty(value) ? value : undefined));

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

function collectFactsWith(
  json: unknown,
  tool: readonly string[],
  read: (value: unknown) => Scalar | undefined,
): readonly NamedValue[] {
  const owner = tool.map(toStem).filter((word) => !isVerb(word));
  const facts: NamedValue[] = [];
  let level: readonly JsonNode[] = [{ value: json, label: '', owner }];
  for (let depth = 0; depth < 8 && level.length > 0; depth += 1) {
    for (const { value, label, owner } of level) {
      const stated = label === '' ? undefined : read(value);
      if (facts.length < maxFacts && stated !== undefined) facts.push(createFact(label, owner, stated));
    }
    level = level.flatMap(listChildren).slice(0, 1_000);
  }
  return facts;
}

interface JsonNode {
  readonly value: unknown;
  readonly label: string;
  readonly owner: readonly string[];
}

function listChildren({ value, label, owner }: JsonNode): JsonNode[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.slice(0, 100).map((item: unknown) => ({ value: item, label, owner }));
  const around = label === '' ? owner : toWords(label).map(toStem);
  return Object.entries(value).map(([key, item]: [string, unknown]) => ({
    value: item,
    label: key,
    owner: around,
  }));
}

function createFact(label: string, owner: readonly string[], value: Scalar): NamedValue {
  const words = toWords(label.slice(0, 80)).map(toStem);
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

function readTextFacts(text: string, tool: readonly string[]): readonly NamedValue[] {
  const owner = tool.map(toStem).filter((word) => !isVerb(word));
  const lines = text.matchAll(/(?:^|[\n,;.]\s*)([\p{L}][\p{L}\p{N}_ -]{0,40}?)\s*[:=]\s*([^\n,;]{1,200})/gu);
  const named = [...lines].map(([, label = '', value = '']) => createFact(label.trim(), owner, value.trim()));
  const written = findMentions(text)
    .filter(({ kind, before }) => kind !== 'name' && before.length > 0)
    .map(({ before, value }) => ({
      ...createFact([...before].reverse().join(' '), owner, value),
      marked: true,
    }));
  return [...named, ...written].slice(0, maxFacts);
}
