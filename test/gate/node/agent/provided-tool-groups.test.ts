import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool, toolProvider } from '../../../../src/index.ts';
import { defineSubagent, withUnfolding } from '../../../../src/kinds/entry.ts';
import { defineToolGroup } from '../../../../src/modules/tool-groups/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { resolveGroups } from '../../../fixtures/tool-groups.ts';
import { captureWarnings } from '../../../fixtures/warnings.ts';
import {
  agentWithGroups,
  calls,
  catalog,
  configurationErrorOf,
  groupOf,
  offeredTools,
  results,
  runTurn,
  tool,
} from './provided-groups.ts';

describe('a tool group with providers', () => {
  it('offers the tools of its providers, its own tools and those of the agent (TGR-01)', async () => {
    const group = groupOf('web', tool('read'), catalog('c', 'search', 'news'));
    const own = catalog('own', 'sing');
    const session = await runTurn(agentWithGroups(['web'], { tools: [tool('look'), own] }), {
      groups: [group],
      replies: [calls('news'), 'Done.'],
    });
    const all = ['look', 'news', 'read', 'search', 'sing'];
    expect(offeredTools(session)).toEqual([all, all]);
    expect(results(session)).toEqual(['news']);
    expect(own.asked).toBe(2); // Once per model call.
  });

  it('offers the tools of its providers to a subagent too', async () => {
    const clerk = agentWithGroups([groupOf('web', catalog('c', 'search'))]);
    const boss = defineAgent({
      name: 'boss',
      description: 'Leads.',
      instructions: 'Lead.',
      tools: [defineSubagent({ agent: clerk })],
    });
    const message = { name: 'clerk', input: { message: 'Look.' } };
    const replies = [{ calls: [message] }, calls('search'), 'Found.', 'Done.'];
    const session = createTestSession(boss, { replies, agents: [clerk] });
    await session.send('Go.');
    expect(offeredTools(session)).toEqual([['clerk'], ['search'], ['search'], ['clerk']]);
    expect(results(session)).toEqual(['Found.']);
  });

  it('asks its provider before a model call, and never while an agent is resolved (TGR-05, MCP-10)', async () => {
    const found = catalog('c', 'search');
    const agent = agentWithGroups(['web']);
    const groups = [groupOf('web', found)];
    resolveGroups({ groups, agents: [agent] })(agent, {});
    expect(found.asked).toBe(0);
    await runTurn(agent, { groups });
    expect(found.asked).toBe(1);
  });

  it('offers the new tools of its provider in the next model call (AET-08)', async () => {
    const found = catalog('c', 'search');
    const next = defineTool({
      name: 'next',
      description: 'Turns the page.',
      run: () => {
        found.names = ['order'];
        return 'turned';
      },
    });
    const session = await runTurn(agentWithGroups([groupOf('shop', next, found)]), {
      replies: [calls('next'), calls('order'), 'Done.'],
    });
    expect(offeredTools(session)).toEqual([
      ['next', 'search'],
      ['next', 'order'],
      ['next', 'order'],
    ]);
    expect(results(session)).toEqual(['turned', 'order']);
  });

  it('adds its role and description to the metadata of discovered tools (TGR-04)', () => {
    const agent = agentWithGroups([groupOf('web', toolProvider({ toolsNow: () => [tool('search')] }))]);
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
    const search = tool('search');
    const agent = agentWithGroups([groupOf('web', toolProvider({ toolsNow: () => [search] }))]);
    const [provider] = resolveGroups({ groups: [], agents: [agent] })(agent, {}).providers;
    expect(provider?.toolsNow()[0]).toBe(provider?.toolsNow()[0]);
  });

  it('is asked once even if the agent lists it twice', async () => {
    const found = catalog('c', 'search');
    const group = groupOf('web', found);
    const session = await runTurn(agentWithGroups(['web', group, { role: 'web', required: ['search'] }]), {
      groups: [group],
    });
    expect([offeredTools(session), found.asked]).toEqual([[['search']], 1]);
  });

  it('requires its permissions and adds its usage notes, like any other group (TGR-04, TGR-09)', async () => {
    const group = defineToolGroup({
      role: 'web',
      description: 'The web.',
      permissions: ['internet-access'],
      tools: [catalog('c', 'search')],
      childToolUsageNotes: 'Search little.',
    });
    expect(configurationErrorOf(agentWithGroups([group]))).toBe(
      "Tool group 'web' needs permissions that agent 'clerk' does not give: 'internet-access'. " +
        'Add them where the agent lists it: toolGroup(group, { permissions }).',
    );
    const session = await runTurn(agentWithGroups([group], { permissions: ['internet-access'] }));
    expect(session.requests[0]?.messages[0]).toEqual({
      role: 'system',
      text: "Ask.\n\nNotes on the tools of group 'web':\nSearch little.",
    });
  });

  it('omits a discovered tool whose name is in use, and logs this once (AEV-05)', async () => {
    const warned = captureWarnings();
    const group = groupOf('web', catalog('c', 'look', 'search', 'sing'));
    const agent = agentWithGroups([group], { tools: [tool('look'), catalog('own', 'sing')] });
    const session = createTestSession(agent, { replies: [calls('look'), 'Done.', 'Done.'] });
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
    const shared = catalog('c', 'search');
    expect(
      offeredTools(await runTurn(agentWithGroups([groupOf('web', shared), groupOf('shop', shared)]))),
    ).toEqual([['search']]);
    expect(warned).toEqual([]);
  });

  it('can be hidden behind an unfolding tool, whose first call discovers the inner tools (UNF-34, MCP-08)', async () => {
    const found = catalog('c', 'search');
    const agent = agentWithGroups([withUnfolding(groupOf('web', tool('read'), found))]);
    const session = createTestSession(agent, { replies: ['Done.', calls('web'), calls('search'), 'Done.'] });
    await session.send('Wait.');
    expect(found.asked).toBe(0);
    await session.send('Go.');
    expect(offeredTools(session)).toEqual([
      ['web'],
      ['web'],
      ['web', 'read', 'search'],
      ['web', 'read', 'search'],
    ]);
    expect([results(session).at(-1), found.asked]).toEqual(['search', 1]);
  });
});
