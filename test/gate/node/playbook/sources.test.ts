import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { after, onArtifactMatching } from '../../../../src/kinds/entry.ts';
import { toMermaid } from '../../../../src/modules/inspect/entry.ts';
import { defineToolGroup } from '../../../../src/modules/tool-groups/entry.ts';
import { toolFactory } from '../../../../src/modules/tool-objects/entry.ts';
import type { TestSession } from '../../../../src/testing/entry.ts';
import { Cart, createDiscoveringProvider } from '../../../fixtures/tool-sources.ts';
import { createCrashTool } from '../unfolding/scenes.ts';
import {
  analyze,
  callPlaybook,
  createResearcher,
  createReturningTool,
  createTool,
  formatLocked,
  formatPrerequisites,
  getInnerResults,
  playPlaybook,
  report,
  search,
  startSession,
  useTools,
} from './scenes.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

const createFindingSource = (about: string | undefined, ...names: readonly string[]) =>
  createDiscoveringProvider(
    names.map((name) => createTool(name)),
    about,
  ).provider;

const SEARCH_REQUIRED_TEXT = formatLocked('You must first use: search');

describe('a lock', () => {
  it('applies to all tools of a factory, and the use of one of them unlocks another tool', async () => {
    const shown = await playPlaybook(
      {
        tools: [search],
        locked: [
          { tool: toolFactory(() => new Cart()), unlockedBy: after(search) },
          { tool: report, unlockedBy: after('pay') },
        ],
      },
      ['put', 'search', 'put', 'report', 'pay', 'report'].map((name) => useTools(name)),
    );
    expect(getInnerResults(shown)).toEqual([
      SEARCH_REQUIRED_TEXT,
      'search done',
      '1 in it',
      formatLocked('You must first use: pay'),
      // Each invocation creates its own cart.
      'paid for 0',
      'report done',
    ]);
    expect(shown.inside[0]?.messages[0]?.text).toContain(
      formatPrerequisites('pay: first use search', 'put: first use search', 'report: first use pay'),
    );
  });

  it('applies to all tools of a group, and the instructions include the notes of the group', async () => {
    const group = defineToolGroup({
      role: 'work',
      description: 'Work.',
      tools: [analyze, report],
      childToolUsageNotes: 'Work well.',
    });
    const shown = await playPlaybook(
      { tools: [search], locked: [{ tool: group, unlockedBy: after(search) }] },
      ['analyze', 'search', 'report'].map((name) => useTools(name)),
    );
    expect(getInnerResults(shown)).toEqual([SEARCH_REQUIRED_TEXT, 'search done', 'report done']);
    expect(shown.inside[0]?.messages[0]?.text).toContain(
      `${formatPrerequisites('analyze: first use search', 'report: first use search')}\n\nWork well.`,
    );
  });

  it('applies to the tools of a provider', async () => {
    const shown = await playPlaybook(
      { tools: [search], locked: [{ tool: createFindingSource('crm', 'find'), unlockedBy: after(search) }] },
      ['find', 'search', 'find'].map((name) => useTools(name)),
    );
    expect(getInnerResults(shown)).toEqual([SEARCH_REQUIRED_TEXT, 'search done', 'find done']);
    expect(shown.inside[0]?.messages[0]?.text).toContain(
      formatPrerequisites('tools of crm: first use search'),
    );
  });

  it('stays open for the tools of a provider in later turns and invocations', async () => {
    const researcher = createResearcher({
      tools: [
        createReturningTool('search', { title: 'Tides', pages: 3 }),
        createCrashTool((): TestSession => session),
      ],
      locked: [
        { tool: createFindingSource(undefined, 'find'), unlockedBy: onArtifactMatching(() => true) },
        { tool: report, unlockedBy: after('search') },
      ],
    });
    const session = startSession(
      [researcher],
      [
        callPlaybook('tides'),
        useTools('search'),
        useTools('crash'),
        useTools('find'),
        'Researched.',
        'Done.',
        callPlaybook('tides'),
        useTools('find', 'report'),
        'Researched.',
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(session.requests.find(({ messages }) => messages.at(-1)?.text === 'find done')).toBeDefined();
    await session.send('Go.');
    const last = session.requests
      .at(-2)
      ?.messages.flatMap(({ role, text }) => (role === 'tool' ? [text] : []));
    expect(last).toEqual(['find done', 'report done']);
  });

  it('appears in the diagram if it applies to the tools of a provider', () => {
    const drawn = createResearcher({
      tools: [search],
      locked: [{ tool: createFindingSource('crm'), unlockedBy: after(search) }],
    });
    expect(toMermaid(drawn)).toBe(
      ['flowchart LR', '  tool1["search"]', '  tool2["tools of crm"]', '  tool1 --> tool2'].join('\n'),
    );
  });

  it.each<[string, unknown, string]>([
    ['the name of a tool', 'report', "Tool at index 1 is 'report'. List the tool itself."],
    [
      'a group that requires a permission',
      defineToolGroup({ role: 'web', description: 'Web.', permissions: ['host-access'], tools: [report] }),
      "Tool at index 1 is the tool group 'web', which needs host-access. Only an agent can allow that. " +
        "List it among the agent's own tools, and allow it there: toolGroup(group, { permissions }).",
    ],
  ])('throws when it is defined with %s', (_, tool, why) => {
    const define = () =>
      createResearcher({
        tools: [search],
        locked: [
          { tool: analyze, unlockedBy: after(search) },
          { tool: tool as typeof report, unlockedBy: after(search) }, // Untyped callers can do this.
        ],
      });
    expect(define).toThrow(`Tool 'researcher': it cannot have these tools: ${why}`);
  });
});
