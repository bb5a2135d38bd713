import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { type AnyTool, defineAgent, defineTool, type ToolInput, toolProvider } from '../../src/index.ts';
import { defineStateMachine, type StateMachine, startingIn } from '../../src/kinds/entry.ts';
import { requireApproval } from '../../src/modules/decorators/entry.ts';
import { toMermaid } from '../../src/modules/inspect/entry.ts';
import { defineToolGroup } from '../../src/modules/tool-groups/entry.ts';
import { type ToolTable, toolFactory } from '../../src/modules/tool-objects/entry.ts';

const createTool = <const Name extends string>(name: Name) =>
  defineTool({ name, description: 'Does.', run: () => 'done' });
const [addItem, confirm, ship, status] = [
  createTool('add_item'),
  createTool('confirm'),
  createTool('ship'),
  createTool('status'),
];
const base = { name: 'orders', description: 'Processes one order.' } as const;
const OrderInput = v.object({ orderId: v.pipe(v.string(), v.toNumber()), again: v.optional(v.boolean()) });

// The states are the keys of `states`, as literals. `key`, `reset` and `instructions` receive the schema's
// output.
const orders = defineStateMachine({
  ...base,
  input: OrderInput,
  initial: 'draft',
  states: {
    draft: [addItem, { tool: confirm, to: 'confirmed' }],
    confirmed: [{ tool: ship, to: 'shipped' }, { tool: confirm }],
    shipped: [],
  },
  everywhere: [status, toolProvider({ toolsNow: () => [] })],
  key: (input) => {
    expectTypeOf(input).toEqualTypeOf<{ orderId: number; again?: boolean | undefined }>();
    return String(input.orderId);
  },
  reset: ({ again }) => again ?? false,
  renamed: { new: 'draft', sent: 'shipped' },
  instructions: (view, { orderId }, state) => {
    expectTypeOf(state).toEqualTypeOf<'draft' | 'confirmed' | 'shipped'>();
    expectTypeOf(view.path).toEqualTypeOf<string>();
    return `Order ${orderId} is ${state}.`;
  },
});
type States = 'draft' | 'confirmed' | 'shipped';
expectTypeOf(orders).toEqualTypeOf<
  StateMachine<'orders', { orderId: number; again?: boolean | undefined }, States>
>();
expectTypeOf(orders.name).toEqualTypeOf<'orders'>();
expectTypeOf<ToolInput<typeof orders>>().toEqualTypeOf<{ orderId: number; again?: boolean | undefined }>();

// A state machine is a tool like any other.
export const tools: readonly AnyTool[] = [
  orders,
  requireApproval(orders, ({ orderId }) => `Order ${orderId}?`),
];
defineAgent({ name: 'shop', description: 'Sells.', instructions: 'Sell.', tools: [orders] });
expectTypeOf(toMermaid(orders)).toEqualTypeOf<string>();

// A copy has the same types.
expectTypeOf(startingIn(orders, 'confirmed')).toEqualTypeOf<typeof orders>();

// Optional properties accept undefined, and the input can be omitted.
const plain = defineStateMachine({
  ...base,
  input: undefined,
  initial: 'idle',
  states: { idle: [{ tool: ship, to: undefined }] },
  everywhere: undefined,
  key: undefined,
  reset: undefined,
  renamed: undefined,
  hideUnavailable: undefined,
  instructions: undefined,
  use: undefined,
  limits: undefined,
  model: undefined,
});
expectTypeOf(plain).toEqualTypeOf<StateMachine<'orders', Record<string, never>, 'idle'>>();

defineStateMachine({
  ...base,
  initial: 'draft',
  // @ts-expect-error it leads to a state that is not declared
  states: { draft: [{ tool: confirm, to: 'confirmd' }], confirmed: [] },
});

// @ts-expect-error it starts in a state that is not declared
defineStateMachine({ ...base, initial: 'drafted', states: { draft: [addItem] } });

// @ts-expect-error it has no initial state (STM-03)
defineStateMachine({ ...base, states: { draft: [addItem] } });

// @ts-expect-error a state is renamed to one that is not declared
defineStateMachine({ ...base, initial: 'draft', states: { draft: [addItem] }, renamed: { new: 'drafted' } });

// @ts-expect-error no copy starts in a state that is not declared
startingIn(orders, 'delivered');

// @ts-expect-error only a state machine has states to start in
startingIn(addItem, 'draft');

// @ts-expect-error an entry is a tool, or has one
defineStateMachine({ ...base, initial: 'draft', states: { draft: [{ to: 'draft' }] } });

// A state can contain everything that an agent can list, alone or with a transition.
class Cart {
  static readonly tools = { put: { description: 'Puts.' } } satisfies ToolTable<Cart>;
  put() {
    return 'put';
  }
}
const group = defineToolGroup({ role: 'shop', description: 'Shop.', tools: [ship] });
defineStateMachine({
  ...base,
  initial: 'draft',
  states: {
    draft: [
      new Cart(),
      group,
      toolProvider({ toolsNow: () => [] }),
      { tool: toolFactory(() => new Cart()), to: 'paid' },
    ],
    paid: [
      { tool: new Cart(), to: 'draft' },
      { tool: group, to: 'draft' },
      { tool: toolProvider({ toolsNow: () => [] }), to: 'draft' },
    ],
  },
});

defineStateMachine({
  ...base,
  initial: 'draft',
  // @ts-expect-error an object leads to a state that is not declared
  states: { draft: [{ tool: new Cart(), to: 'payed' }] },
});
