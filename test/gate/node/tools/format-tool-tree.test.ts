import { describe, expect, it } from 'vitest';
import { type AnyTool, defineTool } from '../../../../src/index.ts';
import { decorate, withName } from '../../../../src/modules/decorators/entry.ts';
import { formatToolTree } from '../../../../src/modules/inspect/entry.ts';

const createLeaf = (name: string) => defineTool({ name, description: `Does ${name}.`, run: () => name });
const nest = (name: string, inner: readonly AnyTool[]) => decorate(createLeaf(name), { inner });

describe('a tree of tools', () => {
  it('states that there are no tools (TOOL-19)', () => {
    expect(formatToolTree('clerk', [])).toBe('clerk has no tools');
  });

  it('draws a line for each tool, the last one with a corner (TOOL-19)', () => {
    expect(formatToolTree('clerk', [createLeaf('b'), createLeaf('a')])).toBe('clerk\n├── b\n└── a');
  });

  it('counts and draws the tools inside other tools, at any depth (TOOL-19, TOOL-20)', () => {
    const music = nest('music', [
      createLeaf('search'),
      nest('lists', [createLeaf('add')]),
      nest('empty', []),
    ]);
    const files = withName(nest('files', [createLeaf('read'), createLeaf('write')]), 'disk');
    expect(formatToolTree('clerk', [music, createLeaf('clock'), files])).toBe(
      [
        'clerk',
        '├── music (3 inner tools)',
        '│   ├── search',
        '│   ├── lists (1 inner tools)',
        '│   │   └── add',
        '│   └── empty (0 inner tools)',
        '├── clock',
        '└── disk (2 inner tools)',
        '    ├── read',
        '    └── write',
      ].join('\n'),
    );
  });
});
