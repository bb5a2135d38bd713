import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineUnfolding, withInnerTools, withUnfolding } from '../../../../src/kinds/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { formatToolTree } from '../../../../src/modules/inspect/entry.ts';
import { defineReference, defineToolGroup, toolGroup } from '../../../../src/modules/tool-groups/entry.ts';
import type { ToolTable } from '../../../../src/modules/tool-objects/entry.ts';
import { withInnerToolObject } from '../../../../src/modules/tool-objects/entry.ts';
import { RENAME_FIRST_TWO } from '../../../fixtures/rename.ts';
import {
  callTools,
  createSession,
  createTool,
  formatOpenedText,
  getLastResults,
  getOfferedTools,
} from './scenes.ts';

const [read, extra] = [createTool('read'), createTool('extra')];
const files = defineUnfolding({
  name: 'files',
  description: 'Files.',
  tools: [read],
  childToolUsageNotes: 'Read first.',
});

class Helpers {
  static readonly tools = { help: { description: 'Helps.', effect: 'read' } } satisfies ToolTable<Helpers>;
  help() {
    return 'helped';
  }
}

describe('withInnerTools', () => {
  it('keeps the notes of the unfolding tool, and leaves the original unchanged (UNF-18)', async () => {
    const more = withInnerTools(files, extra, createTool('last'));
    const session = createSession([more], [callTools('files'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([`${formatOpenedText('read', 'extra', 'last')}\n\nRead first.`]);
    expect(formatToolTree('all', [more])).toContain('files (3 inner tools)');
    expect(files.inner).toEqual([read]);
  });

  it('accepts objects with tools, and objects that become one unfolding tool (UNF-18, UNF-19)', () => {
    class Inner {
      static readonly unfolding = { name: 'inner', description: 'Inner.' };
      static readonly tools = { deep: { description: 'Deep.' } };
      deep = () => 'deep';
    }
    const more = withInnerToolObject(withInnerToolObject(files, new Helpers()), new Inner());
    expect(more.inner?.map(({ name }) => name)).toEqual(['read', 'help', 'inner']);
  });

  it('throws for an object without tools (UNF-19)', () => {
    expect(() => withInnerToolObject(files, {})).toThrow('No tools found on Object');
  });

  it('keeps the selector and the schema, and adds the new tools to every selection (UNF-18)', async () => {
    const chosen = defineUnfolding({
      name: 'chosen',
      description: 'Chosen.',
      input: v.object({ of: v.string() }),
      select: ({ of }) => [createTool(`of_${of}`)],
    });
    const session = createSession(
      [withInnerTools(chosen, extra)],
      [callTools(['chosen', { of: 'x' }]), 'Done.'],
    );
    await session.send('Go.');
    expect(session.requests[0]?.tools[0]?.inputSchema).toBe(chosen.inputSchema);
    expect(getLastResults(session)).toEqual([formatOpenedText('of_x', 'extra')]);
  });

  it('keeps the categories, and adds the new tools to each of them (UNF-18)', async () => {
    const sorted = defineUnfolding({
      name: 'sorted',
      description: 'Sorted.',
      byCategory: { a: [read], b: [createTool('b')] },
    });
    const session = createSession(
      [withInnerTools(sorted, extra)],
      [callTools(['sorted', { category: 'b' }]), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([formatOpenedText('b', 'extra')]);
  });

  it('keeps tools that a function returns (UNF-18)', async () => {
    const now = defineUnfolding({ name: 'now', description: 'Now.', tools: () => [read] });
    const session = createSession([withInnerTools(now, extra)], [callTools('now'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([formatOpenedText('read', 'extra')]);
  });

  it('allows shortcuts to the new tools, and keeps decorators (UNF-18, UNF-26)', async () => {
    const session = createSession(
      [withInnerTools(files, extra)],
      [callTools(['files', { extra: {} }]), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual(['extra done']);
    const asking = createSession(
      [withInnerTools(requireApproval(files, 'Open?', { covers: 'opening' }), extra)],
      [callTools('files'), 'Done.'],
    );
    expect(await asking.send('Go.')).toMatchObject({ outcome: 'suspended' });
    await asking.decide('files', 'approve');
    expect(getOfferedTools(asking)[1]).toEqual(['files', 'extra', 'read']);
  });

  it('throws for two tools with the same name, and for a tool that does not unfold', () => {
    expect(() => withInnerTools(files, createTool('read'))).toThrow(
      "Tool 'files': it has two tools named 'read'. Rename one.",
    );
    expect(() => withInnerTools(read, extra)).toThrow("Tool 'read': it is not an unfolding tool.");
  });
});

describe('withUnfolding', () => {
  const handbook = defineReference({
    name: 'The handbook, 2nd ed.',
    description: 'Rules.',
    notes: 'Look it up.',
    tools: [read, extra],
  });

  it('hides the tools of a reference behind one tool, and returns its notes once (PRN-07)', async () => {
    const folded = withUnfolding(handbook);
    expect(folded.tools.map(({ name }) => name)).toEqual(['The_handbook_2nd_ed_']);
    expect(folded.notes).toBe("Call 'The_handbook_2nd_ed_' for its notes and its tools.");
    expect(withUnfolding(folded)).toBe(folded);
    const session = createSession([folded], [callTools('The_handbook_2nd_ed_'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([`${formatOpenedText('read', 'extra')}\n\nLook it up.`]);
  });

  it('hides the tools of a group behind one tool, with its usage notes (UNF-34)', async () => {
    const group = defineToolGroup({
      role: 'web',
      description: 'The web.',
      permissions: ['internet-access'],
      tools: [read],
      childToolUsageNotes: 'Read little.',
    });
    const folded = withUnfolding(group, { name: 'browse' });
    expect(folded).toMatchObject({
      role: 'web',
      permissions: ['internet-access'],
      childToolUsageNotes: undefined,
    });
    const session = createSession(
      [toolGroup(folded, { permissions: ['internet-access'] })],
      [callTools('browse'), 'Done.'],
    );
    await session.send('Go.');
    expect(JSON.stringify(session.requests[0])).not.toContain('Read little.');
    expect(getLastResults(session)).toEqual([`${formatOpenedText('read')}\n\nRead little.`]);
  });
});

describe('an invalid call to `withInnerTools` or `withUnfolding`', () => {
  it.each([
    [{ name: 'a b' }, "Tool 'a b': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -."],
    [
      { description: ' ' },
      "Tool 'files': its description is blank. The model chooses tools by their descriptions.",
    ],
    [{ tools: [] }, "Tool 'files': it has no tools to unfold into. List one."],
    [
      { tools: [read, createTool('read')] },
      `Tool 'files': it cannot have these tools: Duplicate tool name: 'read'${RENAME_FIRST_TWO}.`,
    ],
    [
      { tools: [read, 'read' as never] },
      "Tool 'files': it cannot have these tools: Tool at index 1 is 'read'. List the tool itself.",
    ],
    [
      { exclusive: true, scope: 'session' as const },
      "Tool 'files': it is exclusive, so no other tool could be called in the session. Omit scope.",
    ],
  ])('throws at once: %#', (change, message) => {
    expect(() => defineUnfolding({ name: 'files', description: 'Files.', tools: [read], ...change })).toThrow(
      message,
    );
  });
});
