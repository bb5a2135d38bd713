/** Converts a JSON Schema to form fields for a value. Values that fit no field are edited as JSON. */
import type { Json, JsonObject, JsonSchema } from '../../../../tool/json.ts';

/** A field. `raw` is the text that a person types. */
export type FormField = { readonly schema: JsonSchema } & (
  | { readonly kind: 'object'; readonly members: readonly FieldMember[] }
  | { readonly kind: 'list'; readonly items: FormField[]; readonly item: JsonSchema }
  | { readonly kind: 'text' | 'number' | 'json'; raw: string }
  | { readonly kind: 'flag'; raw: '' | 'true' | 'false' }
  | { readonly kind: 'choice'; readonly choices: readonly unknown[]; raw: string }
);

export interface FieldMember {
  readonly name: string;
  readonly isRequired: boolean;
  readonly field: FormField;
}

/** Creates the field for a value. References resolve within `root`. */
export function toField(given: unknown, value: Json | undefined, root: JsonSchema): FormField {
  const schema = resolveReference(given, root);
  const choices = findChoices(schema);
  if (choices)
    return { kind: 'choice', schema, choices, raw: value === undefined ? '' : JSON.stringify(value) };
  switch (schema.type) {
    case 'string':
      if (value !== undefined && typeof value !== 'string') break;
      return { kind: 'text', schema, raw: value ?? '' };
    case 'number':
    case 'integer':
      if (value !== undefined && typeof value !== 'number') break;
      return { kind: 'number', schema, raw: value === undefined ? '' : String(value) };
    case 'boolean':
      if (value !== undefined && typeof value !== 'boolean') break;
      return { kind: 'flag', schema, raw: value === undefined ? '' : value ? 'true' : 'false' };
    case 'array':
      if ((value !== undefined && !Array.isArray(value)) || !isObject(schema.items)) break;
      return {
        kind: 'list',
        schema,
        item: schema.items,
        items: (value ?? []).map((item: Json) => toField(schema.items, item, root)),
      };
    case 'object':
      return createObjectField(schema, value, root) ?? createJsonField(schema, value);
  }
  return createJsonField(schema, value);
}

const createJsonField = (schema: JsonSchema, value: Json | undefined): FormField => ({
  kind: 'json',
  schema,
  raw: value === undefined ? '' : JSON.stringify(value, null, 2),
});

/**
 * Creates the field for an object. Returns `undefined` if the value has members that the schema does not
 * declare.
 */
function createObjectField(
  schema: JsonSchema,
  value: Json | undefined,
  root: JsonSchema,
): FormField | undefined {
  const { properties, required } = schema;
  if (!isObject(properties) || Object.keys(properties).length === 0) return undefined;
  const members = value === undefined ? {} : value;
  if (!isJsonObject(members) || !Object.keys(members).every((name) => Object.hasOwn(properties, name)))
    return undefined;
  return {
    kind: 'object',
    schema,
    members: Object.entries(properties).map(([name, property]) => ({
      name,
      isRequired: Array.isArray(required) && required.includes(name),
      field: toField(property, Object.hasOwn(members, name) ? members[name] : undefined, root),
    })),
  };
}

/**
 * Returns the current value of a field, or `undefined` if it is empty. An invalid number or invalid JSON is
 * returned as text.
 */
export function readField(field: FormField, isRequired = true): Json | undefined {
  switch (field.kind) {
    case 'object': {
      const entries = field.members.flatMap(({ name, isRequired: isNeeded, field: member }) => {
        const value = readField(member, isNeeded);
        return value === undefined ? [] : [[name, value] as const];
      });
      return entries.length === 0 && !isRequired ? undefined : Object.fromEntries(entries);
    }
    case 'list': {
      const items = field.items.map((item) => readField(item) ?? null);
      return items.length === 0 && !isRequired ? undefined : items;
    }
    case 'text':
      return field.raw === '' && !isRequired ? undefined : field.raw;
    case 'number':
      return field.raw.trim() === ''
        ? undefined
        : Number.isFinite(Number(field.raw))
          ? Number(field.raw)
          : field.raw;
    case 'flag':
      return field.raw === '' ? undefined : field.raw === 'true';
    default:
      return field.raw.trim() === '' ? undefined : parseValue(field.raw);
  }
}

function parseValue(text: string): Json {
  try {
    return JSON.parse(text) as Json; // parsed from JSON
  } catch {
    return text;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isJsonObject = (value: Json): value is JsonObject => isObject(value);

/** The maximum number of references to follow, since they can form a cycle. */
const MAX_REFERENCES = 10;

function resolveReference(given: unknown, root: JsonSchema): JsonSchema {
  let schema: unknown = given;
  for (let at = 0; at < MAX_REFERENCES; at += 1) {
    if (!isObject(schema)) return {};
    const { $ref } = schema;
    if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return schema;
    schema = $ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), root);
  }
  return {};
}

function findChoices({ enum: choices, const: only }: JsonSchema): readonly unknown[] | undefined {
  if (Array.isArray(choices) && choices.length > 0) return choices;
  return only === undefined ? undefined : [only];
}
