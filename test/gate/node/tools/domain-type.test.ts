import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type AnyTool,
  type DomainType,
  DomainTypeError,
  defineDomainType,
  defineTool,
} from '../../../../src/index.ts';

const schema = v.object({ id: v.string(), since: v.pipe(v.string(), v.toDate()) });
const Customer = defineDomainType({ name: 'Customer', schema });

describe('a domain type', () => {
  it('parses JSON from the journal with its schema', () => {
    expect(Customer.parse({ id: 'c1', since: '2026-01-01' })).toEqual({
      ok: true,
      value: { id: 'c1', since: new Date('2026-01-01') },
    });
  });

  it('reports every problem of a value with another shape', () => {
    expect(Customer.parse({ since: 3 })).toEqual({
      ok: false,
      problems: [
        'id: Invalid key: Expected "id" but received undefined',
        'since: Invalid type: Expected string but received 3',
      ],
    });
  });

  it('returns the JSON form of a value', () => {
    expect(Customer.json).toEqual({
      type: 'object',
      properties: { id: { type: 'string' }, since: { type: 'string' } },
      required: ['id', 'since'],
    });
  });

  it('accepts Zod', () => {
    const Order = defineDomainType({ name: 'Order', schema: z.object({ id: z.string() }) });
    expect(Order.parse({ id: 'o1' })).toEqual({ ok: true, value: { id: 'o1' } });
  });

  it('refuses every value if its schema is asynchronous or throws', () => {
    const later = defineDomainType({
      name: 'Later',
      schema: v.objectAsync({
        id: v.pipeAsync(
          v.string(),
          v.checkAsync(() => Promise.reject('no')),
        ),
      }),
    });
    expect(later.parse({ id: 'x' })).toEqual({
      ok: false,
      problems: ["The schema of 'Later' is asynchronous. Use a synchronous one."],
    });
    const broken = defineDomainType({
      name: 'Broken',
      schema: v.object({
        id: v.pipe(
          v.string(),
          v.check(() => {
            throw new Error('no');
          }),
        ),
      }),
    });
    expect(broken.parse({ id: 'x' })).toEqual({ ok: false, problems: ["The schema of 'Broken' failed."] });
  });

  it('throws on a definition that cannot work', () => {
    expect(() => defineDomainType({ name: 'a type', schema })).toThrow(
      new DomainTypeError(
        'a type',
        'name',
        'is not a valid name. Use 1 to 64 of the characters A-Z a-z 0-9 _ -',
      ),
    );
    expect(() => defineDomainType({ name: 'Text', schema: v.string() })).toThrow(
      new DomainTypeError(
        'Text',
        'schema',
        'needs a schema of a JSON object that can be written as JSON Schema',
      ),
    );
  });
});

describe('a domain type whose objects have tools', () => {
  const createShowTool = (description = 'Shows.') =>
    defineTool({ name: 'show', description, run: () => 'Shown.' });
  const createThing = (tools: (value: { id: string; tags: string[]; size: number }) => readonly AnyTool[]) =>
    defineDomainType({
      name: 'Thing',
      schema: v.object({ id: v.string(), tags: v.array(v.string()), size: v.number() }),
      tools,
    });
  const thing = { id: 't1', tags: ['a'], size: 3 };

  it('lists its tools before there is an object, and creates them for each object (TPR-13)', () => {
    const Thing = createThing(({ id, tags }) => [
      defineTool({ name: 'show', description: 'Shows.', run: () => `${id} ${tags.join()}` }),
    ]);
    expect(Thing.objects?.declared.map(({ name, description }) => [name, description])).toEqual([
      ['show', 'Shows.'],
    ]);
    expect(Thing.objects?.declared).toBe(Thing.objects?.declared);
    expect(Thing.objects?.prefix).toBe('thing');
    expect(Thing.objects?.toolsOf(thing)).toMatchObject({ ok: true, value: [{ name: 'show' }] });
    expect(Thing.objects?.toolsOf({ id: 't1' })).toEqual({
      ok: false,
      problems: [
        'domain type \'Thing\' is invalid: tags: Invalid key: Expected "tags" but received undefined ' +
          'size: Invalid key: Expected "size" but received undefined',
      ],
    });
  });

  it('brings no tools if it declares none (TPR-13)', () => {
    expect(Customer.objects).toBeUndefined();
  });

  it('identifies each object by its id, which defaults to the property `id` (TPR-01, TPR-05)', () => {
    expect(createThing(() => []).objects?.idOf(thing)).toEqual({ ok: true, value: 't1' });
    const Sized = defineDomainType({
      name: 'Sized',
      schema: v.object({ size: v.nullish(v.number()) }),
      id: ({ size }) => size,
      tools: () => [],
    });
    expect(Sized.objects?.idOf({ size: 7 })).toEqual({ ok: true, value: '7' });
    expect(Sized.objects?.idOf({})).toEqual({ ok: false, problems: ['Instance ID cannot be null'] });
    const Bare = defineDomainType({ name: 'Bare', schema: v.object({}), tools: () => [] });
    expect(Bare.objects?.idOf({})).toEqual({
      ok: false,
      problems: ["domain type 'Bare' missing instanceIdProperty: id"],
    });
  });

  it.each<[string, Parameters<typeof createThing>[0], string]>([
    ['in a text', ({ id }) => [createShowTool(`Shows ${id}.`)], 'Thing.id'],
    ['as a list', ({ tags }) => tags.map(() => createShowTool()), 'Thing.tags.map'],
    ['item by item', ({ tags }) => [...tags].map(() => createShowTool()), 'Thing.tags'],
    ['as a whole', (value) => [createShowTool(JSON.stringify(value))], 'Thing.toJSON'],
    ['in a copy', ({ ...rest }) => [createShowTool(typeof rest)], 'Thing'],
    ['in a sum', ({ size }) => (size + 1 > 2 ? [createShowTool()] : []), 'Thing.size'],
    ['as a description', ({ id }) => [createShowTool(id)], 'Thing.id'],
    ['in a check for a key', (value) => ('id' in value ? [createShowTool()] : []), 'Thing'],
    [
      'in a `try`',
      ({ id }) => {
        try {
          return [createShowTool(`${id}`)];
        } catch {
          return [createShowTool()];
        }
      },
      'Thing.id',
    ],
  ])('throws at its definition if its tools need the object while they are made: %s', (_, tools, path) => {
    expect(() => createThing(tools)).toThrow(
      new DomainTypeError(
        'Thing',
        'tools',
        `has tools that need an object while they are made (\`${path}\`). Use it only inside \`run\`, since the tools are also made without one`,
      ),
    );
  });

  it('throws at its definition if its tools cannot be made, are not tools, or share a name', () => {
    const throwGone = (): never => {
      throw new Error('No.');
    };
    expect(() => createThing(throwGone)).toThrow(
      "Domain type 'Thing' has tools that cannot be made before there is an object: No.",
    );
    // @ts-expect-error plain JavaScript may return anything
    expect(() => createThing(() => 'show')).toThrow(
      "Domain type 'Thing' has `tools` that do not return a list of tools.",
    );
    expect(() => createThing(() => [createShowTool(), createShowTool()])).toThrow(
      "Domain type 'Thing' has two tools named 'show'.",
    );
    expect(() =>
      defineDomainType({ name: 'Thing', schema: v.object({}), prefix: 'a b', tools: () => [] }),
    ).toThrow(
      "Domain type 'Thing' cannot begin names with 'a b'. Use at most 32 of the characters A-Z a-z 0-9 _ -.",
    );
  });

  it('can have tools that name types defined later, including itself', () => {
    const First: DomainType = defineDomainType({
      name: 'First',
      schema: v.object({ id: v.string() }),
      tools: () => [defineTool({ name: 'next', description: 'Goes on.', output: Second, run: () => ({}) })],
    });
    const Second: DomainType = defineDomainType({
      name: 'Second',
      schema: v.object({ id: v.string() }),
      tools: () => [defineTool({ name: 'back', description: 'Goes back.', output: First, run: () => ({}) })],
    });
    expect(First.objects?.declared[0]?.output).toBe(Second);
    expect(Second.objects?.declared[0]?.output).toBe(First);
  });

  it('returns the problem instead of throwing if the tools of an object cannot be created', () => {
    let produceTools: () => unknown = () => [createShowTool()];
    // Plain JavaScript can pass this.
    const Thing = createThing(() => produceTools() as readonly AnyTool[]);
    const listObjectTools = (next: () => unknown) => {
      produceTools = next;
      return Thing.objects?.toolsOf(thing);
    };
    expect(listObjectTools(() => 'none')).toEqual({
      ok: false,
      problems: ["domain type 'Thing' is invalid: its `tools` do not return a list of tools"],
    });
    expect(
      listObjectTools(() => {
        throw 'Gone.';
      }),
    ).toEqual({
      ok: false,
      problems: ["domain type 'Thing' is invalid: its tools cannot be made: Gone."],
    });
    expect(listObjectTools(() => [createShowTool('One.'), createShowTool('Two.')])).toMatchObject({
      ok: true,
      value: [{ description: 'One.' }],
    });
  });
});
