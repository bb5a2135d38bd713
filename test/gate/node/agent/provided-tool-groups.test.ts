import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool, toolProvider } from '../../../../src/index.ts';
import { defineSubagent, withUnfolding } from '../../../../src/kinds/entry.ts';
import { defineToolGroup } from '../../../../src/modules/tool-groups/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { resolveGroups } from '../../../fixtures/tool-groups.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import {
  callTool,
  createCatalog,
  createGroup,
  createGroupAgent,
  createNamedTool,
  getConfigurationError,
  getOfferedTools,
  getResults,
  runTurn,
} from './provided-groups.ts';

describe('a tool group with providers', () => {
  it('offers the tools of its providers, its own tools and those of the agent (TGR-01)', async () => {
    const group = createGroup('web', createNamedTool('read'), createCatalog('c', 'search', 'news'));
    const own = createCatalog('own', 'sing');
    const session = await runTurn(createGroupAgent(['web'], { tools: [createNamedTool('look'), own] }), {
      groups: [group],
      replies: [callTool('news'), 'Done.'],
    });
    const all = ['look', 'news', 'read', 'search', 'sing'];
    expect(getOfferedTools(session)).toEqual([all, all]);
    expect(getResults(session)).toEqual(['news']);
    expect(own.asked).toBe(2); // Once per model call.
  });

  it('offers the tools of its providers to a subagent too', async () => {
    const clerk = createGroupAgent([createGroup('web', createCatalog('c', 'search'))]);
    const boss = defineAgent({
      name: 'boss',
      description: 'Leads.',
      instructions: 'Lead.',
      tools: [defineSubagent({ agent: clerk })],
    });
    const message = { name: 'clerk', input: { message: 'Look.' } };
    const replies = [{ calls: [message] }, callTool('search'), 'Found.', 'Done.'];
    const session = createTestSession(boss, { replies, agents: [clerk] });
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([['clerk'], ['search'], ['search'], ['clerk']]);
    expect(getResults(session)).toEqual(['Found.']);
  });

  it('asks its provider before a model call, and never while an agent is resolved (TGR-05, MCP-10)', async () => {
    const found = createCatalog('c', 'search');
    const agent = createGroupAgent(['web']);
    const groups = [createGroup('web', found)];
    resolveGroups({ groups, agents: [agent] })(agent, {});
    expect(found.asked).toBe(0);
    await runTurn(agent, { groups });
    expect(found.asked).toBe(1);
  });

  it('offers the new tools of its provider in the next model call (AET-08)', async () => {
    const found = createCatalog('c', 'search');
    const next = defineTool({
      name: 'next',
      description: 'Turns the page.',
      run: () => {
        found.names = ['order'];
        return 'turned';
      },
    });
    const session = await runTurn(createGroupAgent([createGroup('shop', next, found)]), {
      replies: [callTool('next'), callTool('order'), 'Done.'],
    });
    expect(getOfferedTools(session)).toEqual([
      ['next', 'search'],
      ['next', 'order'],
      ['next', 'order'],
    ]);
    expect(getResults(session)).toEqual(['turned', 'order']);
  });

  it('adds its role and description to the metadata of discovered tools (TGR-04)', () => {
    const agent = createGroupAgent([
      createGroup('web', toolProvider({ toolsNow: () => [createNamedTool('search')] })),
    ]);
    const [provider] = resolveGroups({ groups: [], agents: [agent] })(agent, {}).providers;
    const [search] = provider?.toolsNow() ?? [];
    expect(search?.metadata).toEqual({
      toolGroup: {
        role: 'web',
        name: 'web',
        description: 'Is web.',
        provider: 'holdfast',
        version: '0.1.0',
        permissions: [],
      },
    });
    expect(provider?.toolsNow()[0]).not.toBe(search); // The provider returned another object this time.
  });

  it('returns the same array while its tools are unchanged, so that they are sorted only once', () => {
    const search = createNamedTool('search');
    const agent = createGroupAgent([createGroup('web', toolProvider({ toolsNow: () => [search] }))]);
    const [provider] = resolveGroups({ groups: [], agents: [agent] })(agent, {}).providers;
    expect(provider?.toolsNow()[0]).toBe(provider?.toolsNow()[0]);
  });

  it('asks its provider once, even if the agent lists the group twice', async () => {
    const found = createCatalog('c', 'search');
    const group = createGroup('web', found);
    const session = await runTurn(createGroupAgent(['web', group, { role: 'web', required: ['search'] }]), {
      groups: [group],
    });
    expect([getOfferedTools(session), found.asked]).toEqual([[['search']], 1]);
  });

  it('requires its permissions and adds its usage notes, like any other group (TGR-04, TGR-09)', async () => {
    const group = defineToolGroup({
      role: 'web',
      description: 'The web.',
      permissions: ['internet-access'],
      tools: [createCatalog('c', 'search')],
      childToolUsageNotes: 'Search little.',
    });
    expect(getConfigurationError(createGroupAgent([group]))).toBe(
      "Tool group 'web' needs permissions that agent 'clerk' does not give: 'internet-access'. " +
        'Add them where the agent lists it: toolGroup(group, { permissions }).',
    );
    const session = await runTurn(createGroupAgent([group], { permissions: ['internet-access'] }));
    expect(session.requests[0]?.messages[0]).toEqual({
      role: 'system',
      text: "Ask.\n\nNotes on the tools of group 'web':\nSearch little.",
    });
  });

  it('omits a discovered tool whose name is in use, and logs this once (AEV-05)', async () => {
    const warned = captureWarnings();
    const group = createGroup('web', createCatalog('c', 'look', 'search', 'sing'));
    const agent = createGroupAgent([group], {
      tools: [createNamedTool('look'), createCatalog('own', 'sing')],
    });
    const session = createTestSession(agent, { replies: [callTool('look'), 'Done.', 'Done.'] });
    await session.send('Go.');
    await session.send('Go on.');
    expect(session.requests.map(({ tools }) => tools.length)).toEqual([3, 3, 3]);
    expect(warned).toEqual([
      "holdfast: 'clerk' has a tool 'look' already: a provider's tool of that name is left out.",
      "holdfast: 'clerk' has a tool 'sing' already: a provider's tool of that name is left out.",
    ]);
  });

  it('can share a tool with another group', async () => {
    const warned = captureWarnings();
    const shared = createCatalog('c', 'search');
    expect(
      getOfferedTools(
        await runTurn(createGroupAgent([createGroup('web', shared), createGroup('shop', shared)])),
      ),
    ).toEqual([['search']]);
    expect(warned).toEqual([]);
  });

  it('can be hidden behind an unfolding tool, whose first call discovers the inner tools (UNF-34, MCP-08)', async () => {
    const found = createCatalog('c', 'search');
    const agent = createGroupAgent([withUnfolding(createGroup('web', createNamedTool('read'), found))]);
    const session = createTestSession(agent, {
      replies: ['Done.', callTool('web'), callTool('search'), 'Done.'],
    });
    await session.send('Wait.');
    expect(found.asked).toBe(0);
    await session.send('Go.');
    expect(getOfferedTools(session)).toEqual([
      ['web'],
      ['web'],
      ['web', 'read', 'search'],
      ['web', 'read', 'search'],
    ]);
    expect([getResults(session).at(-1), found.asked]).toEqual(['search', 1]);
  });
});
