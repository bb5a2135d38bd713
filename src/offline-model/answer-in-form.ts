import type { OutputFormat } from '../model/chat-model.ts';
import { isRecord, isScalar, type Scalar } from '../model/untrusted-json.ts';
import { findFactValues } from './fill-value.ts';
import type { PastCall } from './memory.ts';
import { compileSafePattern, type Param, readProperties, resolveReference, type Schema } from './params.ts';
import { toStem, toWords } from './words.ts';

const maxDepth = 8;
const maxValues = 300;
const maxItems = 20;

/** The input from which the values of one answer are built. */
interface AnswerSource {
  readonly root: Schema;
  readonly calls: readonly PastCall[];
  /** The answer as text, for a text field that requests it. */
  readonly words: string;
  /** The number of values still allowed. It limits the answer to a schema that requires a huge one. */
  left: number;
}

/** The position in the form that a value fills. */
interface FormPosition {
  /** The values found for this position, best first. */
  readonly found: readonly Scalar[];
  /** `true` if this position is for the answer as text. */
  readonly tells: boolean;
  /** The stems of the enclosing property names. */
  readonly nouns: readonly string[];
  readonly depth: number;
}

/**
 * Returns JSON text that fits the form. Values come from tool results with matching names. If no value is
 * found, or it does not fit, the field gets the smallest value that the schema accepts. Deterministic for the
 * same calls; never throws.
 */
export function fillForm({ name, schema }: OutputFormat, calls: readonly PastCall[], words: string): string {
  const source: AnswerSource = { root: schema, calls, words, left: maxValues };
  const nouns = toWords(name).map(toStem);
  return JSON.stringify(fillValue(schema, source, { found: [], tells: false, nouns, depth: 0 }));
}

function fillValue(schema: unknown, source: AnswerSource, place: FormPosition): unknown {
  source.left -= 1;
  if (source.left < 0 || place.depth > maxDepth) return null;
  const { found, tells } = place;
  const part = resolvePart(schema, source.root);
  if (part.const !== undefined) return part.const;
  if (Array.isArray(part.enum)) return pickChoice(part.enum, found);
  if (part.default !== undefined && found.length === 0) return part.default;
  switch (part.type) {
    case 'object':
      return fillObject(part, source, place);
    case 'array':
      return createItems(part, source, place);
    case 'string':
      return fillText(part, [...found.map(String), ...(tells ? [source.words] : [])]);
    case 'number':
    case 'integer':
      return fillNumber(part, found.map(Number));
    case 'boolean':
      return String(found[0]) === 'true';
    default:
      return found[0] ?? null;
  }
}

const pickChoice = (choices: readonly unknown[], found: readonly Scalar[]): unknown => {
  const names = found.map(String);
  return choices.find((choice) => isScalar(choice) && names.includes(String(choice))) ?? choices[0] ?? null;
};

/** Fills the required properties, and the optional ones that have a known value. */
function fillObject(part: Schema, source: AnswerSource, { nouns, depth }: FormPosition): unknown {
  const properties = isRecord(part.properties) ? part.properties : {};
  const required = Array.isArray(part.required)
    ? part.required.filter((name) => typeof name === 'string')
    : [];
  const flat = Object.entries(properties).map(([name, schema]) => [name, withoutParts(schema, source.root)]);
  const around = { root: source.root, toolNouns: nouns, depth: 0 };
  const params = readProperties({ ...part, properties: Object.fromEntries(flat) }, around);
  const places = new Map(params.map((param) => [param.name, createPosition(param, source.calls, depth + 1)]));
  const known = [...places].filter(([, { found }]) => found.length > 0).map(([name]) => name);
  const nothing: FormPosition = { found: [], tells: false, nouns, depth: depth + 1 };
  return Object.fromEntries(
    [...new Set([...required, ...known])].map((name) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : part.additionalProperties;
      return [name, fillValue(schema, source, places.get(name) ?? nothing)];
    }),
  );
}

/** Returns the property without its nested parts. They are read only when the property is filled. */
function withoutParts(schema: unknown, root: Schema): Schema {
  const own: Schema = { ...resolvePart(schema, root), properties: undefined };
  const { items } = own;
  if (items === undefined) return own;
  return { ...own, items: { ...resolvePart(items, root), properties: undefined, items: undefined } };
}

function createPosition(param: Param, calls: readonly PastCall[], depth: number): FormPosition {
  const { name, nouns } = param;
  const shape = param.shape.type === 'list' ? param.shape.item : param.shape;
  const tells = shape.type === 'text' || /answer|reply|result|conclusion/i.test(name);
  return { found: findFactValues({ ...param, shape }, calls).values, tells, nouns, depth };
}

/** Returns one item for each known value, and at least `minItems`. */
function createItems(
  part: Schema,
  source: AnswerSource,
  { found, tells, nouns, depth }: FormPosition,
): unknown {
  const { minItems: fewest, maxItems: most, items } = part;
  const wanted = Math.max(found.length, typeof fewest === 'number' ? fewest : 0);
  const length = Math.max(0, Math.min(wanted, typeof most === 'number' ? most : maxItems, maxItems));
  return Array.from({ length }, (_, at) =>
    fillValue(items, source, { found: found.slice(at, at + 1), tells, nouns, depth: depth + 1 }),
  );
}

const MAX_NESTED = 5;
const maxBranches = 20;

/**
 * Returns part of a schema as one object with one `type`. It resolves references, merges `allOf` and picks
 * the first branch of a union that is not `null`.
 */
function resolvePart(schema: unknown, root: Schema, depth = 0): Schema {
  if (!isRecord(schema) || depth > MAX_NESTED) return {};
  const { $ref: reference, allOf, anyOf, oneOf, ...rest } = schema;
  const behind = typeof reference === 'string' ? [resolveReference(reference, root)] : [];
  const all = Array.isArray(allOf) ? allOf.slice(0, maxBranches) : [];
  const branches = [anyOf, oneOf].find(Array.isArray) ?? [];
  const parts = [...behind, ...all, ...branches.slice(0, maxBranches).filter(isNonNull).slice(0, 1)].map(
    (part) => resolvePart(part, root, depth + 1),
  );
  const merged = [rest, ...parts].reduceRight(mergeSchemas, {});
  return { ...merged, type: inferType(merged) };
}

const isNonNull = (branch: unknown): boolean => !isRecord(branch) || branch.type !== 'null';

function mergeSchemas(less: Schema, more: Schema): Schema {
  const required = [less.required, more.required].flatMap((names) => (Array.isArray(names) ? names : []));
  const properties = [less.properties, more.properties].filter(isRecord);
  return {
    ...less,
    ...more,
    ...(required.length > 0 ? { required } : {}),
    ...(properties.length > 0 ? { properties: Object.fromEntries(properties.flatMap(Object.entries)) } : {}),
  };
}

/** Returns the first type that is not `null`. Without `type`, infers it from the other keywords. */
function inferType({ type, properties, items }: Schema): unknown {
  if (Array.isArray(type)) return type.find((one) => one !== 'null') ?? 'null';
  if (type !== undefined) return type;
  if (isRecord(properties)) return 'object';
  return items === undefined ? undefined : 'array';
}

/** Returns the first wanted text that fits the schema, or a placeholder. */
const fillText = (node: Schema, wanted: readonly string[]): string => {
  const format = getFormat(node);
  const example = Object.hasOwn(examples, format) ? examples[format] : undefined;
  const candidates = [...wanted, ...(example === undefined ? [] : [example]), 'unknown', '0', 'a', 'A', ''];
  const fitting = candidates.map((text) => fitLength(node, text)).find((text) => isFittingText(node, text));
  return fitting ?? fitLength(node, example ?? 'unknown');
};

const fitLength = (node: Schema, text: string): string =>
  text
    .padEnd(Math.min(readNumber(node, 'minLength') ?? 0, MAX_PADDING), '-')
    .slice(0, Math.max(0, readNumber(node, 'maxLength') ?? Infinity));

/** The maximum length to which a text is padded. */
const MAX_PADDING = 10_000;

/** Returns whether a text satisfies the schema keywords that the planner understands. */
const isFittingText = (node: Schema, text: string): boolean => {
  const format = getFormat(node);
  const look = Object.hasOwn(formatPatterns, format) ? formatPatterns[format] : undefined;
  const pattern = compileSafePattern(node.pattern);
  return (
    text.length >= (readNumber(node, 'minLength') ?? 0) &&
    text.length <= (readNumber(node, 'maxLength') ?? Infinity) &&
    (look?.test(text) ?? true) &&
    (pattern?.test(text.slice(0, 200)) ?? true)
  );
};

const getFormat = ({ format }: Schema): string => (typeof format === 'string' ? format : '');

/** A placeholder for each `format`. */
const examples: Readonly<Record<string, string>> = {
  email: 'nobody@example.com',
  date: '1970-01-01',
  'date-time': '1970-01-01T00:00:00Z',
  time: '00:00:00Z',
  uri: 'https://example.com/',
  uuid: '00000000-0000-0000-0000-000000000000',
};

const formatPatterns: Readonly<Record<string, RegExp>> = {
  email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
  date: /^\d{4}-\d\d-\d\d$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
  time: /^\d\d:\d\d:\d\d/,
  uri: /^[a-z][a-z+.-]*:\S+$/i,
  uuid: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i,
};

/** Returns the first wanted number that fits the schema, or a simple one close to zero. */
const fillNumber = (node: Schema, wanted: readonly number[]): number => {
  const step = readNumber(node, 'multipleOf') ?? 1;
  const low = readNumber(node, 'minimum') ?? readNumber(node, 'exclusiveMinimum') ?? 0;
  const high = readNumber(node, 'maximum') ?? readNumber(node, 'exclusiveMaximum') ?? 0;
  const up = Math.ceil(low / step) * step;
  const down = Math.floor(high / step) * step;
  const near = [0, low, up, up + step, high, down, down - step, (low + high) / 2];
  return [...wanted, ...near].find((value) => isFittingNumber(node, value)) ?? 0;
};

const isFittingNumber = (node: Schema, value: number): boolean => {
  const step = readNumber(node, 'multipleOf');
  return (
    Number.isFinite(value) &&
    (node.type !== 'integer' || Number.isInteger(value)) &&
    value >= (readNumber(node, 'minimum') ?? -Infinity) &&
    value <= (readNumber(node, 'maximum') ?? Infinity) &&
    value > (readNumber(node, 'exclusiveMinimum') ?? -Infinity) &&
    value < (readNumber(node, 'exclusiveMaximum') ?? Infinity) &&
    (step === undefined || step <= 0 || Number.isInteger(value / step))
  );
};

const readNumber = (node: Schema, key: string): number | undefined => {
  const value = node[key];
  return typeof value === 'number' ? value : undefined;
};
