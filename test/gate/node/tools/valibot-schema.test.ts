import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { InputSchemaError, toInputSchema } from '../../../doors/tools.ts';

/** The package of Valibot's authors, with what it cannot write left out, as ours leaves it out. */
const reference = (schema: v.GenericSchema): unknown => {
  const options = { target: 'draft-2020-12', typeMode: 'input', errorMode: 'ignore' } as const;
  const { $schema: _, ...written } = toJsonSchema(around(schema), options);
  return written;
};

const shown = (schema: v.GenericSchema): unknown => toInputSchema(around(schema)).json;

/** With a property that is required: a model is not shown an empty `required`. */
const around = (value: v.GenericSchema) => v.object({ id: v.string(), value });

interface Tree {
  readonly name: string;
  readonly inner?: readonly Tree[] | undefined;
}
const tree: v.GenericSchema<Tree> = v.object({
  name: v.string(),
  inner: v.optional(v.array(v.lazy(() => tree))),
});
const even: v.GenericSchema<unknown> = v.tuple([v.lazy(() => odd)]);
const odd: v.GenericSchema<unknown> = v.union([v.null(), v.lazy(() => even)]);

const texts = (...actions: readonly v.GenericValidation<string, string>[]) =>
  actions.map((action) => v.pipe(v.string(), action));
const numbers = (...actions: readonly v.GenericValidation<number, number>[]) =>
  actions.map((action) => v.pipe(v.number(), action));

const SCHEMAS: Readonly<Record<string, readonly v.GenericSchema[]>> = {
  'plain types': [v.string(), v.number(), v.boolean(), v.null(), v.any(), v.unknown(), v.never()],
  'types without a keyword': [
    v.undefined(),
    v.void(),
    v.nan(),
    v.custom(() => true),
    v.nonOptional(v.optional(v.string())),
    v.nonNullish(v.nullish(v.string())),
  ],
  lists: [v.array(v.string()), v.array(v.array(v.optional(v.number(), 1)))],
  tuples: [
    v.tuple([v.string(), v.number()]),
    v.looseTuple([v.string()]),
    v.strictTuple([v.string(), v.null()]),
    v.tupleWithRest([v.string()], v.number()),
  ],
  objects: [
    v.object({}),
    v.looseObject({ a: v.string(), b: v.exactOptional(v.string()) }),
    v.strictObject({ a: v.nullish(v.string()), b: v.nullable(v.number()), c: v.undefinedable(v.number()) }),
    v.objectWithRest({ a: v.optional(v.string()) }, v.boolean()),
    v.partial(v.object({ a: v.string(), b: v.object({ c: v.string() }) })),
  ],
  records: [
    v.record(v.string(), v.number()),
    v.record(v.pipe(v.string(), v.minLength(2)), v.object({ a: v.string() })),
    v.record(v.picklist(['a', 'b']), v.string()),
    v.pipe(v.record(v.string(), v.number()), v.minEntries(1), v.maxEntries(3)),
    v.pipe(v.record(v.string(), v.number()), v.entries(2)),
  ],
  defaults: [
    v.optional(v.string(), 'none'),
    v.optional(v.string(), () => 'made'),
    v.nullish(v.number(), 7),
    v.nullable(v.boolean(), null),
    v.nullable(v.array(v.string()), ['a']),
    v.exactOptional(v.number(), 0),
    v.undefinedable(v.object({ a: v.string() }), { a: '' }),
  ],
  literals: [v.literal('a'), v.literal(0), v.literal(true), v.literal(7n), v.literal(Number.NaN)],
  choices: [
    v.picklist([]),
    v.picklist(['a', 'b']),
    v.picklist([1, 2]),
    v.picklist([1, 'b']),
    v.picklist(['a', 7n]),
    v.picklist([Number.POSITIVE_INFINITY]),
    v.enum({ Small: 1, Large: 2 }),
    v.enum({ A: 'a', B: 2 }),
  ],
  combinations: [
    v.union([v.string(), v.pipe(v.number(), v.integer())]),
    v.intersect([v.object({ a: v.string() }), v.object({ b: v.number() })]),
    v.variant('kind', [
      v.object({ kind: v.literal('a'), size: v.number() }),
      v.strictObject({ kind: v.literal('b') }),
    ]),
  ],
  'schemas of themselves': [
    tree,
    v.array(tree),
    v.lazy(() => tree),
    even,
    v.object({ a: even, b: odd, c: v.lazy(() => odd) }),
    v.pipe(
      v.lazy(() => v.string()),
      v.minLength(1),
    ),
  ],
  formats: texts(
    v.email(),
    v.rfcEmail(),
    v.ipv4(),
    v.ipv6(),
    v.isoDate(),
    v.isoDateTime(),
    v.isoTime(),
    v.isoTimestamp(),
    v.url(),
    v.uuid(),
    v.base64(),
  ),
  patterns: [
    ...texts(
      v.bic(),
      v.cuid2(),
      v.decimal(),
      v.digits(),
      v.domain(),
      v.emoji(),
      v.hash(['md5', 'sha1']),
      v.hexadecimal(),
      v.hexColor(),
      v.isrc(),
      v.isoTimeSecond(),
      v.isoWeek(),
      v.jwsCompact(),
      v.ksuid(),
      v.mac(),
      v.mac48(),
      v.mac64(),
      v.nanoid(),
      v.octal(),
      v.slug(),
      v.ulid(),
      v.regex(/^a+$/),
      v.regex(/^a+$/iu),
      v.startsWith('a.b'),
      v.endsWith('(c)'),
      v.includes('[d]\\'),
    ),
    v.pipe(v.string(), v.startsWith('a'), v.endsWith('b')),
    v.pipe(v.string(), v.slug(), v.includes('b'), v.digits()),
  ],
  sizes: [
    ...texts(v.minLength(2), v.maxLength(9), v.length(4), v.nonEmpty(), v.empty(), v.minLength(0)),
    v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(4)),
    v.pipe(v.array(v.string()), v.length(2)),
    v.pipe(v.array(v.string()), v.nonEmpty()),
    v.pipe(v.array(v.string()), v.empty()),
    v.pipe(v.string(), v.minLength(2), v.nonEmpty(), v.minLength(5), v.maxLength(9), v.maxLength(7)),
  ],
  limits: [
    ...numbers(
      v.minValue(1),
      v.maxValue(2),
      v.gtValue(3),
      v.ltValue(4),
      v.minValue(Number.NEGATIVE_INFINITY),
    ),
    ...numbers(v.integer(), v.safeInteger(), v.multipleOf(0.5), v.finite()),
    v.pipe(v.number(), v.minValue(3), v.integer(), v.minValue(1), v.maxValue(5), v.maxValue(9)),
    v.pipe(v.number(), v.gtValue(3), v.gtValue(1), v.ltValue(5), v.ltValue(9)),
    v.pipe(v.number(), v.minValue(-1), v.safeInteger(), v.maxValue(8)),
    v.pipe(v.string(), v.minValue('a'), v.maxValue('b')),
  ],
  'named values': [
    v.pipe(v.string(), v.value('a')),
    v.pipe(v.string(), v.value('a'), v.value('b')),
    v.pipe(v.string(), v.notValue('a'), v.notValue('b')),
    v.pipe(v.number(), v.values([1, 2, 2, 3]), v.values([2, 3, 4])),
    v.pipe(v.number(), v.values([1]), v.values([2])),
    v.pipe(v.picklist(['a', 'b']), v.values(['b'])),
    v.pipe(v.number(), v.notValues([1, 1, 2]), v.notValue(3)),
    v.pipe(v.number(), v.notValues([])),
    v.pipe(v.number(), v.notValue(Number.NaN), v.values([Number.NaN])),
  ],
  descriptions: [
    v.pipe(v.string(), v.title('T'), v.description('D')),
    v.pipe(v.string(), v.examples(['a']), v.examples(['b'])),
    v.pipe(v.string(), v.metadata({ title: 'T', description: 'D', examples: ['a'], other: { a: 1 } })),
    v.pipe(v.string(), v.examples(['a']), v.metadata({ examples: ['b'], title: 7 })),
    v.optional(v.pipe(v.string(), v.description('D'))),
    v.pipe(v.optional(v.string(), 'a'), v.description('D')),
  ],
  pipes: [
    v.pipe(v.string(), v.trim(), v.nonEmpty(), v.brand('Name'), v.maxLength(5)),
    v.pipe(v.string(), v.minLength(1), v.transform(Number), v.number(), v.minValue(1)),
    v.pipe(v.string(), v.toNumber(), v.maxValue(3)),
    v.pipe(v.string(), v.maxLength(9), v.parseJson(), v.object({ a: v.string() })),
    v.pipe(v.pipe(v.string(), v.minLength(1)), v.pipe(v.string(), v.maxLength(2))),
    v.pipe(v.pipe(v.string(), v.minLength(1)), v.maxLength(2), v.readonly()),
    v.pipe(
      v.string(),
      v.check((text) => text !== 'x'),
      v.rawCheck(() => {}),
      v.minWords('en', 2),
      v.description('D'),
    ),
    v.pipe(
      v.array(v.number()),
      v.sortItems(),
      v.minLength(1),
      v.findItem((): boolean => true),
    ),
    v.pipe(
      v.object({ a: v.string() }),
      v.partialCheck([['a']], () => true),
      v.title('T'),
    ),
  ],
};

describe('the JSON Schema of a Valibot schema', () => {
  it.each(Object.entries(SCHEMAS))('equals that of @valibot/to-json-schema for %s', (_, schemas) => {
    for (const schema of schemas) expect(shown(schema)).toEqual(reference(schema));
  });

  it('shows the pattern of an IP address too', () => {
    const value = { type: 'string', pattern: v.ip().requirement.source };
    expect(shown(v.pipe(v.string(), v.ip()))).toMatchObject({ properties: { value } });
  });

  it.each([
    ...[v.bigint(), v.blob(), v.date(), v.file(), v.function(), v.instance(Map), v.symbol()],
    ...[v.map(v.string(), v.string()), v.promise(), v.set(v.string())],
  ])('is refused for $type, which a model cannot send', (schema) => {
    const sentence = `its input cannot be written as JSON Schema: a model cannot send a value of the type '${schema.type}'.`;
    expect(() => shown(v.array(v.optional(schema)))).toThrow(new InputSchemaError(sentence));
  });

  it('has an entry whose name is special in JavaScript', () => {
    const entries = Object.fromEntries([['__proto__', v.string()]]);
    expect(JSON.stringify(shown(v.object(entries)))).toContain(
      '"properties":{"__proto__":{"type":"string"}}',
    );
  });
});
