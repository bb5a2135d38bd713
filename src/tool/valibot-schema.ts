/**
 * Writes schemas of Valibot as JSON Schema, by a walk over the objects that they are. `@valibot/to-json-schema` does the same and more: a
 * test compares the two, and the walk is a third of its size.
 */
import { addAction, changesValue, isConst, type ValibotAction, type Written } from './valibot-action.ts';

/** A schema of Valibot, as far as it is read here. One of a type that is not named here is shown as anything. */
export type ValibotSchema = { readonly kind: 'schema'; readonly pipe?: readonly PipeItem[] } & (
  | { readonly type: 'boolean' | 'null' | 'number' | 'string' | 'never' }
  | { readonly type: 'array'; readonly item: ValibotSchema }
  | {
      readonly type: 'tuple' | 'tuple_with_rest' | 'loose_tuple' | 'strict_tuple';
      readonly items: readonly ValibotSchema[];
      readonly rest?: ValibotSchema;
    }
  | {
      readonly type: 'object' | 'object_with_rest' | 'loose_object' | 'strict_object';
      readonly entries: Readonly<Record<string, ValibotSchema>>;
      readonly rest?: ValibotSchema;
    }
  | { readonly type: 'record'; readonly key: ValibotSchema; readonly value: ValibotSchema }
  | {
      readonly type: 'nullable' | 'nullish' | 'exact_optional' | 'optional' | 'undefinedable';
      readonly wrapped: ValibotSchema;
      readonly default?: unknown;
    }
  | { readonly type: 'literal'; readonly literal: unknown }
  | { readonly type: 'enum' | 'picklist'; readonly options: readonly unknown[] }
  | { readonly type: 'union' | 'variant' | 'intersect'; readonly options: readonly ValibotSchema[] }
  | { readonly type: 'lazy'; readonly getter: (input: undefined) => ValibotSchema }
);

type PipeItem = ValibotSchema | ValibotAction;

/**
 * Returns the JSON Schema (draft 2020-12) of what is sent to a schema, without its dialect.
 *
 * @throws Error if no JSON value is of a type in it.
 */
export function fromValibot(schema: ValibotSchema): Written {
  const definitions = new Definitions();
  const written = definitions.write(schema);
  const { all } = definitions;
  return all.size > 0 ? { ...written, $defs: Object.fromEntries([...all.values()].entries()) } : written;
}

/** @throws Error that says so. */
export function refuseType(type: string): never {
  throw new Error(`a model cannot send a value of the type '${type}'`);
}

/** The types that no JSON value belongs to. */
const UNSENDABLE = /^(function|promise|instance|symbol|bigint|map|set|date|blob|file)$/;

/** What lazy schemas return is written once, and referred to by its place. */
class Definitions {
  readonly all = new Map<ValibotSchema, Written>();
  /** A getter may make a new schema at each call. */
  readonly #got = new Map<unknown, ValibotSchema>();

  readonly write = (schema: ValibotSchema): Written =>
    this.all.has(schema) ? this.#refer(schema) : this.#piped(schema);

  #refer(schema: ValibotSchema): Written {
    return { $ref: `#/$defs/${[...this.all.keys()].indexOf(schema)}` };
  }

  #lazy(getter: (input: undefined) => ValibotSchema): Written {
    const schema = this.#got.get(getter) ?? getter(undefined);
    this.#got.set(getter, schema);
    if (!this.all.has(schema)) {
      this.all.set(schema, {});
      this.all.set(schema, this.#piped(schema));
    }
    return this.#refer(schema);
  }

  #piped(schema: ValibotSchema): Written {
    if (!schema.pipe) return this.#plain(schema);
    const [first, ...rest] = flatten(schema.pipe);
    const written = first?.kind === 'schema' ? this.#plain(first) : {};
    for (const item of rest) {
      if (item.kind === 'schema' || changesValue(item)) break;
      addAction(written, item);
    }
    return written;
  }

  #plain(schema: ValibotSchema): Written {
    const { write } = this;
    switch (schema.type) {
      case 'boolean':
      case 'null':
      case 'number':
      case 'string':
        return { type: schema.type };
      case 'never':
        return { not: {} };
      case 'array':
        return { type: 'array', items: write(schema.item) };
      case 'tuple':
      case 'tuple_with_rest':
      case 'loose_tuple':
      case 'strict_tuple':
        return {
          type: 'array',
          prefixItems: schema.items.map(write),
          minItems: schema.items.length,
          ...this.#rest('items', schema),
        };
      case 'object':
      case 'object_with_rest':
      case 'loose_object':
      case 'strict_object': {
        const entries = Object.entries(schema.entries);
        return {
          type: 'object',
          properties: Object.fromEntries(entries.map(([name, entry]) => [name, write(entry)])),
          required: entries.flatMap(([name, { type }]) => (MAY_LACK.test(type) ? [] : name)),
          ...this.#rest('additionalProperties', schema),
        };
      }
      case 'record':
        return {
          type: 'object',
          propertyNames: write(schema.key),
          additionalProperties: write(schema.value),
        };
      case 'nullable':
      case 'nullish':
        return { anyOf: [write(schema.wrapped), { type: 'null' }], ...defaultOf(schema) };
      case 'exact_optional':
      case 'optional':
      case 'undefinedable':
        return { ...write(schema.wrapped), ...defaultOf(schema) };
      case 'literal':
        return isConst(schema.literal) ? { const: schema.literal } : {};
      case 'enum':
      case 'picklist':
        return choice(schema.options);
      case 'union':
        return { anyOf: schema.options.map(write) };
      case 'variant':
        return { oneOf: schema.options.map(write) };
      case 'intersect':
        return { allOf: schema.options.map(write) };
      case 'lazy':
        return this.#lazy(schema.getter);
      default:
        return otherType(schema);
    }
  }

  #rest(keyword: string, { type, rest }: { readonly type: string; readonly rest?: ValibotSchema }): Written {
    if (rest) return { [keyword]: this.write(rest) };
    return type.startsWith('strict') ? { [keyword]: false } : {};
  }
}

const flatten = (pipe: readonly PipeItem[]): readonly PipeItem[] =>
  pipe.flatMap((item) => (item.kind === 'schema' && item.pipe ? flatten(item.pipe) : item));

const MAY_LACK = /^(exact_optional|optional|nullish)$/;

const defaultOf = ({ default: value }: { readonly default?: unknown }): Written =>
  value === undefined ? {} : { default: typeof value === 'function' ? value() : value };

function choice(options: readonly unknown[]): Written {
  const types = ['string', 'number'].filter((type) => options.some((option) => typeof option === type));
  const isSaid = options.every((option) => typeof option === 'string' || Number.isFinite(option));
  return isSaid ? { enum: options, type: types.length > 1 ? types : (types[0] ?? 'string') } : {};
}

/** Left alone, a type that cannot be sent would be shown as anything. */
const otherType = ({ type }: { readonly type: string }): Written =>
  UNSENDABLE.test(type) ? refuseType(type) : {};
