import { describe, expect, it } from 'vitest';
import { type AnyTool, text } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { formatToolTree } from '../../../../src/modules/inspect/entry.ts';
import {
  callTools,
  createSession,
  createTool,
  findDescription,
  formatOpenedText,
  getLastResults,
  getOfferedTools,
} from './scenes.ts';

const read = createTool('read');
const write = createTool('write', undefined, 'Writes a file.\nTakes a path.');
const createFiles = (more = {}): AnyTool =>
  defineUnfolding({ name: 'files', description: 'Works with files.', tools: [read, write], ...more });

describe('an unfolding tool', () => {
  it('is replaced by a guide and its inner tools when it is called, while sibling tools remain (UNF-03, UNF-10, UNF-11)', async () => {
    const session = createSession(
      [createFiles(), createTool('search')],
      [callTools('files'), callTools('read'), 'Done.'],
    );
    expect(await session.send('Go.')).toMatchObject({ outcome: 'completed', toolCalls: 2 });
    expect(getOfferedTools(session)).toEqual([
      ['files', 'search'],
      ['files', 'search', 'read', 'write'],
      ['files', 'search', 'read', 'write'],
    ]);
    expect(getLastResults(session)).toEqual([formatOpenedText('read', 'write'), 'read done']);
  });

  it('has a short description, no input and no visible inner tools before it opens (UNF-03, UNF-32, UNF-33)', async () => {
    const notes = 'Read before you write.';
    const session = createSession([createFiles({ childToolUsageNotes: notes })], ['Done.']);
    await session.send('Go.');
    expect(session.requests[0]?.tools).toEqual([
      { name: 'files', description: 'Works with files.', inputSchema: { type: 'object', properties: {} } },
    ]);
    expect(JSON.stringify(session.requests)).not.toContain(notes);
  });

  it('returns its notes unchanged, after a blank line (UNF-09, UNF-14)', async () => {
    const childToolUsageNotes = '  Read before you write.\n\n* Paths are absolute. ';
    const session = createSession([createFiles({ childToolUsageNotes })], [callTools('files'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      `${formatOpenedText('read', 'write')}\n\n${childToolUsageNotes}`,
    ]);
  });

  it.each([undefined, '', ' \n '])(
    'returns no notes if they are %j (UNF-09)',
    async (childToolUsageNotes) => {
      const session = createSession([createFiles({ childToolUsageNotes })], [callTools('files'), 'Done.']);
      await session.send('Go.');
      expect(getLastResults(session)).toEqual([formatOpenedText('read', 'write')]);
    },
  );

  it('accepts any input, because it needs none (UNF-26)', async () => {
    for (const input of ['', '{}', 'not json', '[1]', '"x"', { other: 1 }]) {
      const session = createSession([createFiles()], [callTools(['files', input]), 'Done.']);
      await session.send('Go.');
      expect(getLastResults(session)).toEqual([formatOpenedText('read', 'write')]);
    }
  });

  it('can contain any kind of tool, such as an instance of a class (UNF-10)', async () => {
    class Own {
      readonly effect = 'none';
      readonly returnDirect = false;
      readonly metadata = {};
      readonly inputSchema = { type: 'object', properties: {} };
      get name() {
        return 'own';
      }
      get description() {
        return 'Its own.';
      }
      async check(value: unknown) {
        return { ok: true, value } as const;
      }
      async call() {
        return text(`${this.name} called`);
      }
    }
    const session = createSession(
      [createFiles({ tools: [new Own()] })],
      [callTools('files'), callTools('own'), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([formatOpenedText('own'), 'own called']);
  });

  it('ignores the option `removeOnInvoke` (UNF-15)', async () => {
    const session = createSession([createFiles({ removeOnInvoke: false })], [callTools('files'), 'Done.']);
    await session.send('Go.');
    expect(getOfferedTools(session)[1]).toEqual(['files', 'read', 'write']);
  });

  it('closes at the next message if its scope is the turn', async () => {
    const session = createSession([createFiles()], [callTools('files'), 'Done.', 'Again.']);
    await session.send('Go.');
    await session.send('And now?');
    expect(getOfferedTools(session)).toEqual([['files'], ['files', 'read', 'write'], ['files']]);
    expect((await session.state()).memories.get('unfolding')).toEqual([]);
  });

  it('lists its inner tools for diagrams without being called (TOOL-20)', () => {
    expect(formatToolTree('clerk', [createFiles()])).toBe(
      'clerk\n└── files (2 inner tools)\n    ├── read\n    └── write',
    );
  });
});

describe('the guide of an open unfolding tool', () => {
  it('has the name of the unfolding tool, and states that it is open (UNF-12)', async () => {
    const session = createSession([createFiles()], [callTools('files'), 'Done.']);
    await session.send('Go.');
    expect(findDescription(session, 'files')).toBe(
      'Works with files. Already open: its tools are among yours. Call it only to list them.',
    );
  });

  it('lists one tool per line with the notes, and has no effect (UNF-11, UNF-12)', async () => {
    const tools = [createFiles({ childToolUsageNotes: 'Read first.' })];
    const session = createSession(tools, [callTools('files'), callTools('files'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)[1]).toBe(
      "'files' is open already. Call one of its tools:\n- read: Does read.\n- write: Writes a file. Takes a path.\n\nRead first.",
    );
    expect(getOfferedTools(session)[2]).toEqual(getOfferedTools(session)[1]);
    expect(
      (await session.events()).filter((event) => JSON.stringify(event).includes('"facts"')),
    ).toHaveLength(1);
  });

  it('answers the second of two calls in one reply (UNF-12)', async () => {
    const session = createSession([createFiles()], [callTools('files', 'files'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      formatOpenedText('read', 'write'),
      "'files' is open already. Call one of its tools:\n- read: Does read.\n- write: Writes a file. Takes a path.",
    ]);
  });
});

describe('the context tool of an unfolding tool', () => {
  const tools = [createFiles({ contextTool: true, childToolUsageNotes: 'Read first' })];

  it('is offered if it is enabled, and describes the tools and the notes (UNF-11, UNF-13)', async () => {
    const session = createSession(tools, [callTools('files'), 'Done.']);
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([['files'], ['files', 'files_context', 'read', 'write']]);
    expect(findDescription(session, 'files_context')).toBe(
      'Works with files. Available: read, write. Read first',
    );
  });

  it('describes each tool when it is called (UNF-13, UNF-14)', async () => {
    const session = createSession(tools, [callTools('files'), callTools('files_context'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)[1]).toBe(
      'Tools for Works with files:\n- read: Does read.\n- write: Writes a file. Takes a path.\nUsage notes: Read first',
    );
  });

  it('does not mention notes if there are none (UNF-13)', async () => {
    const session = createSession(
      [createFiles({ contextTool: true })],
      [callTools('files'), callTools('files_context'), 'Done.'],
    );
    await session.send('Go.');
    expect(findDescription(session, 'files_context')).toBe('Works with files. Available: read, write');
    expect(getLastResults(session)[1]).toBe(
      'Tools for Works with files:\n- read: Does read.\n- write: Writes a file. Takes a path.',
    );
  });

  it('has another name if its default name is already in use (UNF-31)', async () => {
    const session = createSession(
      [...tools, createTool('files_context')],
      [callTools('files'), callTools('files_context'), 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session)[1]).toEqual([
      'files',
      'files_context',
      'files_files_context',
      'read',
      'write',
    ]);
    expect(getLastResults(session)[1]).toBe('files_context done');
  });
});

describe('an exclusive unfolding tool', () => {
  const alone = createFiles({ exclusive: true, contextTool: true });

  it('offers only its inner tools until the turn ends, without a guide or a context tool (UNF-16)', async () => {
    const session = createSession(
      [alone, createTool('search')],
      [callTools('files'), callTools('search'), 'Done.', 'Again.'],
    );
    await session.send('Go.');
    await session.send('And now?');
    expect(getOfferedTools(session)).toEqual([
      ['files', 'search'],
      ['read', 'write'],
      ['read', 'write'],
      ['files', 'search'],
    ]);
  });

  it('treats a call of a removed tool as a call of an unknown tool (UNF-16)', async () => {
    const session = createSession(
      [alone, createTool('search')],
      [callTools('files'), callTools('search'), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)[1]).toContain("Error: Tool 'search' does not exist.");
    expect(getLastResults(session)[1]).toContain('Available tools: [read, write].');
  });

  it('prevents the opening of another tool later in the same reply (UNF-16)', async () => {
    const web = defineUnfolding({ name: 'web', description: 'The web.', tools: [createTool('fetch')] });
    const session = createSession([alone, web], [callTools('files', 'web'), 'Done.']);
    await session.send('Go.');
    expect(getOfferedTools(session)[1]).toEqual(['read', 'write']);
    expect(getLastResults(session)).toEqual([
      formatOpenedText('read', 'write'),
      "Tool 'web' cannot be opened any more: its tools are not available beside those you have now.",
    ]);
  });
});
