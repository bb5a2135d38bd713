import { describe, expect, it } from 'vitest';
import type { AnyTool } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import {
  callTools,
  createSession,
  createTool,
  formatOpenedText,
  getLastResults,
  getOfferedTools,
} from './scenes.ts';

const createUnfolding = (name: string, ...tools: readonly AnyTool[]): AnyTool =>
  defineUnfolding({ name, description: `The ${name}.`, tools });
const renameNote = (name: string, own: string): string =>
  `'${name}' is the tool '${own}' of this list; another tool had the name '${own}' already.`;

describe('an inner tool whose name is in use', () => {
  it('is offered under a prefixed name, which the model sees, while the sibling keeps its name (UNF-31)', async () => {
    const session = createSession(
      [
        createTool('read', () => 'outside'),
        createUnfolding(
          'files',
          createTool('read', () => 'inside'),
          createTool('write'),
        ),
      ],
      [callTools('files'), callTools('read', 'files_read'), 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session)[1]).toEqual(['files', 'read', 'files_read', 'write']);
    expect(getLastResults(session)).toEqual([
      `${formatOpenedText('files_read', 'write')}\n\n${renameNote('files_read', 'read')}`,
      'outside',
      'inside',
    ]);
  });

  it('is reported between the names of the tools and the notes (UNF-09, UNF-31)', async () => {
    const files = defineUnfolding({
      name: 'files',
      description: 'Files.',
      tools: [createTool('read')],
      childToolUsageNotes: 'Read first.',
    });
    const session = createSession([createTool('read'), files], [callTools('files'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      `${formatOpenedText('files_read')}\n\n${renameNote('files_read', 'read')}\n\nRead first.`,
    ]);
  });

  it('is renamed if it has the name of its unfolding tool, which keeps the name (UNF-31)', async () => {
    const session = createSession(
      [createUnfolding('files', createTool('files'))],
      [callTools('files'), callTools('files_files'), 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session)[1]).toEqual(['files', 'files_files']);
    expect(getLastResults(session)[1]).toBe('files done');
  });

  it('is prefixed in the second of two unfolding tools that one reply opens (UNF-31)', async () => {
    const session = createSession(
      [
        createUnfolding(
          'a',
          createTool('read', () => 'of a'),
        ),
        createUnfolding(
          'b',
          createTool('read', () => 'of b'),
        ),
      ],
      [callTools('a', 'b'), callTools('read', 'b_read'), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      formatOpenedText('read'),
      `${formatOpenedText('b_read')}\n\n${renameNote('b_read', 'read')}`,
      'of a',
      'of b',
    ]);
  });

  it('is offered under a free name within the length limit (UNF-31)', async () => {
    const long = 'r'.repeat(64);
    const session = createSession(
      [
        createTool(long),
        createTool('files_read'),
        createTool('read'),
        createUnfolding('files', createTool(long), createTool('read')),
      ],
      [callTools('files'), 'Done.'],
    );
    await session.send('Go.');
    const cut = `files_${long}`.slice(0, 64);
    expect(getOfferedTools(session)[1]).toEqual(['files', 'files_read', 'read', long, 'files_read_2', cut]);
    expect(getLastResults(session)).toEqual([
      `${formatOpenedText(cut, 'files_read_2')}\n\n${renameNote(cut, long)}\n${renameNote('files_read_2', 'read')}`,
    ]);
  });

  it('can be an unfolding tool, which is opened under its offered name (UNF-31)', async () => {
    const inner = createUnfolding('data', createTool('inner_leaf'));
    const session = createSession(
      [createUnfolding('data', createTool('leaf')), createUnfolding('files', inner)],
      [callTools('files'), callTools('files_data'), 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([
      ['data', 'files'],
      ['data', 'files', 'files_data'],
      ['data', 'files', 'files_data', 'inner_leaf'],
    ]);
  });
});

describe('an inner tool of two unfolding tools', () => {
  it('is offered once, and is listed by both unfolding tools', async () => {
    const read = createTool('read');
    const session = createSession(
      [read, createUnfolding('a', read, createTool('one')), createUnfolding('b', read)],
      [callTools('a'), callTools('b'), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([formatOpenedText('read', 'one'), formatOpenedText('read')]);
    expect(getOfferedTools(session)[2]).toEqual(['a', 'b', 'read', 'one']);
  });
});
