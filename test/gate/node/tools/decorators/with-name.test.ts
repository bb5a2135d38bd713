import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTool, ToolCallContext } from '../../../../../src/index.ts';
import {
  decorate,
  unwrapAs,
  withDescription,
  withMetadata,
  withName,
  withUsageNote,
} from '../../../../../src/modules/decorators/entry.ts';
import { toolsOf } from '../../../../../src/modules/tool-objects/entry.ts';
import { createFakeInvocation } from '../fake-invocation.ts';
import { getShownResults, startSession } from './turns.ts';

const search = defineTool({
  name: 'search',
  description: 'Searches.',
  input: v.object({ query: v.string() }),
  effect: 'read',
  serial: 'desk',
  returnDirect: true,
  metadata: { team: 'kb' },
  output: v.object({ page: v.string() }),
  run: ({ query }, { context }) => `${query} for ${context.get('tenantId')}`,
});

/** The properties of a tool, except for its methods and its delegate. */
const getToolData = ({ check: _, call: __, delegate: ___, ...rest }: AnyTool) => rest;

describe('a renamed tool', () => {
  it('is a copy that differs only in its name (TOOL-14, TOOL-13)', () => {
    const renamed = withName(search, 'kb_search');
    expect(getToolData(renamed)).toEqual({ ...getToolData(search), name: 'kb_search' });
    expect(search.name).toBe('search');
  });

  it('can be unwrapped, and passes on the context (TOOL-17, CTX-09)', async () => {
    const renamed = withName(withName(search, 'a'), 'b');
    expect(unwrapAs(renamed, (one): one is AnyTool => one === search)).toBe(search);
    const acme = ToolCallContext.of({ tenantId: 'acme' });
    const { call } = createFakeInvocation('b', acme);
    expect((await renamed.call({ query: 'kelp' }, call)).text()).toBe('kelp for acme');
  });

  it('is called by its new name, which errors use too (TOOL-14)', async () => {
    const renamed = withName(search, 'kb_search');
    const session = startSession(
      [{ ...renamed, returnDirect: false }],
      [
        {
          calls: [
            { name: 'kb_search', input: { query: 'kelp' } },
            { name: 'kb_search' },
            { name: 'search', input: { query: 'kelp' } },
          ],
        },
        'Done.',
      ],
      { tenantId: 'acme' },
    );
    await session.send('Go.');
    expect(session.requests[0]?.tools.map(({ name }) => name)).toEqual(['kb_search']);
    const [ok, invalid, unknown] = getShownResults(session);
    expect(ok).toBe('kelp for acme');
    expect(invalid).toContain("The input of tool 'kb_search' is not valid:");
    expect(unknown).toContain("Tool 'search' does not exist.");
    const checked = await renamed.check({});
    expect(checked.ok ? '' : checked.answer.text()).toContain("The input of tool 'kb_search' is not valid:");
  });

  it('keeps its context and its delegate if `toolsOf` renames it (TOOL-18)', async () => {
    const facade = decorate(search, { inner: [search] });
    const [renamed] = toolsOf(facade, { prefix: 'kb_' });
    expect(renamed).toMatchObject({ name: 'kb_search', inner: [search], delegate: facade });
    const { call } = createFakeInvocation('kb_search', ToolCallContext.of({ tenantId: 'acme' }));
    expect((await renamed?.call({ query: 'kelp' }, call))?.text()).toBe('kelp for acme');
  });

  it.each([
    ['', 'its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.'],
    ['a b', 'its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.'],
    ['x'.repeat(65), 'its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.'],
  ])('cannot have the name %j, because some providers refuse it', (name, problem) => {
    expect(() => withName(search, name)).toThrow(`Tool '${name}': ${problem}`);
  });
});

describe('a tool with a new description', () => {
  it('has another description, and no other change (TOOL-15)', async () => {
    const described = withDescription(search, 'Searches the handbook.');
    expect(getToolData(described)).toEqual({ ...getToolData(search), description: 'Searches the handbook.' });
    expect(described.delegate).toBe(search);
    expect(search.description).toBe('Searches.');
    const { call } = createFakeInvocation('search', ToolCallContext.of({ tenantId: 'acme' }));
    expect((await described.call({ query: 'kelp' }, call)).text()).toBe('kelp for acme');
  });

  it.each<[string, string, string]>([
    ['Original description', 'Use this for large sets', 'Original description. Use this for large sets'],
    ['Searches.', 'Slow', 'Searches. Slow'],
    ['Waits...', 'Slow', 'Waits... Slow'],
  ])(
    'joins description and note with exactly one full stop: %j and %j (TOOL-16)',
    (description, note, expected) => {
      expect(withUsageNote(withDescription(search, description), note).description).toBe(expected);
    },
  );

  it('can have several notes, and a new description before them (TOOL-16, TOOL-17)', () => {
    const noted = withUsageNote(withUsageNote(withDescription(search, 'Finds'), 'One'), 'Two.');
    expect(noted.description).toBe('Finds. One. Two.');
    expect(noted.metadata).toEqual({ team: 'kb' });
    expect(unwrapAs(noted, (one): one is AnyTool => one === search)).toBe(search);
  });

  it('is refused if the description is blank', () => {
    expect(() => withDescription(search, ' ')).toThrow(
      "Tool 'search': its description is blank. The model chooses tools by their descriptions.",
    );
  });

  it('shows the new description to the model', async () => {
    const session = startSession([withUsageNote(search, 'Slow')], ['Done.']);
    await session.send('Go.');
    expect(session.requests[0]?.tools).toEqual([
      { name: 'search', description: 'Searches. Slow', inputSchema: search.inputSchema },
    ]);
  });
});

describe('a tool with more metadata', () => {
  it('has the new entries and its own, and a new entry overrides its own entry of the same key (TOOL-12)', () => {
    const more = withMetadata(withMetadata(search, 'cost', 3), { team: 'docs', tags: ['a'] });
    expect(more.metadata).toEqual({ team: 'docs', cost: 3, tags: ['a'] });
    expect(search.metadata).toEqual({ team: 'kb' });
    expect(withMetadata(search, 'owner', null).metadata).toEqual({ team: 'kb', owner: null });
  });

  it('keeps everything else, and can be called (TOOL-12)', async () => {
    const more = withMetadata(search, 'cost', 3);
    expect(getToolData(more)).toEqual({ ...getToolData(search), metadata: { team: 'kb', cost: 3 } });
    expect(more.delegate).toBe(search);
    const { call } = createFakeInvocation('search', ToolCallContext.of({ tenantId: 'acme' }));
    expect((await more.call({ query: 'kelp' }, call)).text()).toBe('kelp for acme');
  });

  it('keeps its entries in other copies of the tool (TOOL-13)', () => {
    const kept = { team: 'kb', cost: 3 };
    const more = withMetadata(search, 'cost', 3);
    expect(withName(more, 'other').metadata).toEqual(kept);
    expect(withDescription(more, 'Other.').metadata).toEqual(kept);
    expect(withUsageNote(more, 'Other').metadata).toEqual(kept);
  });

  it('does not show its entries to the model (TOOL-12)', async () => {
    const session = startSession([withMetadata(search, 'routing', 'metadata-4711')], ['Done.']);
    await session.send('Go.');
    expect(session.requests[0]?.tools).toHaveLength(1);
    expect(JSON.stringify(session.requests)).not.toMatch(/metadata-4711|routing/);
  });

  it('is refused if an entry is not JSON', () => {
    expect(() => withMetadata(search, { since: Object(new WeakMap()) })).toThrow(
      "Tool 'search': its metadata is not JSON: the value at `$.since` is a WeakMap.",
    );
  });
});
