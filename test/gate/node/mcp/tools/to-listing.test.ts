import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Json, type JsonObject, Secrets } from '../../../../../src/index.ts';
import type { ListedTool } from '../../../../../src/mcp/tools/entry.ts';
import { type McpListing, parseListing, toListedInput, toListing } from '../../../../doors/mcp.ts';
import { createConsoleLog } from '../../../../doors/tools.ts';
import { createClient, createListedTool, createListing } from './listing-fixtures.ts';

const object = { type: 'object' };
const read = { name: 'read', description: 'Reads a file.', inputSchema: object };
const write = { name: 'write', description: 'Writes a file.', inputSchema: object };

const getToolNames = ({ tools }: McpListing): readonly string[] => tools.map(({ name }) => name);
const listOnlyTool = async (told: unknown): Promise<ListedTool | undefined> =>
  (await createListing([told])).tools[0];

/** Captures the warnings, and keeps them out of the test output. */
const captureWarnings = () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  return (): readonly unknown[] => warn.mock.calls.flat();
};

afterEach(() => vi.restoreAllMocks());

describe('`toListing`', () => {
  it('keeps only the fields that models and our code use', async () => {
    const told = {
      ...read,
      title: 'Read a file',
      outputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      annotations: {
        title: 'Old title',
        readOnlyHint: true,
        idempotentHint: false,
        openWorldHint: 'yes',
        odd: true,
      },
      icons: [{ src: 'https://mcp.example/icon.png' }],
      _meta: { secret: 1 },
    };
    const listing = await createListing([told]);
    expect(listing).toEqual({
      client: 'files',
      at: 1_000,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      tools: [
        {
          name: 'read',
          title: 'Read a file',
          description: 'Reads a file.',
          inputSchema: object,
          outputSchema: { type: 'object', properties: { text: { type: 'string' } } },
          hints: { readOnlyHint: true, idempotentHint: false },
          fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ],
    });
  });

  it.each<[string, JsonObject, string]>([
    ['its title if it has no description', { title: 'Read it' }, 'Read it'],
    ['its title if its description is blank', { title: ' Read it ', description: ' \n' }, 'Read it'],
    ['its title in annotations, as older servers send it', { annotations: { title: 'Read it' } }, 'Read it'],
    ['a sentence if it has neither', {}, "The tool 'read' of the MCP server 'files'."],
  ])('describes a tool by %s', async (_, parts, description) => {
    const tool = await listOnlyTool({ name: 'read', inputSchema: object, ...parts });
    expect(tool?.description).toBe(description);
  });

  it('shortens descriptions to 8,192 characters, and titles to 200', async () => {
    const tool = await listOnlyTool({ ...read, title: 't'.repeat(201), description: 'd'.repeat(8_193) });
    expect(tool?.description).toBe(`${'d'.repeat(8_191)}…`);
    expect(tool?.title).toBe(`${'t'.repeat(199)}…`);
  });

  it('copies keys such as `__proto__` and `constructor` as ordinary keys', async () => {
    const schema =
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}';
    const tool = await listOnlyTool({ ...read, inputSchema: JSON.parse(schema) });
    expect(JSON.stringify(tool?.inputSchema)).toBe(schema);
    expect(Object.getPrototypeOf(tool?.inputSchema)).toBe(Object.prototype);
  });

  it('copies its input, so later changes by the connection’s code have no effect', async () => {
    const schema = { type: 'object', properties: { path: { type: 'string' } } };
    const tool = await listOnlyTool({ ...read, inputSchema: schema });
    schema.properties.path.type = 'number';
    expect(tool?.inputSchema).toEqual({ type: 'object', properties: { path: { type: 'string' } } });
  });

  it('removes regular expressions, which may be costly or of another dialect, and keeps the tool', async () => {
    const logged = captureWarnings();
    const tool = await listOnlyTool({
      ...read,
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: 'string', pattern: '(?P<year>\\d+)' },
          b: { type: 'string', pattern: '^\\d+$' },
        },
        patternProperties: { '(?i)x': {}, '^x-': {} },
      },
    });
    expect(tool?.inputSchema).toEqual({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    });
    expect(logged()).toEqual([]);
  });

  it('does not require an input with a default, which the server fills in, and leaves the output schema unchanged', async () => {
    const schema = {
      type: 'object',
      properties: { path: { type: 'string' }, head: { type: 'integer', default: 10 } },
      required: ['path', 'head'],
    };
    const tool = await listOnlyTool({ ...read, inputSchema: schema, outputSchema: schema });
    expect(tool?.inputSchema).toEqual({ ...schema, required: ['path'] });
    expect(tool?.outputSchema).toEqual(schema);
    expect(tool).not.toHaveProperty('exact');
  });

  it('drops an unusable output schema, and keeps the tool', async () => {
    const tool = await listOnlyTool({ ...read, outputSchema: { type: 'array' } });
    expect(tool).not.toHaveProperty('outputSchema');
    expect(tool?.name).toBe('read');
  });
});

describe('a tool whose server uses unchecked assertions', () => {
  const createPhoneTool = (name: string, properties: JsonObject) => ({
    ...read,
    name,
    inputSchema: { type: 'object', properties },
  });
  const call = createPhoneTool('call', {
    to: { type: 'string', format: 'phone' },
    tree: { not: { $dynamicRef: '#a' }, $dynamicAnchor: 'a' },
    n: { type: 'integer', format: 'uint8' },
  });

  it('is offered and checked without these assertions, which are logged once', async () => {
    const logged = captureWarnings();
    const asked = createClient({ drift: 'report' });
    const listing = await createListing(
      [call, read, createPhoneTool('text', { to: { format: 'phone' } })],
      undefined,
      asked,
    );
    expect(listing.tools.map(({ name }) => name)).toEqual(['call', 'read', 'text']);
    expect(logged()).toEqual([
      "holdfast: MCP server 'files' has input constraints that only the server checks: 'call' " +
        'format: "phone" at $.properties.to and 2 more; \'text\' format: "phone" at $.properties.to.',
    ]);
    const [tool] = listing.tools;
    expect(tool?.inputSchema.properties).toMatchObject({ to: { format: 'phone' } });
    const input = toListedInput(tool ?? createListedTool());
    expect(await input.parse({ to: 'nobody', tree: { a: 1 }, n: 1_000 })).toMatchObject({ ok: true });
    expect(await input.parse({ to: 7, n: 'x' })).toMatchObject({ ok: false });
    await createListing([call], undefined, asked);
    await createListing([call, read], listing, asked);
    expect(logged()).toHaveLength(1);
    await createListing([createPhoneTool('call', { to: { format: 'fax' } })], listing, asked);
    expect(logged()).toHaveLength(2); // A changed assertion is logged too.
    await createListing([call], undefined, createClient());
    expect(logged()).toHaveLength(3); // Another client logs it again.
  });

  it('is logged with a few other tools, without the caller’s secrets', async () => {
    const logged = captureWarnings();
    const many = Array.from({ length: 12 }, (_, at) =>
      createPhoneTool(`t${at}`, { a: { format: 'zebra-stripes' } }),
    );
    await toListing(createClient(), many as Parameters<typeof toListing>[1], {
      former: undefined,
      now: 1,
      secrets: Secrets.of({ key: 'zebra-stripes' }),
      log: createConsoleLog(),
    });
    expect(logged()).toEqual([
      expect.stringMatching(/^holdfast: .*'t9' format: "\[secret key\]" at \$\.properties\.a; and 2 more\.$/),
    ]);
  });
});

describe('`toListing` leaves out', () => {
  const deepIds = Array.from({ length: 40 }).reduce<JsonObject>(
    (inner, _, index) => ({ $id: `https://x.example/${index}`, type: 'object', properties: { a: inner } }),
    { type: 'object' },
  );

  it.each<[string, unknown, string]>([
    ['a value that is not an object', null, "'' is not a JSON object"],
    [
      'a tool that is not JSON',
      { ...read, inputSchema: { type: 'object', default: () => 1 } },
      "'' is not a JSON object",
    ],
    ['a name that is not text', { ...read, name: 7 }, "'' has no name of 1 to 128 characters"],
    ['a blank name', { ...read, name: ' ' }, "'' has no name of 1 to 128 characters"],
    ['a name with a line break', { ...read, name: 'a\nb' }, "'a b' has no name of 1 to 128 characters"],
    [
      'a name with invisible characters',
      { ...read, name: 'a\u202eb' },
      "'ab' has no name of 1 to 128 characters",
    ],
    [
      'a long name',
      { ...read, name: 'x'.repeat(129) },
      `'${'x'.repeat(79)}…' has no name of 1 to 128 characters`,
    ],
    ['a tool without an input schema', { name: 'read' }, "'read' has an input schema that cannot be used"],
    [
      'an array schema',
      { ...read, inputSchema: { type: 'array' } },
      "'read' has an input schema that cannot be used",
    ],
    [
      'a schema with an unknown type',
      { ...read, inputSchema: { type: 'object', properties: { a: { type: 'str' } } } },
      "'read' has an input schema that cannot be used",
    ],
    [
      'properties that are not schemas',
      { ...read, inputSchema: { type: 'object', properties: { a: 1 } } },
      "'read' has an input schema that cannot be used",
    ],
    [
      'alternatives that are not a list',
      { ...read, inputSchema: { type: 'object', anyOf: {} } },
      "'read' has an input schema that cannot be used",
    ],
    [
      'a dangling reference',
      { ...read, inputSchema: { type: 'object', $ref: '#/$defs/a' } },
      "'read' has an input schema that cannot be used",
    ],
    [
      'a reference to another site',
      { ...read, inputSchema: { type: 'object', $ref: 'https://x.example/a' } },
      "'read' has an input schema that cannot be used",
    ],
    [
      'a schema that takes forever to read',
      { ...read, inputSchema: deepIds },
      "'read' has an input schema that cannot be used",
    ],
    [
      'schemas of more than 64 Ki characters',
      { ...read, inputSchema: { type: 'object', title: 'x'.repeat(65_536) } },
      "'read' has schemas of more than 65536 characters",
    ],
    [
      'a tool that runs only as a task',
      { ...read, execution: { taskSupport: 'required' } },
      "'read' runs as a task only",
    ],
  ])('%s, and logs its name', async (_, told, words) => {
    const logged = captureWarnings();
    expect(getToolNames(await createListing([told, write]))).toEqual(['write']);
    expect(logged()).toEqual([`holdfast: MCP server 'files' has tools that are left out: ${words}.`]);
  });

  it('all but the first tool with a name, even if the first is unusable', async () => {
    const logged = captureWarnings();
    const listing = await createListing([
      { ...read, description: 'First.' },
      { ...read, description: 'Second.' },
      { name: 'bad' },
      { ...write, name: 'bad' },
    ]);
    expect(listing.tools.map(({ description }) => description)).toEqual(['First.']);
    expect(logged()).toEqual([
      "holdfast: MCP server 'files' has tools that are left out: 'read' is there already; " +
        "'bad' has an input schema that cannot be used; 'bad' is there already.",
    ]);
  });

  it('tools beyond the first 1,000, and logs ten of their names in one line', async () => {
    const logged = captureWarnings();
    const listing = await createListing(
      Array.from({ length: 1_012 }, (_, index) => ({ ...read, name: `t${index}` })),
    );
    expect(listing.tools).toHaveLength(1_000);
    expect(listing.tools.at(-1)?.name).toBe('t999');
    const first = Array.from(
      { length: 10 },
      (_, index) => `'t${1_000 + index}' is beyond the 1000 tools of a list`,
    );
    expect(logged()).toEqual([
      `holdfast: MCP server 'files' has tools that are left out: ${first.join('; ')}; and 2 more.`,
    ]);
  });

  it('tools beyond 512 Ki characters, but not later tools that fit', async () => {
    const logged = captureWarnings();
    const big = { type: 'object', title: 'x'.repeat(60_000) };
    const told = Array.from({ length: 10 }, (_, index) => ({ name: `t${index}`, inputSchema: big }));
    const listing = await createListing([...told, write]);
    expect(JSON.stringify(listing.tools).length).toBeLessThan(524_288);
    expect(getToolNames(listing)).toEqual([...told.slice(0, 8).map(({ name }) => name), 'write']);
    expect(logged()).toEqual([
      "holdfast: MCP server 'files' has tools that are left out: " +
        "'t8' is beyond the 524288 characters of a list; 't9' is beyond the 524288 characters of a list.",
    ]);
  });
});

describe('`toListing` for any server output', () => {
  const key = fc.constantFrom(
    'type',
    'properties',
    '$ref',
    '$id',
    'id',
    'anyOf',
    'items',
    'pattern',
    '__proto__',
    'x',
  );
  const leaf = fc.oneof(
    fc.constantFrom('object', 'string', '#', '#/properties/x', '(', 'http://['),
    fc.jsonValue({ maxDepth: 1 }),
  );
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      leaf,
      fc.array(tie('schema'), { maxLength: 3 }),
      fc.dictionary(key, tie('schema'), { maxKeys: 4 }),
    ),
  }));
  const rooted = schema.map((inner) => (typeof inner === 'object' ? { ...inner, type: 'object' } : inner));
  const tool = fc.record(
    {
      name: fc.oneof(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 0 })),
      title: fc.jsonValue({ maxDepth: 0 }),
      description: fc.jsonValue({ maxDepth: 0 }),
      inputSchema: rooted,
      outputSchema: rooted,
      annotations: fc.jsonValue({ maxDepth: 2 }),
      execution: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: [] },
  );
  const tools = fc.array(fc.oneof({ weight: 9, arbitrary: tool }, fc.anything()), { maxLength: 6 });

  it.each([
    { patternProperties: { x: { $ref: '#/%E0%A4%A' } } },
    { $defs: { a: { $anchor: 'a/%E0%A4%A' } }, properties: { x: { $ref: '#a/%E0%A4%A' } } },
  ])('offers a tool next to a tool with unreadable references: %j', async (said) => {
    captureWarnings();
    const odd = { name: 'odd', inputSchema: { type: 'object', ...said } };
    const read = { name: 'read', inputSchema: { type: 'object' } };
    const names = (await createListing([odd, read])).tools.map(({ name }) => name);
    expect(names).toContain('read');
  });

  it('returns a listing that is JSON, and that `parseListing` accepts', async () => {
    captureWarnings();
    const property = fc.asyncProperty(
      tools,
      tools,
      fc.constantFrom('report', 'refuse', 'refuse-weaker'),
      async (first, second, drift) => {
        const former = await createListing(first, undefined, createClient({ drift }));
        const listing = await createListing(second, former, createClient({ drift }));
        const kept: Json = JSON.parse(JSON.stringify(listing));
        expect(kept).toEqual(listing);
        expect(parseListing(kept)).toBe(kept);
        expect(new Set(getToolNames(listing)).size).toBe(listing.tools.length);
      },
    );
    await fc.assert(property, { numRuns: 300, seed: 20_261_122 });
  });
});
