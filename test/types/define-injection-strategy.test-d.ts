import { expectTypeOf } from 'vitest';
import { type AnyTool, defineAgent, defineTool, type ModuleUse } from '../../src/index.ts';
import { defineInjectionStrategy } from '../../src/kinds/entry.ts';

const read = defineTool({ name: 'read', description: 'Reads.', run: () => 'read' });

// `evaluate` receives the last call, and returns a change or tools to add.
const strategy = defineInjectionStrategy({
  name: 'mine',
  evaluate: ({ lastCall, tools, iteration }) => {
    expectTypeOf(lastCall.result).toEqualTypeOf<string>();
    expectTypeOf(tools).toEqualTypeOf<readonly AnyTool[]>();
    expectTypeOf(iteration).toEqualTypeOf<number>();
    return { add: [read] };
  },
});
expectTypeOf(strategy).toEqualTypeOf<ModuleUse>();
defineAgent({ name: 'a', description: 'A.', instructions: 'A.', use: [strategy] });
// `offer` can decide from the view of the loop.
defineInjectionStrategy({
  name: 'owned',
  offer: (tools, view) => (view.principal.id === 'ann' ? tools : []),
});
// @ts-expect-error `offer` returns a list of tools
defineInjectionStrategy({ name: 'changes', offer: () => ({ add: [read] }) });
// @ts-expect-error a strategy is a module, not an option
defineAgent({ name: 'b', description: 'B.', instructions: 'B.', strategies: [strategy] });
defineInjectionStrategy({ name: 'mine', evaluate: () => [read] });
// @ts-expect-error it cannot be asynchronous
defineInjectionStrategy({ name: 'mine', evaluate: async () => [read] });
// @ts-expect-error a name is not a tool
defineInjectionStrategy({ name: 'mine', evaluate: () => ({ add: ['read'] }) });
