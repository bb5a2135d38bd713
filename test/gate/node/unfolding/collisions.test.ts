import { describe, expect, it } from 'vitest';
import type { AnyTool } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { calls, does, offered, opened, results, sessionWith } from './scenes.ts';

const unfolding = (name: string, ...tools: readonly AnyTool[]): AnyTool =>
  defineUnfolding({ name, description: `The ${name}.`, tools });
const renamed = (name: string, own: string): string =>
  `'${name}' is the tool '${own}' of this list; another tool had the name '${own}' already.`;

describe('an inner tool whose name is in use', () => {
  it('is offered under a prefixed name, which the model sees, while the sibling keeps its name (UNF-31)', async () => {
    const session = sessionWith(
      [
        does('read', () => 'outside'),
        unfolding(
          'files',
          does('read', () => 'inside'),
          does('write'),
        ),
      ],
      [calls('files'), calls('read', 'files_read'), 'Done.'],
    );
    await session.send('Go.');
    expect(offered(session)[1]).toEqual(['files', 'read', 'files_read', 'write']);
    expect(results(session)).toEqual([
      `${opened('files_read', 'write')}\n\n${renamed('files_read', 'read')}`,
      'outside',
      'inside',
    ]);
  });

  it('is reported between the names of the tools and the notes (UNF-09, UNF-31)', async () => {
    const files = defineUnfolding({
      name: 'files',
      description: 'Files.',
      tools: [does('read')],
      childToolUsageNotes: 'Read first.',
    });
    const session = sessionWith([does('read'), files], [calls('files'), 'Done.']);
    await session.send('Go.');
    expect(results(session)).toEqual([
      `${opened('files_read')}\n\n${renamed('files_read', 'read')}\n\nRead first.`,
    ]);
  });

  it('can have the name of its unfolding tool, whose guide keeps the name (UNF-31)', async () => {
    const session = sessionWith(
      [unfolding('files', does('files'))],
      [calls('files'), calls('files_files'), 'Done.'],
    );
    await session.send('Go.');
    expect(offered(session)[1]).toEqual(['files', 'files_files']);
    expect(results(session)[1]).toBe('files done');
  });

  it('is named correctly for the second of two unfolding tools that one reply opens (UNF-31)', async () => {
    const session = sessionWith(
      [
        unfolding(
          'a',
          does('read', () => 'of a'),
        ),
        unfolding(
          'b',
          does('read', () => 'of b'),
        ),
      ],
      [calls('a', 'b'), calls('read', 'b_read'), 'Done.'],
    );
    await session.send('Go.');
    expect(results(session)).toEqual([
      opened('read'),
      `${opened('b_read')}\n\n${renamed('b_read', 'read')}`,
      'of a',
      'of b',
    ]);
  });

  it('has a free name that is not too long (UNF-31)', async () => {
    const long = 'r'.repeat(64);
    const session = sessionWith(
      [does(long), does('files_read'), does('read'), unfolding('files', does(long), does('read'))],
      [calls('files'), 'Done.'],
    );
    await session.send('Go.');
    const cut = `files_${long}`.slice(0, 64);
    expect(offered(session)[1]).toEqual(['files', 'files_read', 'read', long, 'files_read_2', cut]);
    expect(results(session)).toEqual([
      `${opened(cut, 'files_read_2')}\n\n${renamed(cut, long)}\n${renamed('files_read_2', 'read')}`,
    ]);
  });

  it('can be an unfolding tool, which is opened under its offered name (UNF-31)', async () => {
    const inner = unfolding('data', does('inner_leaf'));
    const session = sessionWith(
      [unfolding('data', does('leaf')), unfolding('files', inner)],
      [calls('files'), calls('files_data'), 'Done.'],
    );
    await session.send('Go.');
    expect(offered(session)).toEqual([
      ['data', 'files'],
      ['data', 'files', 'files_data'],
      ['data', 'files', 'files_data', 'inner_leaf'],
    ]);
  });
});

describe('an inner tool of two unfolding tools', () => {
  it('is offered once, and is listed by both unfolding tools', async () => {
    const read = does('read');
    const session = sessionWith(
      [read, unfolding('a', read, does('one')), unfolding('b', read)],
      [calls('a'), calls('b'), 'Done.'],
    );
    await session.send('Go.');
    expect(results(session)).toEqual([opened('read', 'one'), opened('read')]);
    expect(offered(session)[2]).toEqual(['a', 'b', 'read', 'one']);
  });
});
