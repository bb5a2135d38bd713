/**
 * Changes to a server's tools that are refused while a session knows the tools: weaker effects and wider
 * schemas.
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../../../src/index.ts';
import type { McpClientConfig } from '../../../../../src/mcp/tools/entry.ts';
import { mcpToolProvider } from '../../../../../src/mcp/tools/entry.ts';
import { createSchemaCheck, type McpListing } from '../../../../doors/mcp.ts';
import { getLastResults } from '../../unfolding/scenes.ts';
import { createClient, createListing } from './listing-fixtures.ts';
import { countMethods, createSayingTool, createScene, createSession, requestTool } from './scenes.ts';

const text = { type: 'string' };
const createObjectSchema = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

/** A tool as a server lists it. */
const createListedTool = (parts: JsonObject = {}): JsonObject => ({
  name: 'send',
  description: 'Sends.',
  inputSchema: createObjectSchema({ to: text }),
  ...parts,
});

let logLines: unknown[][] = [];
beforeEach(() => {
  logLines = vi.spyOn(console, 'warn').mockImplementation(() => undefined).mock.calls;
});
afterEach(() => vi.restoreAllMocks());

/**
 * The listing of a session that requests these tools one after another. For `undefined`, the server lists
 * another tool.
 */
async function listRepeatedly(told: readonly (JsonObject | undefined)[], by: Partial<McpClientConfig> = {}) {
  let former: McpListing | undefined;
  for (const one of told)
    former = await createListing([one ?? { ...createListedTool(), name: 'other' }], former, createClient(by));
  if (!former) throw new Error('No tool was passed.');
  return former;
}

/** Returns whether the last of these tools is refused: not called, or not even offered. */
async function isRefused(told: readonly (JsonObject | undefined)[], by: Partial<McpClientConfig> = {}) {
  const { tools } = await listRepeatedly(told, by);
  const send = tools.find(({ name }) => name === 'send');
  return send === undefined || send.refused === true;
}

describe('an effect', () => {
  const hints = { once: {}, idempotent: { idempotentHint: true }, read: { readOnlyHint: true } };
  const effects = ['once', 'idempotent', 'read'] as const;
  const changes = effects.flatMap((was, from) => effects.map((is, to) => [was, is, to > from] as const));

  it.each(changes)('is refused after a change from %s to %s: %s', async (was, is, refused) => {
    const told = [
      createListedTool({ annotations: hints[was] }),
      createListedTool({ annotations: hints[is] }),
    ];
    expect(await isRefused(told)).toBe(refused);
    expect(await isRefused(told, { drift: 'report' })).toBe(false);
  });

  it('is not changed by a hint if the client sets it', async () => {
    const told = [createListedTool(), createListedTool({ annotations: hints.read })];
    expect(await isRefused(told, { effects: { send: 'once' } })).toBe(false);
    expect(await isRefused(told, { effects: { other: 'once' } })).toBe(true);
  });

  it('can be restored after it became stronger', async () => {
    const [read, once] = [createListedTool({ annotations: hints.read }), createListedTool()];
    expect(await isRefused([read, once, read])).toBe(false);
    expect(await isRefused([createListedTool({ annotations: hints.idempotent }), once, read])).toBe(true);
  });
});

/** Schemas of the property `a`, before and after a change that widens it. */
const WEAKER_CHANGES: readonly (readonly [
  what: string,
  was: JsonObject | boolean,
  is: JsonObject | boolean,
])[] = [
  ['another type', { type: 'string' }, { type: 'number' }],
  ['one more type', { type: 'string' }, { type: ['string', 'null'] }],
  ['numbers in place of integers', { type: 'integer' }, { type: 'number' }],
  ['no type', { type: 'string' }, {}],
  ['any value', { type: 'string' }, true],
  ['a value that was never valid', false, { type: 'string' }],
  ['one more value', { enum: ['a'] }, { enum: ['a', 'b'] }],
  ['no list of values', { type: 'string', enum: ['a'] }, { type: 'string' }],
  ['another constant', { const: 'a' }, { const: 'b' }],
  ['longer texts', { type: 'string', maxLength: 5 }, { type: 'string', maxLength: 6 }],
  ['texts of any length', { type: 'string', maxLength: 5 }, { type: 'string' }],
  ['shorter texts', { type: 'string', minLength: 5 }, { type: 'string', minLength: 4 }],
  ['greater numbers', { type: 'number', maximum: 5 }, { type: 'number', maximum: 6 }],
  ['an inclusive bound', { type: 'number', exclusiveMaximum: 5 }, { type: 'number', maximum: 5 }],
  ['other multiples', { type: 'number', multipleOf: 2 }, { type: 'number', multipleOf: 3 }],
  ['another format', { type: 'string', format: 'email' }, { type: 'string', format: 'uri' }],
  ['no format', { type: 'string', format: 'email' }, { type: 'string' }],
  ['no pattern', { type: 'string', pattern: '^a+$' }, { type: 'string' }],
  ['another pattern', { type: 'string', pattern: '^a+$' }, { type: 'string', pattern: '^.+$' }],
  [
    'a pattern without the other keyword',
    { type: 'string', pattern: 'a', maxLength: 5 },
    { type: 'string', pattern: 'a' },
  ],
  ['one more property', createObjectSchema({ b: text }), createObjectSchema({ b: text, c: text })],
  [
    'one more property of a closed object',
    createObjectSchema({ b: text }, { additionalProperties: false }),
    createObjectSchema({ b: text, c: text }, { additionalProperties: false }),
  ],
  [
    'any property of an object that was closed',
    createObjectSchema({ b: text }, { additionalProperties: false }),
    createObjectSchema({ b: text }),
  ],
  [
    'one property less, which may then have any value',
    createObjectSchema({ b: text, c: text }),
    createObjectSchema({ b: text }),
  ],
  [
    'an optional property',
    createObjectSchema({ b: text }, { required: ['b'] }),
    createObjectSchema({ b: text }),
  ],
  [
    'a required property that is not declared',
    createObjectSchema({}),
    createObjectSchema({}, { required: ['b'] }),
  ],
  ['a property of an object that had none', { type: 'object' }, createObjectSchema({ b: text })],
  ['a property of a value that was untyped', {}, createObjectSchema({ b: text })],
  [
    'one more property in allOf',
    { allOf: [createObjectSchema({ b: text })] },
    { allOf: [createObjectSchema({ b: text }), createObjectSchema({ c: text })] },
  ],
  [
    'one schema less in allOf',
    { allOf: [{ minLength: 1 }, { maxLength: 5 }] },
    { allOf: [{ minLength: 1 }] },
  ],
  ['other items', { type: 'array', items: text }, { type: 'array', items: {} }],
  ['any items', { type: 'array', items: text }, { type: 'array' }],
  ['one more alternative', { anyOf: [text] }, { anyOf: [text, { type: 'number' }] }],
  ['no alternatives', { anyOf: [text] }, {}],
  ['a value that was excluded', { not: { const: 'a' } }, {}],
  ['a narrower exclusion', { not: { enum: ['a', 'b'] } }, { not: { enum: ['a'] } }],
  ['other conditions', { if: text, else: { maximum: 1 } }, { if: { const: 'a' }, else: { maximum: 1 } }],
  ['repeated items', { type: 'array', uniqueItems: true }, { type: 'array' }],
  ['fewer matching items', { contains: text, minContains: 2 }, { contains: text }],
  ['an unknown keyword', { type: 'string' }, { type: 'string', nullable: true }],
];

/**
 * Schemas before and after a change that allows no additional values and requests no additional properties.
 */
const NARROWER_VALUES: typeof WEAKER_CHANGES = [
  [
    'another title and other annotations',
    { type: 'string', description: 'A.' },
    { type: 'string', title: 'B', default: 'x', examples: [1] },
  ],
  ['one type less', { type: ['string', 'null'] }, { type: 'string' }],
  ['integers', { type: 'number' }, { type: 'integer' }],
  ['a type if it had none', {}, { type: 'string' }],
  ['one value less', { enum: ['a', 'b'] }, { enum: ['b'] }],
  ['shorter texts', { type: 'string', maxLength: 5 }, { type: 'string', maxLength: 4, minLength: 1 }],
  ['a format', { type: 'string' }, { type: 'string', format: 'email' }],
  ['a pattern', { type: 'string' }, { type: 'string', pattern: '^a+$' }],
  [
    'one property less of a closed object',
    createObjectSchema({ b: text, c: text }, { additionalProperties: false }),
    createObjectSchema({ b: text }, { additionalProperties: false }),
  ],
  [
    'a closed object',
    createObjectSchema({ b: text }),
    createObjectSchema({ b: text }, { additionalProperties: false }),
  ],
  [
    'a required property',
    createObjectSchema({ b: text }),
    createObjectSchema({ b: text }, { required: ['b'] }),
  ],
  [
    'shorter items',
    { type: 'array', items: text },
    { type: 'array', items: { ...text, maxLength: 3 }, maxItems: 2 },
  ],
  ['a schema for items if they had none', { type: 'array' }, { type: 'array', items: text }],
  ['one alternative less', { anyOf: [text, { type: 'null' }] }, { anyOf: [{ ...text, maxLength: 3 }] }],
  ['a narrower schema in allOf', { allOf: [{ minLength: 1 }] }, { allOf: [{ minLength: 2 }] }],
  ['no valid value', { type: 'string' }, false],
  [
    'properties whose names are keywords',
    createObjectSchema({ title: text }),
    createObjectSchema({ title: { ...text, maxLength: 3 } }),
  ],
];

const createToolWithInput = (a: JsonObject | boolean): JsonObject =>
  createListedTool({ inputSchema: createObjectSchema({ a }) });

describe('a schema', () => {
  it.each(WEAKER_CHANGES)('is refused if it changes to %s', async (_, was, is) => {
    expect(await isRefused([createToolWithInput(was), createToolWithInput(is)])).toBe(true);
    expect(await isRefused([createToolWithInput(was), createToolWithInput(is)], { drift: 'report' })).toBe(
      false,
    );
  });

  it.each(NARROWER_VALUES)('is accepted if it changes to %s', async (_, was, is) => {
    expect(await isRefused([createToolWithInput(was), createToolWithInput(is)])).toBe(false);
    expect(await isRefused([createToolWithInput(was), createToolWithInput(is)], { drift: 'refuse' })).toBe(
      true,
    );
  });

  it('can be restored after it became narrower, but cannot become wider', async () => {
    const [first, less, more] = [
      createToolWithInput({ enum: ['a', 'b'] }),
      createToolWithInput({ enum: ['a'] }),
      createToolWithInput({ enum: ['a', 'b', 'c'] }),
    ];
    expect(await isRefused([first, less, first])).toBe(false);
    expect(await isRefused([first, less, more])).toBe(true);
    expect(await isRefused([first, less, more, less])).toBe(false);
    expect(await isRefused([first, more, more])).toBe(true);
  });

  it('is compared with its first version even if its tool was removed in between', async () => {
    const [first, less, more] = [
      createToolWithInput({ enum: ['a', 'b'] }),
      createToolWithInput({ enum: ['a'] }),
      createToolWithInput({ enum: ['a', 'b', 'c'] }),
    ];
    expect(await isRefused([first, undefined, more])).toBe(true);
    expect(await isRefused([first, undefined, more, more])).toBe(true);
    expect(await isRefused([first, undefined, less])).toBe(false);
    expect(await isRefused([first, less, undefined, more])).toBe(true);
    expect(await isRefused([first, less, undefined, first])).toBe(false);
    expect(await isRefused([first, more, undefined, more])).toBe(true);
  });

  const createReferringSchema = ($defs: JsonObject, more: JsonObject = {}): JsonObject =>
    createListedTool({
      inputSchema: { ...createObjectSchema({ a: { $ref: '#/$defs/A' }, ...more }), $defs },
    });

  it('is narrower with references only if no referenced part has changed', async () => {
    const first = createReferringSchema({ A: text }, { b: text });
    expect(
      await isRefused([first, createReferringSchema({ A: text }, { b: { ...text, maxLength: 2 } })]),
    ).toBe(false);
    expect(await isRefused([first, createReferringSchema({ A: {} }, { b: text })])).toBe(true);
    const createInsideTool = (b: JsonObject): JsonObject =>
      createListedTool({ inputSchema: createObjectSchema({ a: { not: { $ref: '#/properties/b' } }, b }) });
    expect(await isRefused([createInsideTool(text), createInsideTool({ ...text, maxLength: 2 })])).toBe(true);
  });

  it('accepts only values that were valid before, unless its change is refused', async () => {
    const leaf = fc.constantFrom<JsonObject>(
      {},
      { type: 'string' },
      { type: ['string', 'null'] },
      { type: 'integer' },
      { type: 'number', minimum: 1 },
      { enum: ['a', 1] },
      { const: 'a' },
      { maxLength: 1 },
      { not: { type: 'string' } },
    );
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
        fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }) }),
        fc.record({ type: fc.constant('array'), items: tie('schema') }),
        fc.record(
          {
            type: fc.constant('object'),
            properties: fc.dictionary(fc.constantFrom('b', 'c'), tie('schema'), { maxKeys: 2 }),
            required: fc.uniqueArray(fc.constantFrom('b', 'c'), { maxLength: 2 }),
            additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
          },
          { requiredKeys: ['type', 'properties'] },
        ),
      ),
    }));
    const value = fc.oneof(
      fc.constantFrom<unknown>('a', 'ab', 0, 1, 1.5, null, true, [], ['a'], [1], {}, { b: 'a' }, { c: 1 }),
      fc.dictionary(fc.constantFrom('b', 'c', 'd'), fc.constantFrom<unknown>('a', 'ab', 1, null, ['ab'], {})),
    );
    const property = fc.asyncProperty(
      schema,
      schema,
      fc.array(value, { maxLength: 8 }),
      async (was, is, values) => {
        if (await isRefused([createToolWithInput(was), createToolWithInput(is)])) return;
        const [before, now] = [was, is].map((a) => createSchemaCheck(createObjectSchema({ a })));
        const isValid = (check: typeof now, a: unknown) => check?.({ a } as JsonObject, 'first').length === 0;
        expect(values.filter((a) => isValid(now, a) && !isValid(before, a))).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: 1_500, seed: 20_261_123 });
  });
});

/** The log line about refused tools. */
const formatRefusal = (reasons: readonly string[]): string =>
  `holdfast: MCP server 'files' has weakened tools since this session first saw them, so they are refused in it: ${reasons.join('; ')}. ` +
  "To accept this, name the effect in `effects`, or set `drift: 'report'`: new sessions use the current definitions.";

describe('a tool that became weaker', () => {
  it('is reported once, with the change and the way to accept it', async () => {
    const first = [
      createListedTool(),
      { ...createListedTool(), name: 'note' },
      { ...createListedTool(), name: 'read' },
    ];
    const then = [
      createListedTool({ annotations: { readOnlyHint: true } }),
      {
        ...createListedTool(),
        name: 'note',
        inputSchema: createObjectSchema({ to: createObjectSchema({ 'b\ncc': text }) }),
      },
      { ...createListedTool(), name: 'read', description: 'Reads all.' },
    ];
    const known = await createListing(then, await createListing(first));
    await createListing(then, known);
    expect(logLines).toEqual([
      [formatRefusal(["'send' was `once` and is `read`", "'note' takes more input than before, at `to`"])],
    ]);
    expect(known.tools.map(({ name, refused = false }) => [name, refused])).toEqual([
      ['send', true],
      ['note', true],
      ['read', false],
    ]);
    expect(known.drift).toEqual({ added: [], removed: [], changed: ['note', 'read', 'send'] });
  });

  it('is still offered in its first version, and a call is refused without a request', async () => {
    const { server, client: shop } = createScene([createSayingTool('look')], { refreshAfter: 0 });
    const desk = createSession(
      [mcpToolProvider({ clients: [shop] })],
      [requestTool('look'), 'Done.', requestTool('look'), 'I go on without it.'],
    );
    await desk.send('Look');
    server.tools = [createSayingTool('look', 'looked', { annotations: { readOnlyHint: true } })];
    expect(await desk.send('Look again')).toMatchObject({ text: 'I go on without it.' });
    expect(getLastResults(desk)).toEqual([
      'look done',
      "Error: MCP tool 'look' has changed since this session first saw it, and server 'shop' may not change it so. Do not " +
        'call it again; go on without it.',
    ]);
    expect(countMethods(server)['tools/call']).toBe(1);
  });

  it('is stored only by its fingerprint if there is no room, and then any change is refused', async () => {
    const createBigTools = (from: number): JsonObject[] =>
      Array.from({ length: 8 }, (_, index) => ({
        name: `t${from + index}`,
        inputSchema: { type: 'object', title: 'x'.repeat(60_000) },
      }));
    const crowded = await createListing(
      createBigTools(8),
      await createListing([createListedTool(), ...createBigTools(0)]),
    );
    expect(crowded.gone?.map(({ first }) => first !== undefined).slice(0, 2)).toEqual([true, false]);
    const back = await createListing(
      createBigTools(0).map((one) => ({ ...one, description: 'Other words.' })),
      crowded,
    );
    expect(back.tools.map(({ name }) => name)).toEqual([]);
    const why = 'was removed, came back changed, and cannot be compared';
    expect(logLines.at(-1)).toEqual([formatRefusal(createBigTools(0).map(({ name }) => `'${name}' ${why}`))]);
  });

  it('is refused after a change of its schema if its first version could not be stored unchanged', async () => {
    const createToolWithLength = (maxLength: number): JsonObject =>
      createListedTool({ inputSchema: createObjectSchema({ to: { ...text, pattern: '(?i)b', maxLength } }) });
    const known = await createListing(
      [createToolWithLength(2)],
      await createListing([createToolWithLength(3)]),
    );
    expect(known.tools.map(({ refused }) => refused)).toEqual([true]);
    expect(logLines.at(-1)).toEqual([
      formatRefusal(["'send' has a changed input schema, which cannot be compared"]),
    ]);
  });
});
