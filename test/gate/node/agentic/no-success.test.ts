import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  defineAgent,
  defineTool,
  exitEarly,
  ModelError,
  replan,
} from '../../../../src/index.ts';
import { defineAgenticTool, defineStateMachine, defineUnfolding } from '../../../../src/kinds/entry.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';
import { callLimits } from '../../../../src/modules/limits/entry.ts';
import { createTestSession, scriptedModel } from '../../../../src/testing/entry.ts';
import { callTools, createReadingTool, getShownResults } from '../tool-loop/scenes.ts';

const createTestAgent = (tools: readonly AnyTool[], more: object = {}) =>
  defineAgent({ name: 'clerk', description: 'Works.', instructions: 'Work.', tools, ...more });

/** Defines a state machine in which `pack` leads to a state that offers `ship`. */
const createMachine = (pack: AnyTool, ship: AnyTool) =>
  defineStateMachine({
    name: 'orders',
    description: 'Processes an order.',
    initial: 'open',
    states: { open: [{ tool: pack, to: 'packed' }], packed: [ship] },
  });

const notPackedText =
  'This tool is not available in the current state (open). It is only available in state: packed';

describe('an interrupted transition', () => {
  it.each([
    ['a replan signal', () => replan('Not possible.')],
    ['an exit signal', () => exitEarly('Enough.')],
  ])('does not move the state machine if its tool throws %s', async (_, signal) => {
    const pack = createReadingTool('pack', () => {
      throw signal();
    });
    const session = createTestSession(createTestAgent([createMachine(pack, createReadingTool('ship'))]), {
      replies: [
        callTools('orders'),
        callTools('pack'),
        'Went home.',
        callTools('orders'),
        callTools('ship'),
        'So.',
        'Done.',
      ],
    });
    await session.send('Go.');
    await session.send('Go on.');
    const shown = session.requests.flatMap((request) => getShownResults(request));
    expect(shown).not.toContain('ship done');
    expect((await session.state()).memories.get('state-machines')).toEqual({
      'clerk/orders': { '': 'open' },
    });
  });

  it('does not move the state machine if the tool reaches its own limit and returns text', async () => {
    const pack = defineAgenticTool({
      name: 'pack',
      description: 'Packs.',
      input: jsonSchema({ type: 'object', properties: {} }),
      tools: [createReadingTool('fold')],
      limits: { iterations: 1 },
    });
    const session = createTestSession(createTestAgent([createMachine(pack, createReadingTool('ship'))]), {
      replies: [
        callTools('orders'),
        callTools('pack'),
        callTools('fold'),
        'Half packed.',
        callTools('ship'),
        'So.',
        'Done.',
      ],
    });
    await session.send('Go.');
    expect(session.requests.map(getShownResults)).toEqual([
      [],
      [],
      [],
      ['fold done'],
      ['Half packed.'],
      ['Half packed.', notPackedText],
      ['So.'],
    ]);
  });
});

describe('a nested loop that fails', () => {
  const pays: string[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    run: (_, call) => {
      pays.push(call.id);
      return 'paid';
    },
  });

  it('reports its completed calls, so that the outer model does not repeat them', async () => {
    const inner = scriptedModel([callTools('pay')]);
    const payer = defineAgenticTool({
      name: 'payer',
      description: 'Pays what is due.',
      input: jsonSchema({ type: 'object', properties: {} }),
      tools: [pay],
      model: {
        ...inner,
        ask: (request, options) =>
          getShownResults(request).length > 0
            ? Promise.reject(new ModelError('bad-request', 'The provider returned 400.'))
            : inner.ask(request, options),
      },
    });
    const session = createTestSession(createTestAgent([payer]), { replies: [callTools('payer'), 'Done.'] });
    await session.send('Go.');
    expect(getShownResults(session.requests.at(-1))).toEqual([
      'Error: The provider returned 400. Before that it had called pay: their effects remain, so do not have them repeated.',
    ]);
    expect(pays).toHaveLength(1);
  });

  it('reports its completed calls even if its instructions throw', async () => {
    const payer = defineAgenticTool({
      name: 'payer',
      description: 'Pays what is due.',
      input: jsonSchema({ type: 'object', properties: {} }),
      instructions: ({ iterations }) => {
        if (iterations > 0) throw new Error('No instructions.');
        return 'Pay.';
      },
      tools: [pay],
    });
    const session = createTestSession(createTestAgent([payer]), {
      replies: [callTools('payer'), callTools('pay'), 'Done.'],
    });
    await session.send('Go.');
    expect(getShownResults(session.requests.at(-1))).toEqual([
      'Error: No instructions. Before that it had called pay: their effects remain, so do not have them repeated.',
    ]);
  });
});

describe('a limit on the calls of one tool', () => {
  it('counts a call through an unfolding tool as a call of the target tool (UNF-27, SPM-13)', async () => {
    const shop = defineUnfolding({
      name: 'shop',
      description: 'Opens the shop.',
      tools: [defineTool({ name: 'refund', description: 'Refunds.', effect: 'read', run: () => 'refunded' })],
    });
    const through = { calls: [{ name: 'shop', input: { refund: {} } }] };
    const session = createTestSession(
      createTestAgent([shop], { use: [callLimits({ callsPerTool: { refund: 1 } })] }),
      {
        replies: [through, through, callTools('refund'), 'Done.'],
      },
    );
    await session.send('Go.');
    const over =
      "Error: Tool call limit (1) exceeded for tool 'refund'. No further calls to this tool are allowed in this turn.";
    expect(getShownResults(session.requests.at(-1))).toEqual(['refunded', over, over]);
  });
});
