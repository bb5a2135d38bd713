import { expectTypeOf } from 'vitest';
import { type AnyTool, defineTool } from '../../src/index.ts';
import { defineInjectionStrategy, type InjectionStrategy } from '../../src/kinds/entry.ts';

const read = defineTool({ name: 'read', description: 'Reads.', run: () => 'read' });

// It is told of the last call, and answers a change or tools to add.
const strategy = defineInjectionStrategy({
  name: 'mine',
  evaluate: ({ lastCall, tools, iteration }) => {
    expectTypeOf(lastCall.result).toEqualTypeOf<string>();
    expectTypeOf(tools).toEqualTypeOf<readonly AnyTool[]>();
    expectTypeOf(iteration).toEqualTypeOf<number>();
    return { add: [read] };
  },
});
expectTypeOf(strategy).toEqualTypeOf<InjectionStrategy>();
defineInjectionStrategy({ name: 'mine', evaluate: () => [read] });
// @ts-expect-error it must answer at once
defineInjectionStrategy({ name: 'mine', evaluate: async () => [read] });
// @ts-expect-error no tool
defineInjectionStrategy({ name: 'mine', evaluate: () => ({ add: ['read'] }) });
