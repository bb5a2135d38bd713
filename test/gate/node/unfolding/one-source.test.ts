import * as v from 'valibot';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AnyTool, type ToolProvider, type ToolSource, toolProvider } from '../../../../src/index.ts';
import { defineUnfolding, withInnerTools } from '../../../../src/kinds/entry.ts';
import { defineToolGroup } from '../../../../src/modules/tool-groups/entry.ts';
import { toolTable } from '../../../../src/modules/tool-objects/entry.ts';
import { createDiscoveringProvider } from '../../../fixtures/tool-sources.ts';
import {
  callTools,
  createCrashTool,
  createSession,
  createTool,
  formatOpenedText,
  getLastResults,
  getOfferedTools,
} from './scenes.ts';

afterEach(() => vi.restoreAllMocks());

class Clock {
  static readonly tools = toolTable<Clock>({
    time: { description: 'Tells the time.', effect: 'read' },
  });
  time() {
    return 'noon';
  }
}

const group = defineToolGroup({
  role: 'math',
  description: 'Calculates.',
  tools: [createTool('add')],
  childToolUsageNotes: 'Add before you guess.',
});
const SHOP = { name: 'shop', description: 'Shops.' };

const createFindingSource = (...names: readonly string[]) =>
  createDiscoveringProvider(names.map((name) => createTool(name)));

describe('an unfolding tool', () => {
  it('can contain every source that an agent can list', async () => {
    const now: ToolProvider = toolProvider({ toolsNow: () => [createTool('today')] });
    const shop = defineUnfolding({ ...SHOP, tools: [createTool('look'), new Clock(), group, now] });
    const session = createSession([shop], [callTools('shop'), callTools('time', 'add', 'today'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      `${formatOpenedText('look', 'time', 'add', 'today')}\n\nAdd before you guess.`,
      'noon',
      'add done',
      'today done',
    ]);
  });

  it('asks its providers again before each model call, and is hidden while it has no tools', async () => {
    let now: readonly AnyTool[] = [];
    const shop = defineUnfolding({ ...SHOP, tools: [toolProvider({ toolsNow: () => now })] });
    const createTurnTool = (name: string, ...then: readonly AnyTool[]) =>
      createTool(name, () => {
        now = then;
        return name;
      });
    const session = createSession(
      [
        createTurnTool('first', createTool('buy')),
        createTurnTool('later', createTool('buy'), createTool('sell')),
        shop,
      ],
      [callTools('first'), callTools('shop'), callTools('later'), 'Done.'],
    );
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([
      ['first', 'later'],
      ['first', 'later', 'shop'],
      ['first', 'later', 'shop', 'buy'],
      ['first', 'later', 'shop', 'buy', 'sell'],
    ]);
  });

  it('discovers the tools of its providers when it opens, and another invocation knows them', async () => {
    const { provider, discover } = createFindingSource('buy', 'sell');
    const shop = defineUnfolding({ ...SHOP, tools: [createTool('look'), provider] });
    const session = createSession(
      [shop, createCrashTool(() => session)],
      [callTools('shop'), callTools('crash'), callTools('buy'), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([formatOpenedText('look', 'buy', 'sell'), 'crashed', 'buy done']);
    expect(getOfferedTools(session).at(-1)).toEqual(['crash', 'shop', 'buy', 'look', 'sell']);
    expect(discover).toHaveBeenCalledTimes(1);
  });

  it('offers tools by category, even from objects and groups', async () => {
    const shop = defineUnfolding({ ...SHOP, byCategory: { clock: [new Clock()], math: [group] } });
    const session = createSession(
      [shop],
      [callTools(['shop', { category: 'clock' }]), callTools('time'), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([`${formatOpenedText('time')}\n\nAdd before you guess.`, 'noon']);
  });

  it('accepts objects and groups that its functions return', async () => {
    const clock = new Clock();
    const selected = defineUnfolding({ ...SHOP, input: v.object({}), select: () => [clock, group] });
    const moment = defineUnfolding({
      name: 'hall',
      description: 'Halls.',
      tools: () => [clock, createTool('ring')],
    });
    const session = createSession(
      [selected, moment],
      [callTools('shop'), callTools('hall'), callTools('add', 'ring'), 'Done.'],
    );
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      formatOpenedText('time', 'add'),
      formatOpenedText('time', 'ring'),
      'add done',
      'ring done',
    ]);
  });

  it('accepts sources of every kind in withInnerTools', async () => {
    const { provider } = createFindingSource('buy');
    const shop = withInnerTools(
      defineUnfolding({ ...SHOP, tools: [createTool('look')] }),
      new Clock(),
      group,
      provider,
    );
    expect(shop.inner?.map(({ name }) => name)).toEqual(['look', 'time', 'add']);
    const session = createSession([shop], [callTools('shop'), callTools('buy'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      `${formatOpenedText('look', 'time', 'add', 'buy')}\n\nAdd before you guess.`,
      'buy done',
    ]);
  });
});

describe('a tool provider that `select` returns', () => {
  it('causes an error result and is not called', async () => {
    const told = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { provider } = createFindingSource('buy');
    const shop = defineUnfolding({
      ...SHOP,
      input: v.object({}),
      select: () => [provider as never],
      tools: [],
    });
    const session = createSession([shop], [callTools('shop'), 'Done.']);
    await session.send('Go.');
    expect(getLastResults(session)).toEqual([
      "Error: The list contains a tool provider, which cannot load its tools there. Return the result of its 'toolsNow'",
    ]);
    const why =
      "The list contains a tool provider, which cannot load its tools there. Return the result of its 'toolsNow'";
    expect(told.mock.calls.map(([line]) => line)).toEqual([
      expect.stringMatching(/^holdfast: Tool 'shop' threw: /),
    ]);
    expect(told.mock.calls[0]?.[0]).toContain(`threw: ${why} (agent clerk, session test, turn `);
  });
});

describe('an invalid definition of an unfolding tool', () => {
  const provider = toolProvider({ toolsNow: () => [] });
  const web = defineToolGroup({
    role: 'web',
    description: 'Web.',
    permissions: ['internet-access'],
    tools: [],
  });
  const define = (sources: readonly unknown[]) => () =>
    defineUnfolding({ ...SHOP, tools: sources as readonly ToolSource[] }); // Untyped callers can do this.

  it.each<[string, () => unknown, string]>([
    ['the name of a tool', define([createTool('a'), 'b']), "Tool at index 1 is 'b'. List the tool itself"],
    [
      'a function',
      define([function find() {}]),
      "Tool at index 0 ('find') is a function. Call it, and list its result, or pass it to toolFactory",
    ],
    [
      'a group that requires a permission',
      define([createTool('a'), web]),
      "Tool at index 1 is the tool group 'web', which needs internet-access. Only an agent can allow that. " +
        "List it among the agent's own tools, and allow it there: toolGroup(group, { permissions })",
    ],
    [
      'a provider in a category',
      () => defineUnfolding({ ...SHOP, byCategory: { all: [provider] } }),
      'The list contains a tool provider, which is not allowed here, since the tools of a category are fixed. ' +
        "List it in the 'tools' of an unfolding tool, and that tool here",
    ],
    [
      'a provider beside `select`',
      () => defineUnfolding({ ...SHOP, input: v.object({}), select: () => [], tools: [provider] }),
      "The list contains a tool provider, which is not allowed here, since `select` returns the tools. Call its 'toolsNow' there",
    ],
    [
      'a provider in all categories',
      () => withInnerTools(defineUnfolding({ ...SHOP, byCategory: { all: [createTool('a')] } }), provider),
      'The list contains a tool provider, which is not allowed here, since the input of this tool selects its tools',
    ],
  ])('throws because of %s', (_, made, why) => {
    expect(made).toThrow(`Tool 'shop': it cannot have these tools: ${why}.`);
  });
});
