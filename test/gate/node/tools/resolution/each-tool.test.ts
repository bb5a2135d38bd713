import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  defineAgent,
  defineTool,
  eachTool,
  type ToolSource,
  toolProvider,
} from '../../../../../src/index.ts';
import { defineUnfolding } from '../../../../../src/kinds/entry.ts';
import { decorate } from '../../../../../src/modules/decorators/entry.ts';
import { defineToolGroup } from '../../../../../src/modules/tool-groups/entry.ts';
import { toolTable } from '../../../../../src/modules/tool-objects/entry.ts';
import { createTestSession, type ScriptedReply } from '../../../../../src/testing/entry.ts';
import { RENAME_FIRST_TWO } from '../../../../fixtures/rename.ts';

const createTool = (name: string): AnyTool =>
  defineTool({ name, description: 'Does.', effect: 'read', run: () => `${name} done` });

class Clock {
  static readonly tools = toolTable<Clock>({
    time: { description: 'Tells the time.', effect: 'read' },
    day: { description: 'Tells the day.', effect: 'read' },
  });
  time() {
    return 'noon';
  }
  day() {
    return 'Friday';
  }
}

/** A decorator that counts its applications and the calls of each tool, by name. */
function createCounter() {
  const ran: string[] = [];
  const made: string[] = [];
  const createCountedTool = (tool: AnyTool): AnyTool => {
    made.push(tool.name);
    return decorate(tool, {
      call(input, call) {
        ran.push(tool.name);
        return tool.call(input, call);
      },
    });
  };
  return { ran, made, counted: createCountedTool };
}

const callTools = (...names: string[]) => ({ calls: names.map((name) => ({ name })) });

async function play(tools: readonly ToolSource[], ...replies: readonly ScriptedReply[]): Promise<void> {
  const agent = defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools });
  await createTestSession(agent, { replies: [...replies, 'Done.'] }).send('Go.');
}

describe('eachTool', () => {
  it('decorates a tool', async () => {
    const { ran, counted } = createCounter();
    await play([eachTool(createTool('look'), counted)], callTools('look'));
    expect(ran).toEqual(['look']);
  });

  it('decorates every tool in a list of tools, objects and providers', async () => {
    const { ran, counted } = createCounter();
    const list = [createTool('look'), new Clock(), toolProvider({ toolsNow: () => [createTool('late')] })];
    await play(eachTool(list, counted), callTools('look', 'time', 'day', 'late'));
    expect(ran.toSorted()).toEqual(['day', 'late', 'look', 'time']);
    expect(eachTool(new Clock(), counted)).toHaveLength(2);
  });

  it('decorates each tool once that a provider returns later', async () => {
    const { ran, made, counted } = createCounter();
    const later: AnyTool[] = [];
    const early = defineTool({
      name: 'early',
      description: 'Brings one.',
      effect: 'read',
      run: () => void later.push(createTool('late')),
    });
    const provider = eachTool(toolProvider({ toolsNow: () => [early, ...later] }), counted);
    await play([provider], callTools('early'), callTools('late'), callTools('late'));
    expect(ran).toEqual(['early', 'late', 'late']);
    expect(made).toEqual(['early', 'late']);
  });

  it('keeps the other properties of a provider and a group', () => {
    const provider = toolProvider({ toolsNow: () => [], about: { name: 'crm' }, missing: () => 'None.' });
    expect(eachTool(provider, (tool) => tool)).toMatchObject({
      about: { name: 'crm' },
      missing: expect.any(Function),
    });
    const group = defineToolGroup({
      role: 'web',
      description: 'Web.',
      tools: [createTool('look'), provider],
    });
    const { ran, counted } = createCounter();
    const changed = eachTool(group, counted);
    expect(changed).toMatchObject({ role: 'web', description: 'Web.', permissions: [] });
    expect(changed.tools.map(({ delegate }) => delegate)).toEqual(group.tools);
    expect(changed.providers).toMatchObject([{ about: { name: 'crm' } }]);
    expect(ran).toEqual([]);
  });

  it('decorates the inner tools of an unfolding tool at any depth, but not the unfolding tools', async () => {
    const { ran, counted } = createCounter();
    const deep = defineUnfolding({ name: 'deep', description: 'Deep.', tools: [createTool('inner')] });
    const shop = defineUnfolding({ name: 'shop', description: 'Shop.', tools: [createTool('buy'), deep] });
    await play(eachTool([shop], counted), callTools('shop'), callTools('buy', 'deep'), callTools('inner'));
    expect(ran).toEqual(['buy', 'inner']);
  });

  it('removes the route through an unfolding tool, because it would bypass the decorator', () => {
    const shop = defineUnfolding({ name: 'shop', description: 'Shop.', tools: [createTool('buy')] });
    expect(shop.route?.({ buy: {} })).toMatchObject({ tool: { name: 'buy' } });
    expect(eachTool(shop, (tool) => tool).route).toBeUndefined();
  });

  it('refuses a list with duplicate names', () => {
    expect(() => eachTool([createTool('a'), createTool('a')], (tool) => tool)).toThrow(
      `Duplicate tool name: 'a'${RENAME_FIRST_TWO}`,
    );
  });

  it('returns a group for a group in a list, with its requirements', () => {
    const { made, counted } = createCounter();
    const group = defineToolGroup({
      role: 'web',
      description: 'Web.',
      permissions: ['internet-access'],
      tools: [createTool('look')],
    });
    const [first, second] = eachTool([group, createTool('own')], counted);
    expect(first).toMatchObject({ name: 'own' });
    expect(second).toMatchObject({
      role: 'web',
      permissions: ['internet-access'],
      tools: [{ name: 'look' }],
    });
    expect(made).toEqual(['own', 'look']);
  });
});
