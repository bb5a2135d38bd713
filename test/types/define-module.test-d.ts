/** What `defineModule` infers of a state, and what its parts are given. */
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import type { AnyTool } from '../../src/index.ts';
import type { LiveCall, LoopView } from '../../src/kinds/entry.ts';
import {
  defineModule,
  type Module,
  type ModuleUse,
  type PreparedLoop,
  type RememberingModule,
} from '../../src/module.ts';

const plain = defineModule({ name: 'plain', nested: true });
expectTypeOf(plain).toEqualTypeOf<Module>();

const visits = defineModule({
  name: 'visits',
  state: { initial: 0, apply: (count: number, { by }: { readonly by: number }) => count + by },
});
expectTypeOf(visits).toEqualTypeOf<RememberingModule<number, { readonly by: number }>>();

const use = visits.use({
  key: 'a',
  async prepare(loop) {
    expectTypeOf(loop).toEqualTypeOf<PreparedLoop>();
    expectTypeOf(visits.recall(loop.view)).toEqualTypeOf<number>();
    visits.remember(loop, { by: 1 });
    // @ts-expect-error no such fact
    visits.remember(loop, { by: 'one' });
  },
  call(call, next) {
    expectTypeOf(call).toEqualTypeOf<LiveCall>();
    return next();
  },
  offer(tools, view) {
    expectTypeOf(tools).toEqualTypeOf<readonly AnyTool[]>();
    expectTypeOf(view).toEqualTypeOf<LoopView>();
    return tools;
  },
  ended: ({ agent, session, stop }) => ({ agenda: [{ ref: `${agent} ${session} ${stop}` }] }),
  due: async ({ ref }) => (ref === '' ? 'forget' : 'done'),
});
expectTypeOf(use).toEqualTypeOf<ModuleUse>();

// @ts-expect-error no seam of this name
visits.use({ prepair: async () => {} });
// @ts-expect-error the Worker says this of rows without their module
visits.use({ due: async () => 'unknown' });
const count = (sum: number, by: number): number => sum + by;
// @ts-expect-error the initial value is one that `apply` knows
defineModule({ name: 'visits', state: { initial: 'none', apply: count } });
// @ts-expect-error a name
defineModule({});

// The schema of the facts says their type.
const graded = defineModule({
  name: 'graded',
  state: {
    initial: 0,
    schema: v.object({ grade: v.number() }),
    unread: 'refuse',
    apply: (sum: number, fact) => {
      expectTypeOf(fact).toEqualTypeOf<{ grade: number }>();
      return sum + fact.grade;
    },
  },
});
expectTypeOf(graded).toEqualTypeOf<RememberingModule<number, { grade: number }>>();
// @ts-expect-error no such fact
graded.fact({ grade: 'one' });
