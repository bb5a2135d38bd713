/** The compiler's view of methods that are tools, and of tools in plain objects. */

import { type } from 'arktype';
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import {
  type AnyTool,
  type CallContext,
  defineAgent,
  defineDomainType,
  type Tool,
} from '../../../../../src/index.ts';
import { jsonSchema } from '../../../../../src/modules/json-schema/entry.ts';
import { toolMethod, toolsOf } from '../../../../../src/modules/tool-objects/entry.ts';

const Pair = v.object({ a: v.number(), b: v.number() });
const Fact = defineDomainType({ name: 'Fact', schema: v.object({ id: v.string() }) });

// A method receives the schema's output and the call. The class itself can also call the method.
class Calculator {
  readonly #places = 2;
  readonly add = toolMethod({ description: 'Adds.', input: Pair, effect: 'read' }, ({ a, b }, call) => {
    expectTypeOf(a).toBeNumber();
    expectTypeOf(call).toEqualTypeOf<CallContext>();
    return a + b + this.#places;
  });
  readonly since = toolMethod(
    { description: 'Counts days.', input: v.object({ at: v.pipe(v.string(), v.toDate()) }) },
    async ({ at }) => ({ days: at.getTime() / 86_400_000 }),
  );
  readonly zod = toolMethod({ description: 'z', input: z.object({ q: z.string() }) }, ({ q }) => q);
  readonly ark = toolMethod({ description: 'a', input: type({ n: 'number' }) }, ({ n }) => n);
  readonly plain = toolMethod(
    {
      description: 'JSON Schema.',
      input: jsonSchema({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }),
      name: 'json',
      category: 'other',
      reconcile: ({ n }, { startedAt }) => ({ done: n + startedAt }),
    },
    ({ n }) => n,
  );
  readonly none = toolMethod({ description: 'Takes nothing.' }, (input) => {
    expectTypeOf(input).toEqualTypeOf<Record<string, never>>();
  });
  readonly with = toolMethod({ description: 'Has this.', input: Pair }, function (this: Calculator, { a }) {
    return a + this.#places;
  });
  readonly fact = toolMethod({ description: 'Finds.', output: Fact }, () => ({ id: '7' }));
  static readonly now = toolMethod({ description: 'Tells the time.' }, () => 'noon');
  twice(a: number) {
    return this.fact().id + this.none({}) + a;
  }
}
const calculator = new Calculator();
expectTypeOf(calculator.add).parameter(0).toEqualTypeOf<{ a: number; b: number }>();
expectTypeOf(calculator.add).returns.toBeNumber();
expectTypeOf(calculator.since).returns.toEqualTypeOf<Promise<{ days: number }>>();
expectTypeOf(calculator.fact()).toEqualTypeOf<{ id: string }>();
expectTypeOf(Calculator.now()).toBeString();
expectTypeOf(toolsOf(calculator)).toEqualTypeOf<readonly AnyTool[]>();
expectTypeOf(toolsOf(Calculator, { prefix: 'x_' })).toEqualTypeOf<readonly AnyTool[]>();

export class Wrong {
  // @ts-expect-error: the schema has no such key
  key = toolMethod({ description: 'x', input: Pair }, ({ c }) => c);
  // @ts-expect-error: it does not accept text
  input = toolMethod({ description: 'x', input: Pair }, ({ a }: { a: string }) => a);
  // @ts-expect-error: a tool needs a description
  words = toolMethod({ input: Pair }, () => 'x');
  // @ts-expect-error: there is no such key in the literal
  slip = toolMethod({ description: 'x', efect: 'read' }, () => 'x');
  // @ts-expect-error: only a `once` tool can reconcile
  read = toolMethod({ description: 'x', effect: 'read', reconcile: () => 'not-done' }, () => 'x');
  // @ts-expect-error: $.at is a bigint, which JSON cannot express
  big = toolMethod({ description: 'x' }, () => ({ at: 1n }));
  // @ts-expect-error: the result is not a Fact
  fact = toolMethod({ description: 'x', output: Fact }, () => ({ id: 7 }));
}

// An agent's list accepts instances and static tools, but not a class itself.
const named = { name: 'clerk', description: 'Helps.', instructions: 'Help.' };
defineAgent({ ...named, tools: [calculator, ...toolsOf(Calculator)] });
// @ts-expect-error: a class is not an instance
defineAgent({ ...named, tools: [Calculator] });

// Each entry of a plain object is a tool named by its key, with the input of its schema.
const tools = toolsOf({
  add: {
    description: 'Adds.',
    input: Pair,
    effect: 'read',
    run: ({ a, b }, call) => {
      expectTypeOf(call).toEqualTypeOf<CallContext>();
      return a + b;
    },
  },
  ask: {
    description: 'Asks.',
    input: z.object({ q: z.string() }),
    reconcile: ({ q }, { startedAt }) => ({ done: `${q} ${startedAt}` }),
    async run({ q }) {
      return { q };
    },
  },
  json: {
    description: 'JSON Schema.',
    category: 'other',
    input: jsonSchema({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }),
    run: ({ n }) => n,
  },
  none: { description: 'Takes nothing.', run: () => 'hi' },
});
expectTypeOf(tools).toEqualTypeOf<
  readonly (
    | Tool<'add', { a: number; b: number }, number>
    | Tool<'ask', { q: string }, { q: string }>
    | Tool<'json', { n: number }, number>
    | Tool<'none', Record<string, never>, string>
  )[]
>();
const renamed = toolsOf({ one: { description: 'x', input: Pair, run: ({ a }) => a } }, { prefix: 'x_' });
expectTypeOf(renamed).toEqualTypeOf<readonly AnyTool[]>();

expectTypeOf(toolsOf({})).toEqualTypeOf<readonly AnyTool[]>();
expectTypeOf(toolsOf({ tools: { one: { description: 'x' } }, one: () => 'x' })).toEqualTypeOf<
  readonly AnyTool[]
>();
expectTypeOf(toolsOf({ one: toolMethod({ description: 'x' }, () => 'x') })).toEqualTypeOf<
  readonly AnyTool[]
>();

// A member with its own `run`, such as a binding, does not turn an object into an object of tools.
declare const shop: { readonly ai: { run(model: string): void }; readonly never: never; look(): void };
expectTypeOf(toolsOf(shop)).toEqualTypeOf<readonly AnyTool[]>();

// @ts-expect-error: the schema has no such key
toolsOf({ one: { description: 'x', input: Pair, run: ({ c }) => c } });
// @ts-expect-error: an entry needs a description
toolsOf({ one: { run: () => 'x' } });
// @ts-expect-error: there is no such key
toolsOf({ one: { description: 'x', efect: 'read', run: () => 'x' } });
// @ts-expect-error: the key is the name
toolsOf({ one: { name: 'one', description: 'x', run: () => 'x' } });
// @ts-expect-error: there is no such effect
toolsOf({ one: { description: 'x', effect: 'reed', run: () => 'x' } });
// @ts-expect-error: a number is not a schema
toolsOf({ one: { description: 'x', input: 7, run: () => 'x' } });
// @ts-expect-error: every member must be an entry
toolsOf({ one: { description: 'x', run: () => 'x' }, two: { description: 'x' } });
// @ts-expect-error: $.at is a bigint, which JSON cannot express
toolsOf({ one: { description: 'x', run: () => ({ at: 1n }) } });
// @ts-expect-error: the result is not a Fact
toolsOf({ one: { description: 'x', output: Fact, run: () => ({ id: 7 }) } });
