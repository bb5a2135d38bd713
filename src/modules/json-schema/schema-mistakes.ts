import type { Schema } from '@cfworker/json-schema';
import { formatPath, isJsonObject, shorten } from '../../tool/json.ts';
import { describeValue, findNearest } from '../../tool/shown.ts';
import { listSchemas, type PlacedSchema } from './check.ts';

/**
 * Returns the first likely mistake in a JSON Schema: a misspelled keyword, an unknown type, or a required
 * property that is not declared. A validator ignores a misspelled keyword, and rejects every input for the
 * other mistakes. Returns `undefined` if there is no mistake. Modifies the schema.
 */
export function findSchemaMistake(schema: Schema): string | undefined {
  for (const placed of listSchemas(schema)) {
    const mistake =
      findKeywordMistake(placed) ??
      findTypeMistake(placed) ??
      listMistake(placed) ??
      findRequiredMistake(placed);
    if (mistake !== undefined) return mistake;
  }
  return undefined;
}

const formatPlace = ({ path }: PlacedSchema, ...more: readonly PropertyKey[]): string =>
  `\`${formatPath([...path, ...more], '$')}\``;

/** Returns a misspelled keyword. Other unknown keywords can be annotations. */
function findKeywordMistake(placed: PlacedSchema): string | undefined {
  for (const keyword of Object.keys(placed.part)) {
    if (KNOWN_KEYWORDS.includes(keyword) || keyword.startsWith('__') || keyword.length < 4) continue;
    const meant = findNearest(keyword, KNOWN_KEYWORDS, keyword.length < 8 ? 1 : 2);
    if (meant === undefined || TOLERATED_KEYWORDS.includes(keyword)) continue;
    return `'${shorten(keyword, 80)}' at ${formatPlace(placed)} is not a keyword. Did you mean '${meant}'?`;
  }
  return undefined;
}

function findTypeMistake(placed: PlacedSchema): string | undefined {
  const { type }: { readonly type?: unknown } = placed.part;
  const wrong = [type ?? []].flat().find((one) => !TYPE_NAMES.some((known) => known === one));
  if (wrong === undefined) return undefined;
  const meant =
    typeof wrong === 'string' ? (SHORT_TYPE_NAMES[wrong] ?? findNearest(wrong, TYPE_NAMES, 2)) : undefined;
  const use = meant === undefined ? `Use one of ${TYPE_NAMES.join(', ')}.` : `Did you mean '${meant}'?`;
  return `the type ${describeValue(wrong)} at ${formatPlace(placed)} is unknown. ${use}`;
}

function listMistake(placed: PlacedSchema): string | undefined {
  const {
    properties,
    required,
    enum: words,
  }: Readonly<Record<string, unknown>> = placed.part as Readonly<Record<string, unknown>>;
  if (required !== undefined && !Array.isArray(required)) {
    return `'required' at ${formatPlace(placed)} is ${describeValue(required)}. Use a list of names, beside 'properties'.`;
  }
  if (words !== undefined && !Array.isArray(words)) {
    return `'enum' at ${formatPlace(placed)} is ${describeValue(words)}. Use a list of values.`;
  }
  if (properties === undefined) return undefined;
  if (!isJsonObject(properties))
    return `'properties' at ${formatPlace(placed)} is ${describeValue(properties)}. Use an object of schemas.`;
  const wrong = Object.entries(properties).find(([, one]) => !isJsonObject(one) && typeof one !== 'boolean');
  if (!wrong) return undefined;
  const [name, given] = wrong;
  return `${formatPlace(placed, 'properties', name)} is ${describeValue(given)}. Use a schema, as in { type: 'string' }.`;
}

/**
 * Returns a required property that is not declared. Skips parts of compositions, because one part can require
 * a property that another declares.
 */
function findRequiredMistake(placed: PlacedSchema): string | undefined {
  const { part, path } = placed;
  const { properties, required, patternProperties } = part;
  const [holder, place] = path.slice(-2);
  if (
    !properties ||
    !required ||
    patternProperties ||
    SCHEMA_KEYWORDS.some((word) => word in part || word === holder || word === place)
  )
    return undefined;
  const names = Object.keys(properties);
  const stranger = required.find((name) => !names.includes(name));
  if (stranger === undefined) return undefined;
  const known = names.map((name) => `'${name}'`).join(', ') || 'none';
  return `'${shorten(stranger, 80)}' is required at ${formatPlace(placed)} and is not one of its properties: ${shorten(known, 240)}.`;
}

const SCHEMA_KEYWORDS = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  '$ref',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
];

const TYPE_NAMES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** The names of the types in other languages. */
const SHORT_TYPE_NAMES: Readonly<Record<string, string | undefined>> = {
  str: 'string',
  text: 'string',
  int: 'integer',
  float: 'number',
  bool: 'boolean',
  list: 'array',
  dict: 'object',
};

/** The assertions and applicators of the drafts, and annotations with similar names. */
const KNOWN_KEYWORDS = [
  ...[
    '$ref',
    '$defs',
    '$schema',
    '$anchor',
    '$comment',
    '$dynamicRef',
    '$dynamicAnchor',
    '$recursiveRef',
    '$recursiveAnchor',
    '$vocabulary',
  ],
  ...[
    'type',
    'enum',
    'const',
    'format',
    'pattern',
    'required',
    'properties',
    'patternProperties',
    'additionalProperties',
  ],
  ...[
    'propertyNames',
    'items',
    'prefixItems',
    'additionalItems',
    'contains',
    'allOf',
    'anyOf',
    'oneOf',
    'then',
    'else',
    'definitions',
  ],
  ...[
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
  ],
  ...[
    'minContains',
    'maxContains',
    'minProperties',
    'maxProperties',
    'uniqueItems',
    'dependencies',
    'dependentRequired',
  ],
  ...[
    'dependentSchemas',
    'unevaluatedItems',
    'unevaluatedProperties',
    'title',
    'description',
    'default',
    'examples',
  ],
  ...['deprecated', 'readOnly', 'writeOnly', 'contentEncoding', 'contentMediaType', 'contentSchema'],
  ...['formatMinimum', 'formatMaximum', 'formatExclusiveMinimum', 'formatExclusiveMaximum'],
];

/** Annotations of other tools with names similar to a keyword. */
const TOLERATED_KEYWORDS = ['example', 'note', 'notes', 'titles'];
