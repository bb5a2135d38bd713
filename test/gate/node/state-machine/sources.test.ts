import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ToolSource, toolProvider } from '../../../../src/index.ts';
import { defineStateMachine } from '../../../../src/kinds/entry.ts';
import { defineToolGroup } from '../../../../src/modules/tool-groups/entry.ts';
import { toolFactory, toolTable } from '../../../../src/modules/tool-objects/entry.ts';
import type { TestSession } from '../../../../src/testing/entry.ts';
import { Cart, createDiscoveringProvider } from '../../../fixtures/tool-sources.ts';
import { createCrashTool } from '../unfolding/scenes.ts';
import {
  callTools,
  createOrderMachine,
  createPositions,
  createTurnReplies,
  createWorkshop,
  formatWrongState,
  getInnerInstructions,
  getInnerOffers,
  listInnerAnswers,
  orderCalls,
  readPositions,
  startSession,
} from './scenes.ts';

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

const createFindingSource = (...names: readonly string[]) => {
  const { tool } = createWorkshop();
  return createDiscoveringProvider(names.map((name) => tool(name)));
};

describe('a state of a state machine', () => {
  it('accepts the tools of an object, which are shared by all states that list the object', async () => {
    const cart = new Cart();
    const { machine } = createOrderMachine({
      states: { draft: [{ tool: cart, to: 'confirmed' }], confirmed: [cart], shipped: [] },
    });
    expect(machine.inner?.map(({ name }) => name)).toEqual(['pay', 'put', 'status']);
    const session = startSession([machine], createTurnReplies('1', 'put', 'pay'));
    await session.send('Go.');
    expect(await listInnerAnswers(session)).toEqual(['put: 1 in it', 'pay: paid for 1']);
    expect(await readPositions(session)).toEqual(createPositions({ 1: 'confirmed' }));
  });

  it('accepts the tools of an object with a method named `run`, like the definition of a tool', async () => {
    class Job {
      static readonly tools = toolTable<Job>({ run: { description: 'Runs.', effect: 'read' } });
      run() {
        return 'ran';
      }
    }
    const { machine } = createOrderMachine({
      states: { draft: [{ tool: new Job(), to: 'confirmed' }], confirmed: [], shipped: [] },
    });
    const session = startSession([machine], createTurnReplies('1', 'run'));
    await session.send('Go.');
    expect(await listInnerAnswers(session)).toEqual(['run: ran']);
    expect(await readPositions(session)).toEqual(createPositions({ 1: 'confirmed' }));
  });

  it.each([
    { warm: true, puts: 2 },
    { warm: false, puts: 0 },
  ])('accepts the tools of a factory, which runs once per invocation (%o)', async ({ warm, puts }) => {
    const cart = toolFactory(() => new Cart());
    const { machine } = createOrderMachine({
      states: { draft: [{ tool: cart, to: 'confirmed' }], confirmed: [cart], shipped: [] },
    });
    const replies = [...createTurnReplies('1', 'put', 'put', 'pay'), ...createTurnReplies('1', 'put')];
    const session = startSession([machine], replies, [], warm);
    await session.send('Go.');
    await session.send('Go.');
    expect(await listInnerAnswers(session)).toEqual([
      'put: 1 in it',
      `put: ${warm ? 2 : 1} in it`,
      `pay: paid for ${puts}`,
      'put: 1 in it',
    ]);
    expect(await readPositions(session)).toEqual(createPositions({ 1: 'confirmed' }));
  });

  it('accepts the tools of a group, whose notes come first in the instructions', async () => {
    const { tool } = createWorkshop();
    const group = defineToolGroup({
      role: 'shop',
      description: 'Shop.',
      tools: [tool('buy')],
      childToolUsageNotes: 'Buy little.',
    });
    const { machine } = createOrderMachine({
      instructions: 'Do it.',
      states: { draft: [group], confirmed: [{ tool: group, to: 'shipped' }], shipped: [] },
    });
    const session = startSession([machine], createTurnReplies('1', 'buy'));
    await session.send('Go.');
    expect(getInnerInstructions(session)).toEqual(['Do it.\n\nBuy little.', 'Do it.\n\nBuy little.']);
    expect(await listInnerAnswers(session)).toEqual(['buy: buy done']);
  });

  it('accepts a provider, which is asked before each model call and whose tools can make transitions', async () => {
    const { provider, discover } = createFindingSource('buy');
    const { machine } = createOrderMachine({
      states: { draft: [{ tool: provider, to: 'confirmed' }], confirmed: [], shipped: [] },
    });
    const session = startSession([machine], createTurnReplies('1', 'buy', 'buy'));
    await session.send('Go.');
    expect(getInnerOffers(session)).toEqual(Array(3).fill(['buy', 'status']));
    expect(await listInnerAnswers(session)).toEqual([
      'buy: buy done',
      `buy: ${formatWrongState('confirmed', 'draft')}`,
    ]);
    expect(await readPositions(session)).toEqual(createPositions({ 1: 'confirmed' }));
    expect(discover).toHaveBeenCalledTimes(3);
    expect(session.requests[1]?.tools[0]?.description).toBe(
      'Does buy.\n\n[Available in state: draft] [Transitions to: confirmed]',
    );
  });

  it('has the same tools in another invocation', async () => {
    const { provider } = createFindingSource('buy', 'sell');
    const crashes = createCrashTool((): TestSession => session);
    const { machine } = createOrderMachine({
      everywhere: [crashes],
      states: {
        draft: [{ tool: provider, to: 'confirmed' }],
        confirmed: [{ tool: toolFactory(() => new Cart()), to: 'shipped' }],
        shipped: [],
      },
    });
    const session = startSession([machine], createTurnReplies('1', 'buy', 'crash', 'sell', 'put', 'put'));
    await session.send('Go.');
    expect(await listInnerAnswers(session)).toEqual([
      'buy: buy done',
      'crash: crashed',
      `sell: ${formatWrongState('confirmed', 'draft')}`,
      'put: 1 in it',
      `put: ${formatWrongState('shipped', 'confirmed')}`,
    ]);
    expect(await readPositions(session)).toEqual(createPositions({ 1: 'shipped' }));
  });

  it('can share a provider with another state', async () => {
    const { provider } = createFindingSource('buy');
    const { machine } = createOrderMachine({
      hideUnavailable: true,
      everywhere: [],
      states: {
        draft: [{ tool: provider, to: 'confirmed' }],
        confirmed: [{ tool: provider, to: 'shipped' }],
        shipped: [],
      },
    });
    const session = startSession(
      [machine],
      [orderCalls('1'), callTools('buy'), callTools('buy'), 'So.', 'Done.'],
    );
    await session.send('Go.');
    expect(getInnerOffers(session)).toEqual([['buy'], ['buy'], []]);
    expect(await readPositions(session)).toEqual(createPositions({ 1: 'shipped' }));
  });
});

describe('the tools of all states', () => {
  it('can come from a provider', async () => {
    const { provider } = createFindingSource('look');
    const { machine } = createOrderMachine({ everywhere: [provider] });
    const session = startSession([machine], createTurnReplies('1', 'look'));
    await session.send('Go.');
    expect(await listInnerAnswers(session)).toEqual(['look: look done']);
  });
});

describe('an invalid state', () => {
  const { tool } = createWorkshop();
  const web = defineToolGroup({
    role: 'web',
    description: 'Web.',
    permissions: ['internet-access'],
    tools: [],
  });
  const define = (sources: readonly unknown[]) => () =>
    defineStateMachine({
      name: 'door',
      description: 'Opens.',
      initial: 'open',
      states: { open: sources as readonly (ToolSource & { tool?: never; to?: never })[] }, // Untyped callers can do this.
    });
  const provider = toolProvider({ toolsNow: () => [] });

  it.each<[string, readonly unknown[], string]>([
    [
      'the name of a tool',
      [tool('a'), 'shut'],
      "in state 'open' it cannot have these tools: Tool at index 1 is 'shut'. List the tool itself.",
    ],
    [
      'a transition for a function',
      [{ tool: function shut() {}, to: 'open' }],
      "in state 'open' it cannot have these tools: Tool at index 0 ('shut') is a function. Call it, and list its result, or pass it to toolFactory.",
    ],
    [
      'a group that requires a permission',
      [web],
      "in state 'open' it cannot have these tools: Tool at index 0 is the tool group 'web', which needs internet-access. " +
        "Only an agent can allow that. List it among the agent's own tools, and allow it there: toolGroup(group, { permissions }).",
    ],
    [
      'an object without a target state',
      [{ tool: toolFactory(() => new Cart()), to: 'shut' }],
      "in state 'open' entry 0 leads to 'shut', which is not one of its states.",
    ],
    ['a provider that is listed twice', [provider, provider], "state 'open' lists a tool provider twice."],
    [
      'a tool that an object also has',
      [tool('put'), toolFactory(() => new Cart())],
      "two tools of its states have the name 'put'.",
    ],
  ])('throws for %s', (_, sources, why) => {
    expect(define(sources)).toThrow(`Tool 'door': ${why}`);
  });
});
