import { isRecord, isScalar, type Scalar } from '../model/untrusted-json.ts';
import { idMarkers, toStem, toWords } from './words.ts';

/** The kinds of parameters that the planner can fill from a JSON Schema. */
export type ParamShape =
  | { readonly type: 'choice'; readonly values: readonly Scalar[] }
  | { readonly type: 'boolean' }
  | { readonly type: 'number'; readonly integer: boolean; readonly minimum: number; readonly maximum: number }
  /** An identifier. The planner never invents one, and never uses a value that names something else. */
  | { readonly type: 'id'; readonly numeric: boolean; readonly pattern: RegExp | undefined }
  | { readonly type: 'email' | 'date' | 'url' }
  /** Free text: a question or a message. */
  | { readonly type: 'text'; readonly tells: boolean }
  /** A short string of unknown kind, such as a name or a city. */
  | { readonly type: 'phrase' }
  | { readonly type: 'list'; readonly item: ParamShape }
  | { readonly type: 'object'; readonly params: readonly Param[] }
  | { readonly type: 'unknown' };

/** One property of an input. */
export interface Param {
  readonly name: string;
  readonly description: string;
  /** The stems of its name without markers such as `id`. If only a marker is left, the stems of its tool. */
  readonly nouns: readonly string[];
  /** A preposition in its name, as in `from_flomp`. */
  readonly preposition: string | undefined;
  readonly required: boolean;
  readonly fallback: unknown;
  readonly shape: ParamShape;
  /** The stems of the words of its enum. */
  readonly choices: readonly string[];
}

/** A JSON Schema or a part of it. */
export type Schema = Readonly<Record<string, unknown>>;

/**
 * Returns the properties of an object schema, at most 40. Follows local `$ref`s and the first useful branch
 * of a union.
 */
export const readParams = (schema: Schema, toolNouns: readonly string[]): readonly Param[] =>
  readProperties(schema, { root: schema, toolNouns, depth: 0 });

interface SchemaContext {
  /** The whole schema, in which local references are resolved. */
  readonly root: Schema;
  /** The stems of the tool's subject. */
  readonly toolNouns: readonly string[];
  /** The number of enclosing lists and objects. */
  readonly depth: number;
}

/** Returns the properties of an object schema inside a larger schema. */
export function readProperties(node: Schema, around: SchemaContext): readonly Param[] {
  const { root, toolNouns } = around;
  const properties = isRecord(node.properties) ? Object.entries(node.properties) : [];
  const required: readonly unknown[] = Array.isArray(node.required) ? node.required : [];
  const params: Param[] = properties.slice(0, 40).map(([name, value]) => {
    const schema = resolveSchema(value, root);
    const description = typeof schema.description === 'string' ? schema.description.slice(0, 300) : '';
    const words = toWords(name);
    const stems = words.map(toStem);
    const nouns = stems.filter((word) => !idMarkers.has(word) && !/^(from|to)$/.test(word));
    const shape = toParamShape(schema, { words, description }, around);
    const choices =
      shape.type === 'choice' ? shape.values.flatMap((choice) => toWords(String(choice)).map(toStem)) : [];
    return {
      name,
      description,
      nouns: nouns.length === 0 ? toolNouns : nouns,
      preposition: words.find((word) => word === 'from' || word === 'to'),
      required: required.includes(name),
      fallback: schema.default,
      shape,
      choices,
    };
  });
  const missing = required
    .filter((name) => typeof name === 'string')
    .filter((name) => !params.some((param) => param.name === name));
  return [...params, ...missing.slice(0, 1).map(createUnknownParam)];
}

/** Returns a parameter for a required property without a schema. It can never be filled. */
const createUnknownParam = (name: string): Param => ({
  name,
  description: '',
  nouns: [],
  preposition: undefined,
  required: true,
  fallback: undefined,
  shape: { type: 'unknown' },
  choices: [],
});

function toParamShape(schema: Schema, naming: ParamNaming, around: SchemaContext): ParamShape {
  if (around.depth > maxDepth) return { type: 'unknown' };
  if (isScalar(schema.const)) return { type: 'choice', values: [schema.const] };
  if (Array.isArray(schema.enum))
    return { type: 'choice', values: schema.enum.filter(isScalar).slice(0, 100) };
  const declared: unknown = schema.type;
  switch (Array.isArray(declared) ? declared.find((type) => type !== 'null') : declared) {
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
      return toNumberShape(schema, naming, true);
    case 'number':
      return toNumberShape(schema, naming, false);
    case 'string':
      return toStringShape(schema, naming);
    case 'array':
      return {
        type: 'list',
        item: toParamShape(resolveSchema(schema.items, around.root), naming, nestContext(around)),
      };
    case 'object':
      return { type: 'object', params: readProperties(schema, nestContext(around)) };
    default:
      return { type: 'unknown' };
  }
}

const nestContext = (around: SchemaContext): SchemaContext => ({ ...around, depth: around.depth + 1 });

interface ParamNaming {
  readonly words: readonly string[];
  readonly description: string;
}

function toNumberShape(schema: Schema, { words }: ParamNaming, integer: boolean): ParamShape {
  const readBound = (key: string, otherwise: number): number =>
    typeof schema[key] === 'number' ? schema[key] : otherwise;
  if (hasIdMarker(words) && !words.includes('number'))
    return { type: 'id', numeric: true, pattern: undefined };
  return {
    type: 'number',
    integer,
    minimum: readBound('minimum', -Infinity),
    maximum: readBound('maximum', Infinity),
  };
}

function toStringShape(schema: Schema, { words, description }: ParamNaming): ParamShape {
  const format = typeof schema.format === 'string' ? schema.format : '';
  if (format === 'email' || words.at(-1) === 'email') return { type: 'email' };
  if (/^date/.test(format) || words.at(-1) === 'date') return { type: 'date' };
  if (/^ur[il]/.test(format) || words.at(-1) === 'url') return { type: 'url' };
  const pattern = compileSafePattern(schema.pattern);
  if (hasIdMarker(words) || pattern !== undefined || format === 'uuid')
    return { type: 'id', numeric: false, pattern };
  if (words.some((word) => questionName.test(word))) return { type: 'text', tells: false };
  if (words.some((word) => messageName.test(word))) return { type: 'text', tells: true };
  return /\b(?:id|identifier|code)\b/i.test(description)
    ? { type: 'id', numeric: false, pattern: undefined }
    : { type: 'phrase' };
}

const hasIdMarker = (words: readonly string[]): boolean => words.some((word) => idMarkers.has(toStem(word)));

/** Resolves local references and unions with `null`. */
function resolveSchema(value: unknown, root: Schema, depth = 0): Schema {
  if (!isRecord(value) || depth > maxDepth) return {};
  const reference = value.$ref;
  if (typeof reference === 'string') return resolveSchema(resolveReference(reference, root), root, depth + 1);
  const branches = [value.anyOf, value.oneOf, value.allOf].find(Array.isArray);
  if (branches === undefined || value.type !== undefined) return value;
  const useful = branches
    .map((branch) => resolveSchema(branch, root, depth + 1))
    .find((branch) => branch.type !== 'null');
  return {
    ...useful,
    ...Object.fromEntries(Object.entries(value).filter(([key]) => /^(default|description)$/.test(key))),
  };
}

/** Returns the target of a local reference, or `undefined` if it has none or is not local. */
export function resolveReference(reference: string, root: Schema): unknown {
  const path = reference.startsWith('#/') ? reference.slice(2).split('/') : ['?'];
  return path.reduce<unknown>((node, key) => getOwn(node, key), root);
}

const getOwn = (node: unknown, key: string): unknown =>
  isRecord(node) && Object.hasOwn(node, key) ? node[key] : undefined;

/** Compiles only patterns that cannot take exponential time: no repeated groups, few open repetitions. */
export function compileSafePattern(pattern: unknown): RegExp | undefined {
  if (typeof pattern !== 'string' || pattern.length > 100 || /\)[*+{?]|\\\d|\(\?[=!<]/.test(pattern))
    return undefined;
  if ((pattern.match(/[*+]|,\}/g) ?? []).length > 3) return undefined;
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return undefined;
  }
}

const questionName = /^(query|question|search|topic|prompt|q|keyword|term|request|ask)s?$/;
const messageName =
  /^(text|message|body|content|reason|note|comment|description|detail|summary|subject|title|feedback|instruction|input|remark|explanation)s?$/;
const maxDepth = 4;
