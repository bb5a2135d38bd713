import { expectTypeOf } from 'vitest';
import { createHoldfast } from '../../src/create-holdfast.ts';
import {
  defineToolKind,
  type FactPlace,
  type InjectionStrategy,
  type KindMemory,
  type LiveCall,
  type MemoryFact,
  type RememberingKind,
  type SessionMoment,
  type ToolKind,
} from '../../src/kinds/entry.ts';
import { createTestSession } from '../../src/testing/entry.ts';

type Uses = { readonly [key: string]: number };
type Use = { readonly key: string };
declare const call: LiveCall;
declare const strategy: InjectionStrategy;

// The value and the fact are those that `apply` is written for.
const uses = defineToolKind({
  name: 'uses',
  memory: {
    initial: {},
    when: 'call',
    scope: 'session',
    apply(counts: Uses, { key }: Use, place) {
      expectTypeOf(place).toEqualTypeOf<FactPlace>();
      expectTypeOf(place.at).toEqualTypeOf<number>();
      return { ...counts, [key]: 1 };
    },
  },
  strategy(memory) {
    expectTypeOf(memory).toEqualTypeOf<KindMemory<Uses, Use>>();
    return strategy;
  },
});
expectTypeOf(uses).toEqualTypeOf<RememberingKind<Uses, Use>>();
expectTypeOf(uses.recall(call)).toEqualTypeOf<Uses>();
expectTypeOf(uses.recall(call.view)).toEqualTypeOf<Uses>();
expectTypeOf(uses.fact({ key: 'a' })).toEqualTypeOf<MemoryFact>();
uses.remember(call, { key: 'a' }, { on: 'end' });
// @ts-expect-error no such fact
uses.remember(call, { kye: 'a' });
// @ts-expect-error a fact is for a success or for any end
uses.remember(call, { key: 'a' }, { on: 'failure' });

// A kind may only observe, or only offer.
const seen = defineToolKind({
  name: 'seen',
  memory: {
    initial: 0,
    observe(count: number, moment) {
      expectTypeOf(moment).toEqualTypeOf<SessionMoment>();
      return count + 1;
    },
  },
});
// @ts-expect-error it has no facts
seen.remember(call, 1);
const plain = defineToolKind({ name: 'plain', strategy });
expectTypeOf(plain).toEqualTypeOf<ToolKind>();

const count = (sum: number, by: number): number => sum + by;
const told = (sum: number, by: number): string => `${sum}${by}`;
const all = (known: Map<string, string>): Map<string, string> => known;
// @ts-expect-error the initial value is one that `apply` knows
defineToolKind({ name: 'uses', memory: { initial: 'none', apply: count } });
// @ts-expect-error so is the next one
defineToolKind({ name: 'uses', memory: { initial: 0, apply: told } });
// @ts-expect-error a value is JSON
defineToolKind({ name: 'uses', memory: { initial: new Map(), apply: all } });
// @ts-expect-error a path, a turn or the session
defineToolKind({ name: 'uses', memory: { initial: 0, scope: 'frame', apply: (count: number) => count } });

// They are given to an app, and to a test.
declare const agent: Parameters<typeof createHoldfast>[0]['agents'][number];
createHoldfast({ agents: [agent], use: [uses, seen, plain] });
createTestSession(agent, { replies: [], use: [uses, seen, plain] });
