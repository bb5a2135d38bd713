import type { OutputFormat } from '../model/chat-model.ts';
import { isRecord, isScalar, type Scalar } from '../model/untrusted-json.ts';
import { factValues } from './fill-value.ts';
import type { PastCall } from './memory.ts';
import { type Param, propertiesOf, referred, type Schema, safePattern } from './params.ts';
import { stem, wordsOf } from './words.ts';

const maxDepth = 8;
const maxValues = 300;
const maxItems = 20;

/** What the values of one answer are made from. */
interface Source {
  readonly root: Schema;
  readonly calls: readonly PastCall[];
  /** The answer in words, for a text that is to hold it. */
  readonly words: string;
  /** How many values there may still be: a schema may want more than anybody can read. */
  left: number;
}

/** The place that a value goes to. */
interface Place {
  /** What was found for it, the best first. */
  readonly found: readonly Scalar[];
  /** It is to hold the answer in words. */
  readonly tells: boolean;
  /** The stems of what it is a part of. */
  readonly nouns: readonly string[];
  readonly depth: number;
}

/**
 * JSON text for the form: what the calls found, under the names that they found it, and where they found nothing, or
 * nothing that fits, the least that the schema takes. Always the same for the same calls; never throws.
 */
export function answerInForm(
  { name, schema }: OutputFormat,
  calls: readonly PastCall[],
  words: string,
): string {
  const source: Source = { root: schema, calls, words, left: maxValues };
  const nouns = wordsOf(name).map(stem);
  return JSON.stringify(valueFor(schema, source, { found: [], tells: false, nouns, depth: 0 }));
}

function valueFor(schema: unknown, source: Source, place: Place): unknown {
  source.left -= 1;
  if (source.left < 0 || place.depth > maxDepth) return null;
  const { found, tells } = place;
  const part = partOf(schema, source.root);
  if (part.const !== undefined) return part.const;
  if (Array.isArray(part.enum)) return choiceOf(part.enum, found);
  if (part.default !== undefined && found.length === 0) return part.default;
  switch (part.type) {
    case 'object':
      return objectOf(part, source, place);
    case 'array':
      return listOf(part, source, place);
    case 'string':
      return textFitting(part, [...found.map(String), ...(tells ? [source.words] : [])]);
    case 'number':
    case 'integer':
      return numberFitting(part, found.map(Number));
    case 'boolean':
      return String(found[0]) === 'true';
    default:
      return found[0] ?? null;
  }
}

const choiceOf = (choices: readonly unknown[], found: readonly Scalar[]): unknown => {
  const names = found.map(String);
  return choices.find((choice) => isScalar(choice) && names.includes(String(choice))) ?? choices[0] ?? null;
};

/** Fills what is required, and of the rest what is known. */
function objectOf(part: Schema, source: Source, { nouns, depth }: Place): unknown {
  const properties = isRecord(part.properties) ? part.properties : {};
  const required = Array.isArray(part.required)
    ? part.required.filter((name) => typeof name === 'string')
    : [];
  const flat = Object.entries(properties).map(([name, schema]) => [name, withoutParts(schema, source.root)]);
  const around = { root: source.root, toolNouns: nouns, depth: 0 };
  const params = propertiesOf({ ...part, properties: Object.fromEntries(flat) }, around);
  const places = new Map(params.map((param) => [param.name, placeOf(param, source.calls, depth + 1)]));
  const known = [...places].filter(([, { found }]) => found.length > 0).map(([name]) => name);
  const nothing: Place = { found: [], tells: false, nouns, depth: depth + 1 };
  return Object.fromEntries(
    [...new Set([...required, ...known])].map((name) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : part.additionalProperties;
      return [name, valueFor(schema, source, places.get(name) ?? nothing)];
    }),
  );
}

/** A property as it is read alone: what is inside of it is looked at when it is filled, if it ever is. */
function withoutParts(schema: unknown, root: Schema): Schema {
  const own: Schema = { ...partOf(schema, root), properties: undefined };
  const { items } = own;
  if (items === undefined) return own;
  return { ...own, items: { ...partOf(items, root), properties: undefined, items: undefined } };
}

function placeOf(param: Param, calls: readonly PastCall[], depth: number): Place {
  const { name, nouns } = param;
  const shape = param.shape.type === 'list' ? param.shape.item : param.shape;
  const tells = shape.type === 'text' || /answer|reply|result|conclusion/i.test(name);
  return { found: factValues({ ...param, shape }, calls).values, tells, nouns, depth };
}

/** One item for each value that is known, and no fewer than there must be. */
function listOf(part: Schema, source: Source, { found, tells, nouns, depth }: Place): unknown {
  const { minItems: fewest, maxItems: most, items } = part;
  const wanted = Math.max(found.length, typeof fewest === 'number' ? fewest : 0);
  const length = Math.max(0, Math.min(wanted, typeof most === 'number' ? most : maxItems, maxItems));
  return Array.from({ length }, (_, at) =>
    valueFor(items, source, { found: found.slice(at, at + 1), tells, nouns, depth: depth + 1 }),
  );
}

const maxNested = 5;
const maxBranches = 20;

/**
 * A part of a schema as one object with one `type`: behind its references, with all that `allOf` adds, and of a union the
 * first branch that is more than `null`.
 */
function partOf(schema: unknown, root: Schema, depth = 0): Schema {
  if (!isRecord(schema) || depth > maxNested) return {};
  const { $ref: reference, allOf, anyOf, oneOf, ...rest } = schema;
  const behind = typeof reference === 'string' ? [referred(reference, root)] : [];
  const all = Array.isArray(allOf) ? allOf.slice(0, maxBranches) : [];
  const branches = [anyOf, oneOf].find(Array.isArray) ?? [];
  const parts = [...behind, ...all, ...branches.slice(0, maxBranches).filter(isMore).slice(0, 1)].map(
    (part) => partOf(part, root, depth + 1),
  );
  const merged = [rest, ...parts].reduceRight(together, {});
  return { ...merged, type: typeOf(merged) };
}

const isMore = (branch: unknown): boolean => !isRecord(branch) || branch.type !== 'null';

function together(less: Schema, more: Schema): Schema {
  const required = [less.required, more.required].flatMap((names) => (Array.isArray(names) ? names : []));
  const properties = [less.properties, more.properties].filter(isRecord);
  return {
    ...less,
    ...more,
    ...(required.length > 0 ? { required } : {}),
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties.flatMap(Object.entries)) } : {}),
  };
}

/** Takes the first of several types that is more than `null`; without any, it follows from the other keywords. */
function typeOf({ type, properties, items }: Schema): unknown {
  if (Array.isArray(type)) return type.find((one) => one !== 'null') ?? 'null';
  if (type !== undefined) return type;
  if (isRecord(properties)) return 'object';
  return items === undefined ? undefined : 'array';
}

/** A text that the schema takes: one of those wanted, else a stand-in. */
const textFitting = (node: Schema, wanted: readonly string[]): string => {
  const format = formatOf(node);
  const example = Object.hasOwn(examples, format) ? examples[format] : undefined;
  const candidates = [...wanted, ...(example === undefined ? [] : [example]), 'unknown', '0', 'a', 'A', ''];
  const fitting = candidates.map((text) => sized(node, text)).find((text) => fitsText(node, text));
  return fitting ?? sized(node, example ?? 'unknown');
};

const sized = (node: Schema, text: string): string =>
  text
    .padEnd(Math.min(numberIn(node, 'minLength') ?? 0, maxPadding), '-')
    .slice(0, Math.max(0, numberIn(node, 'maxLength') ?? Infinity));

/** No text is padded to more than this. */
const maxPadding = 10_000;

/** True when a text may stand where the schema wants one, as far as its keywords are understood. */
const fitsText = (node: Schema, text: string): boolean => {
  const format = formatOf(node);
  const look = Object.hasOwn(looks, format) ? looks[format] : undefined;
  const pattern = safePattern(node.pattern);
  return (
    text.length >= (numberIn(node, 'minLength') ?? 0) &&
    text.length <= (numberIn(node, 'maxLength') ?? Infinity) &&
    (look?.test(text) ?? true) &&
    (pattern?.test(text.slice(0, 200)) ?? true)
  );
};

const formatOf = ({ format }: Schema): string => (typeof format === 'string' ? format : '');

/** What each format takes, by an example that stands in for nothing known. */
const examples: Readonly<Record<string, string>> = {
  email: 'nobody@example.com',
  date: '1970-01-01',
  'date-time': '1970-01-01T00:00:00Z',
  time: '00:00:00Z',
  uri: 'https://example.com/',
  uuid: '00000000-0000-0000-0000-000000000000',
};

const looks: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
  time: /^\d\d:\d\d:\d\d/,
  uri: /^[a-z][a-z+.-]*:\S+$/i,
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
};

/** A number that the schema takes: one of those wanted, else the one nearest to zero that is easily found. */
const numberFitting = (node: Schema, wanted: readonly number[]): number => {
  const step = numberIn(node, 'multipleOf') ?? 1;
  const low = numberIn(node, 'minimum') ?? numberIn(node, 'exclusiveMinimum') ?? 0;
  const high = numberIn(node, 'maximum') ?? numberIn(node, 'exclusiveMaximum') ?? 0;
  const up = Math.ceil(low / step) * step;
  const down = Math.floor(high / step) * step;
  const near = [0, low, up, up + step, high, down, down - step, (low + high) / 2];
  return [...wanted, ...near].find((value) => fitsNumber(node, value)) ?? 0;
};

/** True when a number may stand where the schema wants one. */
const fitsNumber = (node: Schema, value: number): boolean => {
  const step = numberIn(node, 'multipleOf');
  return (
    Number.isFinite(value) &&
    (node.type !== 'integer' || Number.isInteger(value)) &&
    value >= (numberIn(node, 'minimum') ?? -Infinity) &&
    value <= (numberIn(node, 'maximum') ?? Infinity) &&
    value > (numberIn(node, 'exclusiveMinimum') ?? -Infinity) &&
    value < (numberIn(node, 'exclusiveMaximum') ?? Infinity) &&
    (step === undefined || step <= 0 || Number.isInteger(value / step))
  );
};

const numberIn = (node: Schema, key: string): number | undefined => {
  const value = node[key];
  return typeof value === 'number' ? value : undefined;
};
