import { describe, expect, it } from 'vitest';
import { defineTool, toolProvider } from '../../../../src/index.ts';
import { defineToolGroup, toolGroups as registered } from '../../../../src/modules/tool-groups/entry.ts';
import { createTestSession } from '../../../../src/testing/entry.ts';
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

describe('tools that an agent requires from a group with providers', () => {
  const missing = "Required tool 'order' not found. Available tools: read, search";
  const createShopGroup = (...names: readonly string[]) =>
    createGroup('shop', createNamedTool('look'), createCatalog('c', ...names));

  it('are offered without placeholders if they exist (TGR-06)', async () => {
    const warned = captureWarnings();
    const agent = createGroupAgent([{ role: 'shop', required: ['order', 'look'] }]);
    const session = await runTurn(agent, {
      groups: [createShopGroup('order')],
      replies: [callTool('order'), 'Done.'],
    });
    expect(getOfferedTools(session)[0]).toEqual(['look', 'order']);
    expect(getResults(session)).toEqual(['order']);
    expect(warned).toEqual([]);
  });

  it('become placeholders that report the missing and available tools, and one line is logged (TGR-06)', async () => {
    const warned = captureWarnings();
    const agent = createGroupAgent([{ role: 'shop', required: ['order'] }]);
    const session = await runTurn(agent, {
      groups: [createShopGroup('search', 'read')],
      replies: [{ calls: [{ name: 'order', input: { what: 'ever' } }] }, 'Done.'],
    });
    expect(getOfferedTools(session)).toEqual([
      ['look', 'order', 'read', 'search'],
      ['look', 'order', 'read', 'search'],
    ]);
    expect(session.requests[0]?.tools.find(({ name }) => name === 'order')).toEqual({
      name: 'order',
      description: 'Not available now. A call returns the tools that are available instead.',
      inputSchema: { type: 'object', properties: {} },
    });
    expect(getResults(session)).toEqual([`Error: ${missing}`]);
    expect(warned).toEqual([`holdfast: 'clerk' lacks a tool that it requires: ${missing}`]);
  });

  it('are reported as missing with the text of the provider, if it defines one (TGR-06, MCP-02)', async () => {
    captureWarnings();
    const speaking = {
      ...createCatalog('c', 'b', 'a'),
      missing: (name: string, all: readonly string[]) => `No ${name} among ${all.join('+')}.`,
    };
    const agent = createGroupAgent([{ role: 'shop', required: ['order'] }]);
    const session = await runTurn(agent, {
      groups: [createGroup('shop', createCatalog('mute'), speaking)],
      replies: [callTool('order'), 'Done.'],
    });
    expect(getResults(session)).toEqual(['Error: No order among a+b.']);
  });

  it('replace their placeholders once the provider finds them (TGR-06)', async () => {
    captureWarnings();
    const found = createCatalog('c');
    const agent = createGroupAgent([{ role: 'shop', required: ['order'] }]);
    const replies = [callTool('order'), 'Done.', callTool('order'), 'Done.'];
    const session = createTestSession(agent, { replies, use: [registered([createGroup('shop', found)])] });
    await session.send('Go.');
    found.names = ['order'];
    await session.send('Again.');
    expect(getResults(session)).toEqual([
      "Error: Required tool 'order' not found. No tools are available where it should come from.",
      'order',
    ]);
  });

  it('report an unknown outcome, not a missing tool, if they disappear after a call has started (TGR-06)', async () => {
    captureWarnings();
    let isGone = false;
    const order = defineTool({
      name: 'order',
      description: 'Orders.',
      run: () => {
        isGone = true;
        session.kill();
      },
    });
    const agent = createGroupAgent([{ role: 'shop', required: ['order'] }]);
    const groups = [createGroup('shop', toolProvider({ toolsNow: () => (isGone ? [] : [order]) }))];
    const session = createTestSession(agent, {
      replies: [callTool('order'), 'Done.'],
      use: [registered(groups)],
    });
    await session.send('Go.');
    expect(getResults(session)).toEqual([
      "Error: The outcome of this call of 'order' is unknown: it was started, and no answer came back. It may have " +
        'happened or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.',
    ]);
  });

  it('are reported as missing if the environment excludes them (TGR-03, TGR-06)', async () => {
    captureWarnings();
    const agent = createGroupAgent([{ role: 'shop', required: ['order'] }]);
    const session = await runTurn(agent, {
      groups: [createShopGroup('order', 'search', 'read')],
      setting: { excludes: ['order'] },
      replies: [callTool('order'), 'Done.'],
    });
    expect(getResults(session)).toEqual([`Error: ${missing}`]);
  });

  it('must have valid tool names', () => {
    const agent = createGroupAgent([{ role: 'shop', required: ['place order'] }]);
    expect(getConfigurationError(agent, { groups: [createShopGroup()] })).toBe(
      "Agent 'clerk' requires a tool that cannot exist: " +
        "Tool 'place order': its name must be 1 to 64 of the characters A-Z a-z 0-9 _ -.",
    );
  });
});

describe('the var TOOL_GROUPS for groups with providers', () => {
  const web = createGroup(
    'web',
    createNamedTool('read'),
    createCatalog('c', 'gh_search', 'gh_delete_page', 'read'),
  );

  it('excludes discovered tools whose names end with an excluded name (TGR-03)', async () => {
    const groups = [
      createGroup('web', createNamedTool('look'), createCatalog('c', 'gh_search', 'gh_delete_page', 'read')),
    ];
    expect(
      getOfferedTools(
        await runTurn(createGroupAgent(['web']), { groups, setting: { excludes: ['page', 'look'] } }),
      ),
    ).toEqual([['gh_search', 'read']]);
  });

  it('builds groups of discovered tools, which it finds by the ends of their names (TGR-02, MCP-10)', async () => {
    const warned = captureWarnings();
    const setting = { includes: { find: { tools: ['search', 'read'] } } };
    expect(getOfferedTools(await runTurn(createGroupAgent(['find']), { groups: [web], setting }))).toEqual([
      ['gh_search', 'read'],
    ]);
    expect(warned).toEqual([]); // `read` is found among the static tools, so its provider is not searched.
  });

  it('asks no provider for a group whose tools are all known statically (MCP-10)', async () => {
    const found = createCatalog('c', 'read');
    const setting = { includes: { find: { tools: ['read'] } } };
    const groups = [createGroup('shelf', createNamedTool('read')), createGroup('far', found)];
    expect(getOfferedTools(await runTurn(createGroupAgent(['find']), { groups, setting }))).toEqual([
      ['read'],
    ]);
    expect(found.asked).toBe(0);
  });

  it('accepts an unknown name if a provider can still discover the tool (TGR-02, TGR-03, MCP-10)', () => {
    const setting = { includes: { find: { tools: ['nothing'] } }, excludes: ['never'] };
    const agent = createGroupAgent(['find']);
    expect(getConfigurationError(agent, { groups: [web], setting })).toBe('It was not refused.');
    expect(
      getConfigurationError(agent, { groups: [createGroup('web', createNamedTool('read'))], setting }),
    ).toMatch(/^TOOL_GROUPS cannot be used: excludes names 'never'/);
  });

  it('requires the permissions of every group that a tool can come from, regardless of its new role (TGR-09)', () => {
    const far = defineToolGroup({
      role: 'far',
      description: 'Far.',
      permissions: ['internet-access'],
      tools: [createCatalog('c')],
    });
    const groups = [far, createGroup('shelf', createNamedTool('read'))];
    const createIncludeSetting = (end: string) => ({
      groups,
      setting: { includes: { harmless: { tools: [end] } } },
    });
    expect(getConfigurationError(createGroupAgent(['harmless']), createIncludeSetting('search'))).toBe(
      "Tool group 'harmless' needs permissions that agent 'clerk' does not give: 'internet-access'. " +
        'Add them where the agent lists it: toolGroup(group, { permissions }).',
    );
    expect(getConfigurationError(createGroupAgent(['harmless']), createIncludeSetting('read'))).toBe(
      'It was not refused.',
    );
  });
});
