import { describe, expect, it } from 'vitest';
import { ToolDefinitionError } from '../../../../src/index.ts';
import { defineUnfolding } from '../../../../src/kinds/entry.ts';
import { formatToolTree } from '../../../../src/modules/inspect/entry.ts';
import { RENAME_FIRST_TWO } from '../../../fixtures/rename.ts';
import {
  callTools,
  createSession,
  createTool,
  findDescription,
  formatOpenedText,
  getLastResults,
  getOfferedTools,
} from './scenes.ts';

const [read, list, write] = [createTool('read'), createTool('list'), createTool('write')];
const createFiles = (more = {}) =>
  defineUnfolding({
    name: 'files',
    description: 'Works with files.',
    byCategory: { look: [read, list], change: [write, list] },
    ...more,
  });
const ALL_TOOLS = ['read', 'list', 'write'];

describe('an unfolding tool with categories', () => {
  it('requires a category (UNF-04)', () => {
    expect(createFiles().inputSchema).toEqual({
      type: 'object',
      properties: {
        category: {
          type: 'string',
          description: 'Category to access. Available: look, change',
          enum: ['look', 'change'],
        },
      },
      required: ['category'],
    });
    expect(createFiles({ categoryParameter: 'kind' }).inputSchema).toMatchObject({ required: ['kind'] });
  });

  it('offers the tools of the category in its input (UNF-04)', async () => {
    const session = createSession([createFiles()], [callTools(['files', { category: 'change' }]), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([formatOpenedText('write', 'list')]);
    expect(getOfferedTools(session)[1]).toEqual(['files', 'list', 'write']);
  });

  it('reads the category from the configured parameter (UNF-04)', async () => {
    const session = createSession(
      [createFiles({ categoryParameter: 'kind' })],
      [callTools(['files', { kind: 'look' }]), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([formatOpenedText('read', 'list')]);
  });

  it.each([
    ['unknown', { category: 'paint' }],
    ['missing', {}],
    ['of another type', { category: 1 }],
    ['the name of an inherited property', { category: 'constructor' }],
    ['unreadable', '{"category": "look"'],
  ])('offers every tool exactly once if the category is %s (UNF-05)', async (_, input) => {
    const session = createSession([createFiles()], [callTools(['files', input]), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([formatOpenedText(...ALL_TOOLS)]);
    expect(getOfferedTools(session)[1]).toEqual(['files', 'list', 'read', 'write']);
  });

  it('offers other tools for another category, and lists the tools for the same one (UNF-12)', async () => {
    const session = createSession(
      [createFiles()],
      [
        callTools(['files', { category: 'look' }]),
        callTools(['files', { category: 'look', note: 'again' }]),
        callTools(['files', { category: 'change' }]),
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(getOfferedTools(session).slice(1)).toEqual([
      ['files', 'list', 'read'],
      ['files', 'list', 'read'],
      ['files', 'list', 'write'],
    ]);
    expect(getLastResults(session)).toEqual([
      formatOpenedText('read', 'list'),
      "'files' is open already. Call one of its tools:\n- read: Does read.\n- list: Does list.",
      formatOpenedText('write', 'list'),
    ]);
    expect(findDescription(session, 'files')).toBe(
      'Works with files. Already open: its tools are among yours. ' +
        'Call it with another input for other tools, or with the same to list them.',
    );
  });

  it('treats all unknown categories as one category, so that opening a second one only lists the tools (UNF-05, UNF-12)', async () => {
    const callWithCategory = (category: string) => callTools(['files', { category }]);
    const session = createSession([createFiles()], [callWithCategory('x'), callWithCategory('y'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)[1]).toMatch(/^'files' is open already\./);
    expect(
      (await session.events()).filter((event) => JSON.stringify(event).includes('"facts"')),
    ).toHaveLength(1);
  });

  it('closes the tools of the previous category, and reopens them when that category is opened again (UNF-12)', async () => {
    const deep = defineUnfolding({ name: 'deep', description: 'Deep.', tools: [createTool('leaf')] });
    const tool = defineUnfolding({
      name: 'files',
      description: 'Files.',
      byCategory: { a: [deep], b: [write] },
    });
    const [a, b] = [callTools(['files', { category: 'a' }]), callTools(['files', { category: 'b' }])];
    const session = createSession([tool], [a, callTools('deep'), b, a, 'Done.']);
    await session.send('Go.');
    expect(getOfferedTools(session).slice(1)).toEqual([
      ['files', 'deep'],
      ['files', 'deep', 'leaf'],
      ['files', 'write'],
      ['files', 'deep', 'leaf'],
    ]);
  });

  it('can be exclusive, and then has no guide (UNF-16, UNF-17)', async () => {
    const session = createSession(
      [createFiles({ exclusive: true }), createTool('search')],
      [callTools(['files', { category: 'look' }]), 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session)[1]).toEqual(['list', 'read']);
  });

  it('lists the tools of all categories for diagrams', () => {
    expect(formatToolTree('clerk', [createFiles()])).toContain('files (3 inner tools)');
  });

  it.each([
    [{ byCategory: {} }, 'byCategory', "Tool 'files': it has no categories. Add one."],
    [
      { byCategory: { look: [] } },
      'byCategory.look',
      "Tool 'files': it has no tools to unfold into. List one.",
    ],
    [
      { byCategory: { look: [read, createTool('read')] } },
      'byCategory.look',
      `Tool 'files': it cannot have these tools: Duplicate tool name: 'read'${RENAME_FIRST_TWO}.`,
    ],
  ])('throws if its definition is invalid: %#', (config, field, message) => {
    const define = () => defineUnfolding({ name: 'files', description: 'Files.', ...config });
    expect(define).toThrow(new ToolDefinitionError('files', field, message.slice("Tool 'files': ".length)));
    expect(define).toThrow(message);
  });
});
