import { describe, expect, it } from 'vitest';
import { defineAgent, defineTool, toolProvider } from '../../../../src/index.ts';
import { defineSubagent, withUnfolding } from '../../../../src/kinds/entry.ts';
import { defineToolGroup } from '../../../../src/modules/tool-groups/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
import { resolving } from '../../../fixtures/tool-groups.ts';
import { warnings } from '../../../fixtures/warnings.ts';
import {
  asking,
  calls,
  catalog,
  groupOf,
  offers,
  refusedWith,
  results,
  tool,
  turn,
} from './provided-groups.ts';

describe('a tool group with providers', () => {
  it('brings the tools of its providers, beside its own tools and those of the agent (TGR-01)', async () => {
    const group = groupOf('web', tool('read'), catalog('c', 'search', 'news'));
    const own = catalog('own', 'sing');
    const session = await turn(asking(['web'], { tools: [tool('look'), own] }), {
      groups: [group],
      replies: [calls('news'), 'Done.'],
    });
    const all = ['look', 'news', 'read', 'search', 'sing'];
    expect(offers(session)).toEqual([all, all]);
    expect(results(session)).toEqual(['news']);
    expect(own.asked).toBe(2); // once per model call
  });

  it('brings them to a subagent too', async () => {
    const clerk = asking([groupOf('web', catalog('c', 'search'))]);
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
    expect(offers(session)).toEqual([['clerk'], ['search'], ['search'], ['clerk']]);
    expect(results(session)).toEqual(['Found.']);
  });

  it('is asked before a model call, and never while an agent is resolved (TGR-05, MCP-10)', async () => {
    const found = catalog('c', 'search');
    const agent = asking(['web']);
    const groups = [groupOf('web', found)];
    resolving({ groups, agents: [agent] })(agent, {});
    expect(found.asked).toBe(0);
    await turn(agent, { groups });
    expect(found.asked).toBe(1);
  });

  it('offers other tools as soon as they exist (AET-08)', async () => {
    const found = catalog('c', 'search');
    const next = defineTool({
      name: 'next',
      description: 'Turns the page.',
      run: () => {
        found.names = ['order'];
        return 'turned';
      },
    });
    const session = await turn(asking([groupOf('shop', next, found)]), {
      replies: [calls('next'), calls('order'), 'Done.'],
    });
    expect(offers(session)).toEqual([
      ['next', 'search'],
      ['next', 'order'],
      ['next', 'order'],
    ]);
    expect(results(session)).toEqual(['turned', 'order']);
  });

  it('has its card in the metadata of discovered tools (TGR-04)', () => {
    const agent = asking([groupOf('web', toolProvider({ toolsNow: () => [tool('search')] }))]);
    const [provider] = resolving({ groups: [], agents: [agent] })(agent, {}).providers;
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
    expect(provider?.toolsNow()[0]).not.toBe(search); // another tool of that provider
  });

  it('returns the same list while it is unchanged, so that it is sorted once', () => {
    const search = tool('search');
    const agent = asking([groupOf('web', toolProvider({ toolsNow: () => [search] }))]);
    const [provider] = resolving({ groups: [], agents: [agent] })(agent, {}).providers;
    expect(provider?.toolsNow()[0]).toBe(provider?.toolsNow()[0]);
  });

  it('is asked once for an agent that lists it twice', async () => {
    const found = catalog('c', 'search');
    const group = groupOf('web', found);
    const session = await turn(asking(['web', group, { role: 'web', required: ['search'] }]), {
      groups: [group],
    });
    expect([offers(session), found.asked]).toEqual([[['search']], 1]);
  });

  it('needs its permissions, and includes its usage notes, like any other group (TGR-04, TGR-09)', async () => {
    const group = defineToolGroup({
      role: 'web',
      description: 'The web.',
      permissions: ['internet-access'],
      tools: [catalog('c', 'search')],
      childToolUsageNotes: 'Search little.',
    });
    expect(refusedWith(asking([group]))).toBe(
      "Tool group 'web' needs permissions that agent 'clerk' does not give: 'internet-access'. " +
        'Add them where the agent lists it: toolGroup(group, { permissions }).',
    );
    const session = await turn(asking([group], { permissions: ['internet-access'] }));
    expect(session.requests[0]?.messages[0]).toEqual({
      role: 'system',
      text: "Ask.\n\nNotes on the tools of group 'web':\nSearch little.",
    });
  });

  it('omits a tool whose name is in use, and logs it once (AEV-05)', async () => {
    const warned = warnings();
    const group = groupOf('web', catalog('c', 'look', 'search', 'sing'));
    const agent = asking([group], { tools: [tool('look'), catalog('own', 'sing')] });
    const session = createTestSession(agent, { replies: [calls('look'), 'Done.', 'Done.'] });
    await session.send('Go.');
    await session.send('Go on.');
    expect(session.requests.map(({ tools }) => tools.length)).toEqual([3, 3, 3]);
    expect(warned).toEqual([
      "holdfast: 'clerk' has a tool 'look' already: a provider's tool of that name is left out.",
      "holdfast: 'clerk' has a tool 'sing' already: a provider's tool of that name is left out.",
    ]);
  });

  it('can bring a tool that another group brings too', async () => {
    const warned = warnings();
    const shared = catalog('c', 'search');
    expect(offers(await turn(asking([groupOf('web', shared), groupOf('shop', shared)])))).toEqual([
      ['search'],
    ]);
    expect(warned).toEqual([]);
  });

  it('can be put behind one tool, and discovers the inner tools at its opening (UNF-34, MCP-08)', async () => {
    const found = catalog('c', 'search');
    const agent = asking([withUnfolding(groupOf('web', tool('read'), found))]);
    const session = createTestSession(agent, { replies: ['Done.', calls('web'), calls('search'), 'Done.'] });
    await session.send('Wait.');
    expect(found.asked).toBe(0);
    await session.send('Go.');
    expect(offers(session)).toEqual([['web'], ['web'], ['web', 'read', 'search'], ['web', 'read', 'search']]);
    expect([results(session).at(-1), found.asked]).toEqual(['search', 1]);
  });
});
