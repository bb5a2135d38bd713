import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  artifact,
  defineDomainType,
  ToolDefinitionError,
  toolProvider,
} from '../../../../src/index.ts';
import { defineStateMachine, startingIn } from '../../../../src/kinds/entry.ts';
import { requireApproval } from '../../../../src/modules/decorators/entry.ts';
import { formatToolTree } from '../../../../src/modules/inspect/entry.ts';
import { toolTable } from '../../../../src/modules/tool-objects/entry.ts';
import {
  callTools,
  createOrderMachine,
  createWorkshop,
  getOuterResults,
  listInnerAnswers,
  orderCalls,
  readPositions,
  startSession,
} from './scenes.ts';

const { tool } = createWorkshop();
const [go, stay, status] = [tool('go'), tool('stay'), tool('status')];
const base = { name: 'door', description: 'Is a door.', input: v.object({}) } as const;

/** Production has shorter messages. */
const NO_TOOL_PROBLEM =
  process.env.NODE_ENV === 'production'
    ? 'is not a tool and has no tools'
    : "(Object) is neither a tool nor a tool provider, and its class has no static 'tools' table";

const NULL_PROBLEM =
  process.env.NODE_ENV === 'production' ? 'is not a tool and has no tools' : 'must not be null';

/** Returns the error of an untyped definition. */
function catchDefinitionError(config: object): unknown {
  try {
    defineStateMachine({ ...base, ...config } as unknown as Parameters<typeof defineStateMachine>[0]);
  } catch (thrown) {
    if (thrown instanceof ToolDefinitionError) return [thrown.field, thrown.message];
    throw thrown;
  }
  return 'defined';
}

describe('defineStateMachine', () => {
  it.each([
    [
      'a missing initial state',
      { states: { open: [go] } },
      'initial',
      "it has no initial state. Use 'open'.",
    ],
    [
      'an undeclared initial state',
      { states: { open: [go], shut: [] }, initial: 'ajar' },
      'initial',
      "its initial state 'ajar' is not one of its states. Use 'open', 'shut'.",
    ],
    ['no states', { states: {}, initial: 'open' }, 'states', 'it has no states. Add one.'],
    [
      'a state without a name',
      { states: { '': [go] }, initial: '' },
      'states',
      'it has a state without a name.',
    ],
    [
      'a transition to an undeclared state',
      { states: { open: [{ tool: go, to: 'toString' }] }, initial: 'open' },
      'states',
      "in state 'open' tool 'go' leads to 'toString', which is not one of its states.",
    ],
    [
      'an undefined entry',
      { states: { open: [go, {}] }, initial: 'open' },
      'states',
      `in state 'open' it cannot have these tools: Tool at index 1 ${NO_TOOL_PROBLEM}.`,
    ],
    [
      'a null entry',
      { states: { open: [null] }, initial: 'open' },
      'states',
      `in state 'open' it cannot have these tools: Tool at index 0 ${NULL_PROBLEM}.`,
    ],
    [
      'a tool that is listed twice in a state',
      { states: { open: [go, { tool: go, to: 'open' }] }, initial: 'open' },
      'states',
      "state 'open' lists tool 'go' twice.",
    ],
    [
      'a renaming to an undeclared state',
      { states: { open: [go] }, initial: 'open', renamed: { ajar: 'shut' } },
      'renamed',
      "'renamed' maps the state 'ajar' to 'shut', which is not one of its states. Use 'open'.",
    ],
    [
      'a renaming of a state that still exists',
      { states: { open: [go], shut: [] }, initial: 'open', renamed: { open: 'shut' } },
      'renamed',
      "'renamed' has the state 'open', which is still one of its states.",
    ],
    [
      'an invalid tool of all states',
      { states: { open: [go] }, initial: 'open', everywhere: [null] },
      'tools',
      `it cannot have these tools: Tool at index 0 ${NULL_PROBLEM}.`,
    ],
  ])('throws for %s (STM-03)', (_, config, field, problem) => {
    expect(catchDefinitionError(config)).toEqual([field, `Tool 'door': ${problem}`]);
  });

  it('throws if two tools of its states, or a tool of a state and a tool of all states, have the same name', () => {
    const other = createWorkshop().tool('go');
    const problem = ['states', "Tool 'door': two tools of its states have the name 'go'."];
    expect(catchDefinitionError({ states: { open: [go], shut: [other] }, initial: 'open' })).toEqual(problem);
    expect(catchDefinitionError({ states: { open: [go] }, initial: 'open', everywhere: [other] })).toEqual(
      problem,
    );
  });

  it('accepts an object with states of tools or { tool, to }, and tools of all states (STM-01)', () => {
    const { machine } = createOrderMachine();
    expect(machine).toMatchObject({
      name: 'orders',
      description: 'Processes one order.',
      effect: 'none',
      inputSchema: { properties: { orderId: { type: 'string' } }, required: ['orderId'] },
    });
    expect(formatToolTree('clerk', [machine])).toBe(
      'clerk\n└── orders (4 inner tools)\n    ├── add_item\n    ├── confirm\n    ├── ship\n    └── status',
    );
  });

  it('returns a tool that reports an error if there are no tools (AGT-04)', async () => {
    const empty = defineStateMachine({ ...base, initial: 'open', states: { open: [] } });
    const session = startSession([empty], [callTools('door'), 'Done.']);
    await session.send('Go.');
    expect(getOuterResults(session)).toEqual(['Error: No tools registered for StateMachineTool']);
  });
});

describe('the description of a tool in a state machine', () => {
  const getDescriptions = (config: Omit<Parameters<typeof defineStateMachine>[0], keyof typeof base>) =>
    (defineStateMachine({ ...base, ...config } as Parameters<typeof defineStateMachine>[0]).inner ?? []).map(
      ({ description }) => description,
    );

  it('states where the tool is available, and its target state (STM-05)', () => {
    expect(
      getDescriptions({
        initial: 'open',
        states: { open: [stay, { tool: go, to: 'shut' }], shut: [] },
        everywhere: [status],
      }),
    ).toEqual([
      'Does stay.\n\n[Available in state: open]',
      'Does go.\n\n[Available in state: open] [Transitions to: shut]',
      'Does status.\n\n[Available in all states]',
    ]);
  });

  it.each([
    [
      'without a target state',
      { open: [go], shut: [go], ajar: [] },
      'Does go.\n\n[Available in states: open, shut]',
    ],
    [
      'with the same target in all states',
      { open: [{ tool: go, to: 'ajar' }], shut: [{ tool: go, to: 'ajar' }], ajar: [] },
      'Does go.\n\n[Available in states: open, shut] [Transitions to: ajar]',
    ],
    [
      'with a different target in each state',
      {
        open: [{ tool: go, to: 'shut' }],
        shut: [{ tool: go, to: 'open' }],
        ajar: [{ tool: go, to: 'open' }],
      },
      'Does go.\n\n[Available in states: open, shut, ajar] [Transitions to: shut (from open), open (from shut, ajar)]',
    ],
    [
      'with a target in one state',
      { open: [{ tool: go, to: 'shut' }], shut: [go], ajar: [] },
      'Does go.\n\n[Available in states: open, shut] [Transitions to: shut (from open)]',
    ],
  ])('occurs once for a tool of several states %s (STM-05, STM-08)', (_, states, description) => {
    expect(getDescriptions({ initial: 'open', states })).toEqual([description]);
  });

  it('includes the targets of a tool of all states that has a target in some of them', () => {
    const states = { open: [{ tool: go, to: 'shut' }], shut: [] };
    expect(getDescriptions({ initial: 'open', states, everywhere: [go] })).toEqual([
      'Does go.\n\n[Available in all states] [Transitions to: shut (from open)]',
    ]);
    const out = { tool: go, to: 'out' };
    const three = { open: [out], shut: [out], ajar: [out], out: [] };
    expect(getDescriptions({ initial: 'open', states: three, everywhere: [go] })).toEqual([
      'Does go.\n\n[Available in all states] [Transitions to: out (from open, shut, ajar)]',
    ]);
  });
});

describe('a tool that is listed in several states', () => {
  it('is offered once, with the target of the current state (STM-08)', async () => {
    const { tool: made, done } = createWorkshop();
    const next = made('next');
    const lamp = defineStateMachine({
      ...base,
      initial: 'red',
      states: {
        red: [{ tool: next, to: 'green' }],
        green: [{ tool: next, to: 'amber' }],
        amber: [next],
      },
    });
    const session = startSession(
      [lamp],
      [callTools('door'), ...Array(4).fill(callTools('next')), 'Amber.', 'Done.'],
    );
    await session.send('Go.');
    expect(done).toEqual(['next', 'next', 'next', 'next']);
    expect(session.requests[1]?.tools.map(({ name }) => name)).toEqual(['next']);
    expect(await readPositions(session)).toEqual({ 'clerk/door': { '': 'amber' } });
  });

  it('can have a target in one state while it is available in all states', async () => {
    const { tool: made } = createWorkshop();
    const next = made('next');
    const states = { red: [{ tool: next, to: 'green' }], green: [] } as const;
    const lamp = defineStateMachine({ ...base, initial: 'red', states, everywhere: [next] });
    const session = startSession([lamp], [callTools('door'), callTools('next', 'next'), 'Green.', 'Done.']);
    await session.send('Go.');
    expect(await listInnerAnswers(session)).toEqual(['next: next done', 'next: next done']);
    expect(await readPositions(session)).toEqual({ 'clerk/door': { '': 'green' } });
  });
});

describe('tools of all states', () => {
  it('can be tool objects and providers, which are asked before each model call (STM-11)', async () => {
    class Desk {
      static readonly tools = toolTable<Desk>({ ask: { description: 'Asks.' } });
      ask(): string {
        return 'asked';
      }
    }
    let stock: readonly AnyTool[] = [createWorkshop().tool('count')];
    const machine = defineStateMachine({
      ...base,
      initial: 'open',
      states: { open: [{ tool: go, to: 'shut' }], shut: [] },
      everywhere: [new Desk(), toolProvider({ toolsNow: () => stock })],
    });
    const addStock = (): void => {
      stock = [...stock, createWorkshop().tool('weigh')];
    };
    const session = startSession(
      [machine],
      [
        callTools('door'),
        callTools('go', 'ask', 'count'),
        () => {
          addStock();
          return callTools('ask', 'count');
        },
        callTools('weigh'),
        'Shut.',
        'Done.',
      ],
    );
    await session.send('Go.');
    expect(await listInnerAnswers(session)).toEqual([
      ...['go: go done', 'ask: asked', 'count: count done', 'ask: asked', 'count: count done'],
      'weigh: weigh done',
    ]);
    const inside = session.requests[3]?.tools.map(({ name, description }) => [name, description]);
    expect(inside).toEqual([
      ['ask', 'Asks.\n\n[Available in all states]'],
      ['count', 'Does count.\n\n[Available in all states]'],
      ['go', 'Does go.\n\n[Available in state: open] [Transitions to: shut]'],
      ['weigh', 'Does weigh.\n\n[Available in all states]'],
    ]);
  });
});

describe('startingIn', () => {
  it('returns a copy with another initial state, and leaves the machine unchanged (STM-02)', async () => {
    for (const [state, answer] of [
      [
        'draft',
        'ship: This tool is not available in the current state (draft). It is only available in state: confirmed',
      ],
      ['confirmed', 'ship: ship done'],
    ] as const) {
      const { machine } = createOrderMachine();
      const copy = state === 'draft' ? machine : startingIn(machine, state);
      if (state === 'draft') startingIn(machine, 'confirmed');
      const session = startSession([copy], [orderCalls('41'), callTools('ship'), 'So.', 'Done.']);
      await session.send('Go.');
      expect(await listInnerAnswers(session)).toEqual([answer]);
    }
  });

  it('does not change a stored position', async () => {
    const { machine } = createOrderMachine();
    const first = [orderCalls('41'), callTools('confirm', 'ship'), 'Shipped.', 'Done.'];
    const session = startSession(
      [startingIn(machine, 'draft')],
      [...first, orderCalls('41'), callTools('ship'), 'So.', 'Done.'],
    );
    await session.send('Go.');
    await session.send('Again.');
    expect(await readPositions(session)).toEqual({ 'clerk/orders': { 41: 'shipped' } });
  });

  it('can be applied to a machine that it returned, and keeps all options', async () => {
    const { machine } = createOrderMachine();
    const copy = startingIn(startingIn(machine, 'confirmed'), 'shipped');
    const session = startSession([copy], [orderCalls('41'), 'So.', 'Done.']);
    await session.send('Go.');
    expect(await readPositions(session)).toEqual({ 'clerk/orders': { 41: 'shipped' } });
    expect(copy.inner?.map(({ description }) => description)).toEqual(
      machine.inner?.map(({ description }) => description),
    );
  });

  it('throws for an unknown state, and for a decorated machine, because the decorators would be lost', () => {
    const { machine } = createOrderMachine();
    expect(() => startingIn(requireApproval(machine, 'May I?'), 'confirmed')).toThrow(
      new ToolDefinitionError(
        'orders',
        'initial',
        'it is not the result of defineStateMachine. Decorate the result of startingIn instead.',
      ),
    );
    expect(() => startingIn(machine, 'ajar' as 'draft')).toThrow(
      "Tool 'orders': its initial state 'ajar' is not one of its states. Use 'draft', 'confirmed', 'shipped'.",
    );
  });
});

describe('the result of a state machine', () => {
  const Parcel = defineDomainType({ name: 'Parcel', schema: v.object({ code: v.string() }) });
  const createParcel = (code: string) => () => artifact(`Parcel ${code}.`, Parcel, { code });
  const { tool: made } = createWorkshop();
  const machine = defineStateMachine({
    ...base,
    initial: 'packed',
    states: {
      packed: [{ tool: made('send', createParcel('a')), to: 'sent' }],
      sent: [{ tool: made('return', createParcel('b')), to: 'packed' }],
    },
  });

  it.each([
    [[], {}],
    [['send'], { artifacts: [{ type: 'Parcel', value: { code: 'a' } }] }],
    [['send', 'return'], { artifacts: [{ value: [{ code: 'a' }, { code: 'b' }] }] }],
  ])(
    'contains the artifacts of its tools, and the last message of its model: %j (STM-10, AGT-06)',
    async (used, answer) => {
      const replies = used.map((name) => callTools(name));
      const session = startSession([machine], [callTools('door'), ...replies, 'It is done.', 'Done.']);
      expect(await session.send('Go.')).toMatchObject({ text: 'Done.', ...answer });
      expect(getOuterResults(session)).toEqual(['It is done.']);
    },
  );
});
