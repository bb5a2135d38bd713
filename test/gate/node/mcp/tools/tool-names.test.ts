import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameTools } from '../../../../doors/mcp.ts';
import { createClient, createListedTool } from './listing-fixtures.ts';

const createToolNames = (names: readonly string[], prefix?: string): Record<string, string> =>
  Object.fromEntries(
    nameTools(
      createClient({ prefix }),
      names.map((name) => createListedTool({ name })),
    ),
  );

const HASH_SUFFIX = /_[0-9a-z]{7}$/;

/** Names as hostile servers choose them, many of which are equal once they are cleaned. */
const name = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 128 }),
  fc.string({ unit: fc.constantFrom('a', 'b', '_', '-', '.', ' ', 'é'), minLength: 1, maxLength: 80 }),
  fc.constantFrom('__proto__', 'constructor', '../', 'get x', 'get.x', 'get_x'),
);
const runOptions = { numRuns: 300, seed: 20_261_122 };

describe('`toolNames`', () => {
  it('keeps names that every provider accepts', () => {
    expect(createToolNames(['read', 'get-file_2', 'Read', 'constructor', 'x'.repeat(64)])).toEqual({
      read: 'read',
      'get-file_2': 'get-file_2',
      Read: 'Read',
      constructor: 'constructor',
      ['x'.repeat(64)]: 'x'.repeat(64),
    });
  });

  it('adds the client’s prefix to names', () => {
    expect(createToolNames(['read', 'write'], 'fs_')).toEqual({ read: 'fs_read', write: 'fs_write' });
  });

  it('removes forbidden characters from names, and appends a hash of the original name', () => {
    expect(createToolNames(['files.read', '../etc/passwd', 'zwei Wörter', '日本語', ' '])).toEqual({
      'files.read': 'files_read_1yqgun6',
      '../etc/passwd': 'etc_passwd_0rffei7',
      'zwei Wörter': 'zwei_W_rter_16764yd',
      日本語: 'tool_0zm9zaf',
      ' ': 'tool_0aa2mbj',
    });
  });

  it('cuts long names, with the prefix, to 64 characters that end in a hash', () => {
    const long = 'x'.repeat(128);
    expect(nameTools(createClient(), [createListedTool({ name: long })]).get(long)).toMatch(
      /^x{56}_[0-9a-z]{7}$/,
    );
    const made = nameTools(createClient({ prefix: 'fs_' }), [createListedTool({ name: 'x'.repeat(62) })]);
    expect(made.get('x'.repeat(62))).toMatch(/^fs_x{53}_[0-9a-z]{7}$/);
  });

  it('renames `__proto__`, unless a prefix already changes it', () => {
    const names = nameTools(createClient(), [createListedTool({ name: '__proto__' })]);
    expect([...names]).toEqual([['__proto__', expect.stringMatching(/^proto_[0-9a-z]{7}$/)]]);
    expect(
      nameTools(createClient({ prefix: 'x' }), [createListedTool({ name: '__proto__' })]).get('__proto__'),
    ).toBe('x__proto__');
  });

  it('keeps an original name for its tool, even if another tool would be renamed to that name', () => {
    const { 'get x': taken = '' } = createToolNames(['get x']);
    const names = createToolNames(['get x', taken]);
    expect(names[taken]).toBe(taken);
    expect(names['get x']).toMatch(HASH_SUFFIX);
    expect(names['get x']).not.toBe(taken);
  });

  it('distinguishes names that are equal after cleaning', () => {
    const names = Object.values(createToolNames(['get x', 'get.x', 'get/x', 'get_x']));
    expect(new Set(names).size).toBe(4);
    expect(names).toContain('get_x');
  });

  it('distinguishes names with the same hash, in any order of the list', () => {
    const [first, second] = ['a! +!b', 'a+!.äb'];
    const names = createToolNames([first, second]);
    expect(names[first]).toMatch(/^a_b_[0-9a-z]{7}$/);
    expect(names[first]).toBe(createToolNames([second])[second]);
    expect(names[second]).not.toBe(names[first]);
    expect(createToolNames([second, first])).toEqual(names);
  });

  it('returns distinct names that every provider accepts, for any names', () => {
    const prefix = fc.constantFrom(undefined, 'fs_', 'a'.repeat(32));
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 40 }), prefix, (names, begins) => {
        const made = nameTools(
          createClient({ prefix: begins }),
          names.map((one) => createListedTool({ name: one })),
        );
        expect([...made.keys()].sort()).toEqual([...names].sort());
        expect(new Set(made.values()).size).toBe(names.length);
        for (const one of made.values()) {
          expect(one).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          expect(one.startsWith(begins ?? '')).toBe(true);
        }
      }),
      runOptions,
    );
  });

  it('returns names that do not depend on the order or the number of the other tools', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 20 }), (names) => {
        const tools = names.map((one) => createListedTool({ name: one }));
        const all = nameTools(createClient(), tools);
        expect(new Map(nameTools(createClient(), tools.toReversed()))).toEqual(new Map(all));
        for (const tool of tools) {
          expect(nameTools(createClient(), [tool]).get(tool.name)).toBe(all.get(tool.name));
        }
      }),
      runOptions,
    );
  });
});
