/** The types that `defineModule` infers for a state and for its parts. */
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { createHoldfast } from '../../src/create-holdfast.ts';
import type { AnyTool, ModuleUse } from '../../src/index.ts';
import type { CallRun, LoopView } from '../../src/kinds/entry.ts';
import {
  defineModule,
  defineRoute,
  type FactPlace,
  type MemoryFact,
  type Module,
  type ModuleRequest,
  type PreparedLoop,
  type PublicRequest,
  type RememberingModule,
  type SessionMoment,
} from '../../src/module.ts';
import { createTestSession } from '../../src/testing/entry.ts';

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
    // @ts-expect-error there is no such fact
    visits.remember(loop, { by: 'one' });
  },
  call(call, next) {
    expectTypeOf(call).toEqualTypeOf<CallRun>();
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

// @ts-expect-error there is no such seam
visits.use({ prepair: async () => {} });
// @ts-expect-error only the Worker returns this, for rows without their module
visits.use({ due: async () => 'unknown' });
// @ts-expect-error the name is missing
defineModule({});

// The schema of the facts determines their type.
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
// @ts-expect-error there is no such fact
graded.fact({ grade: 'one' });

// The parameters of `apply` determine the types of the value and the fact.
type Uses = { readonly [key: string]: number };
declare const call: CallRun;
const uses = defineModule({
  name: 'uses',
  state: {
    initial: {},
    when: 'call',
    scope: 'session',
    apply(counts: Uses, { key }: { readonly key: string }, place) {
      expectTypeOf(place).toEqualTypeOf<FactPlace>();
      return { ...counts, [key]: 1 };
    },
  },
});
expectTypeOf(uses.recall(call)).toEqualTypeOf<Uses>();
expectTypeOf(uses.recall(call.view)).toEqualTypeOf<Uses>();
expectTypeOf(uses.fact({ key: 'a' })).toEqualTypeOf<MemoryFact>();
uses.remember(call, { key: 'a' }, { on: 'end' });
// @ts-expect-error there is no such fact
uses.remember(call, { kye: 'a' });
// @ts-expect-error there is no such end
uses.remember(call, { key: 'a' }, { on: 'failure' });

// A state can consist only of observations.
const seen = defineModule({
  name: 'seen',
  state: {
    initial: 0,
    observe(count: number, moment) {
      expectTypeOf(moment).toEqualTypeOf<SessionMoment>();
      return count + 1;
    },
  },
});
// @ts-expect-error such a state has no facts
seen.remember(call, 1);

const addNumbers = (sum: number, by: number): number => sum + by;
const applyNumber = (sum: number, by: number): string => `${sum}${by}`;
const observeMap = (known: Map<string, string>): Map<string, string> => known;
// @ts-expect-error the initial value must fit `apply`
defineModule({ name: 'uses', state: { initial: 'none', apply: addNumbers } });
// @ts-expect-error the next value must fit `apply` too
defineModule({ name: 'uses', state: { initial: 0, apply: applyNumber } });
// @ts-expect-error a value is JSON
defineModule({ name: 'uses', state: { initial: new Map(), apply: observeMap } });
// @ts-expect-error there is no such scope
defineModule({ name: 'uses', state: { initial: 0, scope: 'frame', apply: (count: number) => count } });

// An app and a test session accept uses of modules.
declare const agent: Parameters<typeof createHoldfast>[0]['agents'][number];
createHoldfast({ agents: [agent], use: [uses.use(), seen.use(), plain.use()] });
createTestSession(agent, { replies: [], use: [uses.use(), seen.use(), plain.use()] });

// The names in a path determine the handler's parameters. A public route's handler receives no caller.
const routes = [
  defineRoute({
    method: 'GET',
    path: '/uses/{agent}/{session}',
    handle(asked, named) {
      expectTypeOf(asked).toEqualTypeOf<ModuleRequest>();
      expectTypeOf(named.agent).toEqualTypeOf<string>();
      // @ts-expect-error: it is not in the path
      named.turn;
      return new Response();
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/card',
    isPublic: true,
    handle(asked) {
      expectTypeOf(asked).toEqualTypeOf<PublicRequest>();
      return new Response();
    },
  }),
];
plain.use({ routes });
// @ts-expect-error: there is no such method
plain.use({ routes: [{ method: 'PUT', path: '/uses', handle: () => new Response() }] });
