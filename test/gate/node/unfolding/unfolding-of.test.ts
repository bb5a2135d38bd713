import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { type AnyTool, defineAgent } from '../../../../src/index.ts';
import { formatToolTree } from '../../../../src/modules/inspect/entry.ts';
import {
  type ToolTable,
  toolsOf,
  toolsOfAll,
  toolTable,
  type UnfoldingDeclaration,
  unfoldingOf,
  unfoldingOfSafely,
} from '../../../../src/modules/tool-objects/entry.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import { callTools, createSession, formatOpenedText, getLastResults, getOfferedTools } from './scenes.ts';

class DatabaseTools {
  static readonly unfolding = {
    name: 'database',
    description: 'Works with the database.',
    childToolUsageNotes: 'Query before you insert.',
  } satisfies UnfoldingDeclaration;
  static readonly tools = toolTable<DatabaseTools>({
    query: { description: 'Queries.', input: v.object({ sql: v.string() }), effect: 'read' },
    insert: { description: 'Inserts.' },
  });
  readonly #rows = 5;
  query({ sql }: { sql: string }) {
    return `${sql}: ${this.#rows} rows`;
  }
  insert() {
    return 'inserted';
  }
}

class FileTools {
  static readonly unfolding = { name: 'files', description: 'Files.', categoryParameter: 'kind' };
  static readonly tools = {
    read: { description: 'Reads.', category: 'look', effect: 'read' },
    write: { description: 'Writes.', category: 'change' },
    status: { description: 'Tells.', effect: 'read' },
  } satisfies ToolTable<FileTools>;
  read = () => 'read';
  write = () => 'written';
  status = () => 'fine';
}

class AdminTools {
  static readonly unfolding = { name: 'admin', description: 'Administration.' };
  static readonly tools = toolTable<AdminTools>({
    getStatus: { description: 'Tells.', effect: 'read' },
  });
  static readonly UserManagement = class UserManagement {
    static readonly unfolding = { name: 'users', description: 'Users.' };
    static readonly tools = { createUser: { description: 'Creates.' } };
    static readonly Permissions = class Permissions {
      static readonly unfolding = { name: 'permissions', description: 'Permissions.' };
      static readonly tools = { grant: { description: 'Grants.', effect: 'read' } };
      grant = () => 'Granted';
    };
    createUser = () => 'Created';
  };
  static readonly SystemConfig = class SystemConfig {
    static readonly unfolding = { name: 'system', description: 'The system.' };
    static readonly tools = { backup: { description: 'Backs up.' } };
    backup = () => 'Backed up';
  };
  getStatus() {
    return 'System is healthy';
  }
}

const formatTree = (object: object): string => formatToolTree('all', [unfoldingOf(object)]);

describe('an object whose class has `static unfolding`', () => {
  it('becomes one unfolding tool with its methods inside, and its notes (UNF-20, UNF-25)', async () => {
    const session = createSession(
      [unfoldingOf(new DatabaseTools())],
      [callTools('database'), callTools(['query', { sql: 'SELECT' }]), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      `${formatOpenedText('query', 'insert')}\n\nQuery before you insert.`,
      'SELECT: 5 rows',
    ]);
  });

  it('becomes an unfolding tool wherever objects are accepted as sources (ANN-05, UNF-25)', () => {
    const getNames = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);
    expect(getNames(toolsOf(new DatabaseTools()))).toEqual(['database']);
    expect(getNames(toolsOf(new DatabaseTools(), { prefix: 'my_' }))).toEqual(['my_database']);
    expect(getNames(toolsOf(new DatabaseTools(), { filter: (name) => name === 'query' }))).toEqual([]);
    expect(getNames(toolsOfAll([new DatabaseTools(), new FileTools()]))).toEqual(['database', 'files']);
    const agent = defineAgent({
      name: 'a',
      description: 'A.',
      instructions: '',
      tools: [new DatabaseTools(), new AdminTools()],
    });
    expect(getNames(agent.tools)).toEqual(['database', 'admin']);
  });

  it('offers its methods by category, and methods without a category in each of them and in `all` (UNF-22)', async () => {
    const tool = unfoldingOf(new FileTools());
    expect(tool.inputSchema).toMatchObject({
      properties: { kind: { enum: ['look', 'change', 'all'] } },
      required: ['kind'],
    });
    const ask = async (kind: string) => {
      const session = createSession([tool], [callTools(['files', { kind }]), 'Done.']);
      await session.send('Go.');
      return getOfferedTools(session)[1];
    };
    expect(await ask('look')).toEqual(['files', 'read', 'status']);
    expect(await ask('change')).toEqual(['files', 'status', 'write']);
    expect(await ask('all')).toEqual(['files', 'read', 'status', 'write']);
    expect(await ask('other')).toEqual(['files', 'read', 'status', 'write']);
  });

  it('has no category `all` if every method has a category (UNF-22)', () => {
    class Sorted {
      static readonly unfolding = { name: 'sorted', description: 'Sorted.' };
      static readonly tools = { read: { description: 'Reads.', category: 'look' } };
      read = () => 'read';
    }
    expect(unfoldingOf(new Sorted()).inputSchema).toMatchObject({
      properties: { category: { enum: ['look'] } },
    });
  });

  it('contains its inner classes, at any depth (UNF-23)', async () => {
    expect(formatTree(new AdminTools())).toBe(
      [
        'all',
        '└── admin (3 inner tools)',
        '    ├── getStatus',
        '    ├── users (2 inner tools)',
        '    │   ├── createUser',
        '    │   └── permissions (1 inner tools)',
        '    │       └── grant',
        '    └── system (1 inner tools)',
        '        └── backup',
      ].join('\n'),
    );
    const session = createSession(
      [unfoldingOf(new AdminTools())],
      [callTools('admin'), callTools('users'), callTools('permissions'), callTools('grant'), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session).at(-1)).toBe('Granted');
  });

  it('can have inner classes five levels deep (UNF-23)', () => {
    const createLevelClass = (at: number): object =>
      class {
        static readonly unfolding = { name: `l${at}`, description: `Level ${at}.` };
        static readonly tools = { [`do${at}`]: { description: 'Does.' } };
        static readonly Inner = at === 5 ? undefined : createLevelClass(at + 1);
        constructor() {
          Object.assign(this, { [`do${at}`]: () => at });
        }
      };
    const drawn = formatToolTree('all', [unfoldingOf(Reflect.construct(createLevelClass(1) as never, []))]);
    expect(drawn.match(/l\d|do\d/g)).toEqual([1, 2, 3, 4, 5].flatMap((at) => [`l${at}`, `do${at}`]));
  });

  it('offers inner classes in every category (UNF-22, UNF-23)', () => {
    class Mixed {
      static readonly unfolding = { name: 'mixed', description: 'Mixed.' };
      static readonly tools = { read: { description: 'Reads.', category: 'look' } };
      static readonly Inner = AdminTools.SystemConfig;
      read = () => 'read';
    }
    expect(unfoldingOf(new Mixed()).inputSchema).toMatchObject({
      properties: { category: { enum: ['look', 'all'] } },
    });
    expect(unfoldingOf(new Mixed()).inner?.map(({ name }) => name)).toEqual(['read', 'system']);
  });

  it('omits an inner class that throws, and logs the reason as a warning (UNF-23)', () => {
    const warned = captureWarnings();
    const reason = new Error('The database is missing.');
    class Broken {
      static readonly unfolding = { name: 'broken', description: 'Broken.' };
      constructor() {
        throw reason;
      }
    }
    class Outer {
      static readonly unfolding = { name: 'outer', description: 'Outer.' };
      static readonly tools = { read: { description: 'Reads.' } };
      static readonly Inner = Broken;
      read = () => 'read';
    }
    expect(formatTree(new Outer())).toBe('all\n└── outer (1 inner tools)\n    └── read');
    expect(warned).toEqual([
      'holdfast: the inner class Broken is left out, since it cannot be constructed Error: The database is missing.',
    ]);
  });

  it('can be exclusive, have a context tool, and stay open for the session (UNF-17)', async () => {
    class Mood {
      static readonly unfolding = { name: 'mood', description: 'Mood.', exclusive: true };
      static readonly tools = { formal: { description: 'Formal.' } };
      formal = () => 'formal';
    }
    const session = createSession(
      [...toolsOf(new Mood()), ...toolsOf(new FileTools())],
      [callTools('mood'), 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session)[1]).toEqual(['formal']);
  });
});

describe('unfoldingOf for an object of any class', () => {
  class Plain {
    static readonly tools = { read: { description: 'Reads.', effect: 'read' } } satisfies ToolTable<Plain>;
    read() {
      return 'read';
    }
  }

  it('returns an unfolding tool with the given name and description (UNF-24)', async () => {
    const tool = unfoldingOf(new Plain(), {
      name: 'plain',
      description: 'Plain.',
      childToolUsageNotes: 'Read.',
    });
    const session = createSession([tool], [callTools('plain'), callTools('read'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([`${formatOpenedText('read')}\n\nRead.`, 'read']);
  });

  it('accepts inherited methods and tables (UNF-24)', () => {
    class Sub extends Plain {}
    expect(
      unfoldingOf(new Sub(), { name: 'sub', description: 'Sub.' }).inner?.map(({ name }) => name),
    ).toEqual(['read']);
  });

  it('replaces the name and description of the class (UNF-20)', () => {
    expect(unfoldingOf(new DatabaseTools(), { name: 'db' })).toMatchObject({
      name: 'db',
      description: 'Works with the database.',
    });
  });

  it('throws without a name and a description, or if there are no tools (UNF-20, UNF-21, UNF-24)', () => {
    class Empty {
      static readonly unfolding = { name: 'empty', description: 'Empty.' };
      hidden = () => 'no tool';
    }
    const unnamed =
      'Class Plain has no name and description for its unfolding tool. ' +
      "Give it a static 'unfolding' with a name and a description, or give both to unfoldingOf.";
    expect(() => unfoldingOf(new Plain())).toThrow(unnamed);
    expect(() => unfoldingOf(new Plain(), { name: 'plain' })).toThrow(unnamed);
    const empty =
      'has no tools to unfold. ' +
      "Give it a static 'tools' table, or a static member that is a class with a static 'unfolding'.";
    expect(() => unfoldingOf(new Empty())).toThrow(`Class Empty ${empty}`);
    expect(() => unfoldingOf({}, { name: 'none', description: 'None.' })).toThrow(`Class Object ${empty}`);
  });

  it('omits a class inside itself or more than 16 levels deep, and logs the path', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const createLevelInfo = (level: number) => ({ name: `level_${level}`, description: 'Deep.' });
    class Outer {
      static readonly unfolding = { name: 'outer', description: 'Outer.' };
      static readonly tools = { look: { description: 'Looks.' } };
      static inner: object;
      look() {
        return 'seen';
      }
    }
    class Inner {
      static readonly unfolding = { name: 'inner', description: 'Inner.' };
      static readonly tools = { look: { description: 'Looks.' } };
      static readonly outer = Outer;
      look() {
        return 'seen';
      }
    }
    Outer.inner = Inner;
    const outer = unfoldingOf(new Outer());
    expect(outer.inner?.map(({ name }) => name)).toEqual(['look', 'inner']);
    expect(outer.inner?.[1]?.inner?.map(({ name }) => name)).toEqual(['look']);

    let deepest: object = Outer;
    for (let level = 16; level >= 0; level--) {
      const below = deepest;
      const Level = {
        [`Level${level}`]: class {
          static readonly unfolding = createLevelInfo(level);
          static readonly tools = { look: { description: 'Looks.' } };
          static readonly below = below;
          look() {
            return 'seen';
          }
        },
      }[`Level${level}`];
      deepest = Level ?? deepest;
    }
    const top = unfoldingOf(Reflect.construct(deepest as typeof Outer, []));
    let depth = 0;
    for (let one: AnyTool | undefined = top; one; one = one.inner?.find(({ inner }) => inner)) depth += 1;
    expect(depth).toBe(16);
    const levels = Array.from({ length: 17 }, (_, level) => `Level${level}`).join(' > ');
    expect(warn.mock.calls.flat()).toEqual([
      'holdfast: a source of tools must not contain itself, so the last of these is left out: Outer > Inner > Outer',
      `holdfast: a source of tools must not be nested more than 16 deep, so the last of these is left out: ${levels}`,
    ]);
    warn.mockRestore();
  });

  it('returns `undefined` instead of throwing if it is called safely (UNF-21)', () => {
    const debug = vi.spyOn(console, 'debug').mockImplementation(() => {});
    expect(unfoldingOfSafely(new Plain())).toBeUndefined();
    expect(unfoldingOfSafely(null)).toBeUndefined();
    expect(debug.mock.calls.map(([line]) => line)).toEqual(
      Array(2).fill('holdfast: no unfolding tool of an object'),
    );
    expect(unfoldingOfSafely(new DatabaseTools())?.name).toBe('database');
    debug.mockRestore();
  });
});
