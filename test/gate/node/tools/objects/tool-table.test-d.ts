import { type } from 'arktype';
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import type { AnyTool, CallContext } from '../../../../../src/index.ts';
import { jsonSchema } from '../../../../../src/modules/json-schema/entry.ts';
import {
  type ToolTable,
  toolsOf,
  toolsOfAll,
  toolsOfSafely,
  toolTable,
} from '../../../../../src/modules/tool-objects/entry.ts';

const Pair = v.object({ a: v.number(), b: v.number() });

/** A table can use every kind of schema, and can be a static member of its class. */
class Calculator {
  static readonly tools = {
    add: { description: 'Adds.', input: Pair, effect: 'read', category: 'math' },
    subtract: { description: 'Subtracts.', input: z.object({ a: z.number(), b: z.number() }) },
    multiply: { description: 'Multiplies.', input: type({ a: 'number', b: 'number' }), reconcile: 'found' },
    record: {
      description: 'Records.',
      input: jsonSchema({ type: 'object' }),
      returnDirect: true,
      timeout: 5,
    },
    since: { description: 'Counts days.', input: v.object({ at: v.pipe(v.string(), v.toDate()) }) },
    round: { description: 'Rounds.' },
    now: { description: 'Tells the time.', name: 'clock', metadata: { tags: ['time'] } },
  } satisfies ToolTable<Calculator>;

  readonly #places = 2;

  add({ a, b }: { a: number; b: number }): number {
    return a + b + this.#places;
  }
  async subtract({ a, b }: { a: number; b: number }, { context }: CallContext) {
    return { difference: a - b, tenant: context.get('tenantId') };
  }
  multiply({ a, b }: { a: number; b: number }) {
    return a * b;
  }
  found(): 'not-done' | 'unknown' {
    return 'unknown';
  }
  record(values: Record<string, unknown>) {
    return Object.keys(values);
  }
  since({ at }: { at: Date }) {
    return Date.now() - at.getTime();
  }
  round(options: { places?: number }) {
    return options.places;
  }
  now() {
    return Calculator.name;
  }
  /** Not a tool, because the second parameter is not a call. */
  power(base: number, exponent: number) {
    return base ** exponent;
  }
  readonly precision: number = 2;
}

// The methods that a table can name.
expectTypeOf<keyof ToolTable<Calculator>>().toEqualTypeOf<
  'add' | 'subtract' | 'multiply' | 'found' | 'record' | 'since' | 'round' | 'now'
>();

const calculator = new Calculator();
expectTypeOf(toolsOf(calculator, { prefix: 'calc_' })).toEqualTypeOf<readonly AnyTool[]>();
expectTypeOf(toolsOfAll([calculator, Calculator])).toEqualTypeOf<readonly AnyTool[]>();
expectTypeOf(toolsOfSafely(null)).toEqualTypeOf<readonly AnyTool[]>();

export const unknownMethod = {
  // @ts-expect-error there is no method `ad`
  ad: { description: 'Adds.' },
} satisfies ToolTable<Calculator>;

export const notAMethod = {
  // @ts-expect-error a property is not a method
  precision: { description: 'Tells.' },
} satisfies ToolTable<Calculator>;

export const twoNumbers = {
  // @ts-expect-error a method receives an input and a call, not a second number
  power: { description: 'Raises.' },
} satisfies ToolTable<Calculator>;

export const otherInput = {
  // @ts-expect-error the method does not accept text for `a`
  add: { description: 'Adds.', input: v.object({ a: v.string(), b: v.number() }) },
} satisfies ToolTable<Calculator>;

export const rawInput = {
  // @ts-expect-error the method receives the output of the schema, which is not a date
  since: { description: 'Counts days.', input: v.object({ at: v.string() }) },
} satisfies ToolTable<Calculator>;

export const noInput = {
  // @ts-expect-error the method needs numbers
  add: { description: 'Adds.' },
} satisfies ToolTable<Calculator>;

export const untypedInput = {
  // @ts-expect-error JSON Schema does not say that `a` is a number
  add: { description: 'Adds.', input: jsonSchema({ type: 'object', properties: { a: { type: 'number' } } }) },
} satisfies ToolTable<Calculator>;

export const noReconciler = {
  // @ts-expect-error `add` cannot reconcile
  multiply: { description: 'Multiplies.', input: Pair, reconcile: 'add' },
} satisfies ToolTable<Calculator>;

export const noDescription = {
  // @ts-expect-error a tool needs a description
  now: { effect: 'read' },
} satisfies ToolTable<Calculator>;

// @ts-expect-error a prefix is text
toolsOf(calculator, { prefix: 7 });

// `toolTable` accepts the same entries.
toolTable<Calculator>({
  add: { description: 'Adds.', input: Pair },
  // @ts-expect-error there is no method `ad`
  ad: { description: 'Adds.' },
});
// @ts-expect-error a tool needs a description
toolTable<Calculator>({ add: { input: Pair } });
