import * as v from 'valibot';
import { type AnyTool, defineAgent, defineTool, eachTool, toolProvider } from '../../index.ts';
import { after, definePlaybook, defineStateMachine, defineUnfolding } from '../../kinds/entry.ts';
import { decorate } from '../../modules/decorators/entry.ts';
import { defineToolGroup } from '../../modules/tool-groups/entry.ts';
import { cart } from './cart.ts';

const search = defineTool({
  name: 'search',
  description: 'Searches.',
  effect: 'read',
  run: () => ['pen', 'ink'],
});
const ship = defineTool({ name: 'ship', description: 'Ships.', run: () => 'shipped' });
const sale = defineTool({
  name: 'sale',
  description: 'What is cheap today.',
  effect: 'read',
  run: () => 'ink',
});

/** Tools with usage notes. */
export const catalog = defineToolGroup({
  role: 'catalog',
  description: 'What there is.',
  tools: [search],
  childToolUsageNotes: 'Search before you promise anything.',
});

/** Offers different tools over time. Called before each model call. */
export const offers = toolProvider({
  toolsNow: (view) => (view?.context.get('sale') === true ? [sale] : []),
});

/** An unfolding tool accepts the same sources as an agent. It is not offered while all of them are empty. */
export const shop = defineUnfolding({
  name: 'shop',
  description: 'Looks for things and puts them into a cart. Call this first.',
  tools: [catalog, cart, offers],
});
export const bargains = defineUnfolding({ name: 'bargains', description: 'What is cheap.', tools: [offers] });

/** An entry with `to` moves to that state after any of its tools succeeds. */
export const order = defineStateMachine({
  name: 'order',
  description: 'Takes one order.',
  input: v.object({ order: v.string() }),
  key: (input) => input.order,
  initial: 'open',
  states: {
    open: [catalog, { tool: cart, to: 'filled' }],
    filled: [{ tool: ship, to: 'done' }],
    done: [],
  },
});

/** A lock on a source applies to all of its tools. */
export const checkout = definePlaybook({
  name: 'checkout',
  description: 'Checks out.',
  input: v.object({ order: v.string() }),
  tools: [catalog],
  locked: [
    { tool: cart, unlockedBy: after(search) },
    { tool: ship, unlockedBy: after('put') },
  ],
});

export const calledTools: string[] = [];

const countCalls = (tool: AnyTool): AnyTool =>
  decorate(tool, {
    call(input, call) {
      calledTools.push(tool.name);
      return tool.call(input, call);
    },
  });

/** Decorates every tool, including later tools and those inside an unfolding tool. */
export const clerk = defineAgent({
  name: 'clerk',
  description: 'Sells.',
  instructions: 'Help.',
  tools: eachTool([shop, bargains], countCalls),
});
