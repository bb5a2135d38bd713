/** Tool objects in turns: their tools as the model sees them, and their call results. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type CallContext,
  defineAgent,
  exitEarly,
  replan,
  type SignalError,
  ToolConfigurationError,
  terminateAction,
  terminateAgent,
} from '../../../../../src/index.ts';
import { type ToolTable, toolsOf } from '../../../../../src/modules/tool-objects/entry.ts';
import type { ScriptedReply } from '../../../../../src/testing/entry.ts';
import { createMemoryApp } from '../../session/memory-app.ts';
import { callTools, getShownResults, startSession } from '../decorators/turns.ts';
import { createFakeInvocation } from '../fake-invocation.ts';

class Shop {
  static readonly tools = {
    order: {
      description: 'Orders.',
      effect: 'read',
      input: v.object({
        sku: v.string(),
        quantity: v.pipe(v.number(), v.integer()),
        gift: v.optional(v.boolean(), false),
        to: v.optional(v.object({ floor: v.number() })),
      }),
    },
    bind: { description: 'Binds a customer.', effect: 'read', input: v.object({ id: v.string() }) },
    bound: { description: 'Tells who is bound.', effect: 'read' },
  } satisfies ToolTable<Shop>;

  order(input: { sku: string; quantity: number; gift: boolean; to?: { floor: number } | undefined }) {
    return JSON.stringify(input);
  }

  bind({ id }: { id: string }, { inSession, blackboard }: CallContext) {
    if (!inSession) return 'No session: unable to bind the customer';
    blackboard.add({ id }, { name: 'customer', type: 'Customer' });
    return 'Customer bound to the blackboard';
  }

  bound(_: Record<string, never>, { blackboard }: CallContext) {
    return JSON.stringify(blackboard.get('customer') ?? null);
  }
}

async function runAndGetResults(object: object, ...replies: ScriptedReply[]): Promise<string[]> {
  const session = startSession(toolsOf(object), [...replies, 'Done.']);
  await session.send('Go.');
  return getShownResults(session);
}

const createOrderReply = (input: unknown): ScriptedReply => ({ calls: [{ name: 'order', input }] });

describe('the input of a tool method', () => {
  it('can have numbers and booleans in quotes, even nested, and can omit optional fields (ANN-07)', async () => {
    expect(
      await runAndGetResults(
        new Shop(),
        createOrderReply({ sku: '7', quantity: '2', gift: 'true', to: { floor: '3.5' } }),
        createOrderReply({ sku: 'b', quantity: 1 }),
      ),
    ).toEqual([
      '{"sku":"7","quantity":2,"gift":true,"to":{"floor":3.5}}',
      '{"sku":"b","quantity":1,"gift":false}',
    ]);
  });

  it('is refused if it is not a number or a boolean (ANN-07, ANN-09)', async () => {
    expect(
      await runAndGetResults(new Shop(), createOrderReply({ sku: 'a', quantity: 'two', gift: 'yes' })),
    ).toEqual([
      "Error: The input of tool 'order' is not valid:\n" +
        '- quantity: Invalid type: Expected number but received "two"\n' +
        '- gift: Invalid type: Expected boolean but received "yes"\n' +
        'Call it again with a corrected input.',
    ]);
  });

  it('is refused if it is not JSON, or lacks a required field, whose name the error includes (ANN-08)', async () => {
    expect(
      await runAndGetResults(
        new Shop(),
        createOrderReply('{"sku": "a"'),
        createOrderReply({}),
        createOrderReply(''),
      ),
    ).toEqual([
      "Error: The input of tool 'order' is not valid JSON: it does not end with '}', so it may be cut off. " +
        'Send one JSON object that matches its schema.',
      ...[1, 2].map(
        () =>
          "Error: The input of tool 'order' is not valid:\n" +
          '- sku: Invalid key: Expected "sku" but received undefined\n' +
          '- quantity: Invalid key: Expected "quantity" but received undefined\n' +
          'Call it again with a corrected input.',
      ),
    ]);
  });
});

describe('a method that throws', () => {
  const runThrowingTool = (error: Error) =>
    runAndGetResults(
      {
        tools: { fail: { description: 'Fails.', effect: 'read' } },
        fail() {
          throw error;
        },
      },
      callTools('fail'),
    );

  it.each<[Error, string]>([
    [new Error('No stock'), 'Error: No stock'],
    [new Error('No stock', { cause: new Error('disk full') }), 'Error: No stock (cause: disk full)'],
    [new Error('', { cause: new Error('disk full') }), 'Error: disk full'],
  ])(
    'fails with its own message, followed by the messages of its causes: %o (ANN-11)',
    async (error, expected) => {
      expect(await runThrowingTool(error)).toEqual([expected]);
    },
  );

  it.each<[SignalError, object]>([
    [replan('new facts'), { outcome: 'completed', signal: { type: 'replan', reason: 'new facts' } }],
    [terminateAction('enough'), { outcome: 'completed', signal: { type: 'terminate-action' } }],
    [terminateAgent('stop'), { outcome: 'cancelled', signal: { type: 'terminate-agent' } }],
    [exitEarly('bye'), { outcome: 'cancelled', signal: { type: 'exit' } }],
    [new ToolConfigurationError('no key'), { outcome: 'failed', error: { type: 'misconfigured' } }],
  ])('sends the signal that it throws: %o (ANN-10)', async (signal, expected) => {
    class Planner {
      static readonly tools = {
        plan: { description: 'Plans.', effect: 'read' },
      } satisfies ToolTable<Planner>;
      async plan(): Promise<never> {
        throw signal;
      }
    }
    const app = createMemoryApp({
      tools: toolsOf(new Planner()),
      replies: [callTools('plan'), 'Not asked.'],
    });
    expect(await app.say('Go.')).toMatchObject({ status: 'ended', turn: expected });
    expect(app.model.requests).toHaveLength(1);
  });

  it('can wait for an outside answer (ANN-10)', async () => {
    class Asker {
      static readonly tools = { ask: { description: 'Asks.', effect: 'read' } } satisfies ToolTable<Asker>;
      async ask(_: Record<string, never>, call: CallContext) {
        return (await call.ask({ for: 'decision', message: 'May I?' })).decision;
      }
    }
    const app = createMemoryApp({
      tools: toolsOf(new Asker(), { prefix: 'x_' }),
      replies: [callTools('x_ask')],
    });
    expect(await app.say('Go.')).toMatchObject({ status: 'suspended' });
  });
});

describe('a method that uses the session (ANN-14)', () => {
  it('adds to the blackboard of its session', async () => {
    const session = startSession(toolsOf(new Shop()), [
      { calls: [{ name: 'bind', input: { id: '7' } }] },
      callTools('bound'),
      'Done.',
    ]);
    await session.send('Go.');
    expect(getShownResults(session)).toEqual(['Customer bound to the blackboard', '{"id":"7"}']);
    expect((await session.state()).blackboard).toEqual([
      { name: 'customer', type: 'Customer', value: { id: '7' } },
    ]);
  });

  it('can detect that there is no session', async () => {
    const { call } = createFakeInvocation('bind');
    Object.assign(call, { inSession: false });
    const bind = toolsOf(new Shop()).find(({ name }) => name === 'bind');
    expect((await bind?.call({ id: '7' }, call))?.text()).toBe('No session: unable to bind the customer');
  });
});

describe('an agent', () => {
  it('accepts the tools of an object like any other tools, and offers them sorted', async () => {
    const tools = [...toolsOf(new Shop(), { prefix: 'shop_' })].reverse();
    const agent = defineAgent({ name: 'clerk', description: 'Helps.', instructions: 'Help.', tools });
    expect(agent.tools).toHaveLength(3);
    const session = startSession(tools, ['Done.']);
    await session.send('Go.');
    expect(session.requests[0]?.tools.map(({ name }) => name)).toEqual([
      'shop_bind',
      'shop_bound',
      'shop_order',
    ]);
  });
});
