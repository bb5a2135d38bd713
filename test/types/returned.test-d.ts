import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import {
  artifact,
  defineDomainType,
  defineTextTool,
  defineTool,
  error,
  type Tool,
  text,
} from '../../src/index.ts';

const base = { name: 'look', description: 'Looks.' } as const;

class Money {
  readonly #cents = 1;
  readonly currency = 'EUR';
  toJSON() {
    return this.#cents;
  }
}

// Values that a tool can return: JSON, values that are converted to JSON, and results.
defineTool({
  ...base,
  run: () => ({ at: new Date(), price: new Money(), site: new URL('https://example.com') }),
});
defineTool({ ...base, run: () => new Map([['a', new Set([1])]]) });
defineTool({ ...base, run: () => ({ image: new Uint8Array(1), levels: new Float32Array(1) }) });
defineTool({ ...base, run: async () => [{ id: 'a', tags: ['b'] as const }] });
defineTool({ ...base, run: () => (Math.random() > 2 ? text('a') : error('b', { cause: new Error('c') })) });
defineTool({ ...base, run: () => new Error('meant to be thrown') });
defineTool({ ...base, run: () => {} });

// Untyped values are accepted.
// biome-ignore lint/suspicious/noExplicitAny: values without a type are what this is about
declare const untypedValue: any;
declare const unknown: unknown;
defineTool({ ...base, run: () => untypedValue });
defineTool({ ...base, run: () => unknown });
defineTool({ ...base, run: () => ({ rows: unknown, more: [untypedValue] }) });

// The input, the call and the output are still inferred.
const findTool = defineTool({
  ...base,
  input: v.object({ id: v.string() }),
  effect: 'read',
  run: ({ id }, call) => ({ id, key: call.idempotencyKey }),
});
expectTypeOf(findTool).toEqualTypeOf<Tool<'look', { id: string }, { id: string; key: string }>>();

// @ts-expect-error $.at is a function, which JSON does not keep
defineTool({ ...base, run: () => ({ at: () => 1 }) });

// @ts-expect-error $.rows[].id is a bigint, which JSON does not keep
defineTool({ ...base, run: () => ({ rows: [{ id: 1n }] }) });

// @ts-expect-error $ is a symbol, which JSON does not keep
defineTool({ ...base, run: () => Symbol('a') });

// @ts-expect-error $.user is a promise: an await is missing
defineTool({ ...base, run: async () => ({ user: Promise.resolve('Ada') }) });

const Customer = defineDomainType({
  name: 'Customer',
  schema: v.object({
    id: v.string(),
    since: v.pipe(v.string(), v.toDate()),
    tags: v.optional(v.array(v.string())),
  }),
});
const typedConfig = { ...base, output: Customer } as const;

defineTool({ ...typedConfig, run: () => ({ id: 'a', since: '2026-01-01' }) });
defineTool({ ...typedConfig, run: () => ({ id: 'a', since: new Date(), tags: ['b'] as readonly string[] }) });
defineTool({ ...typedConfig, run: async () => [{ id: 'a', since: new Date() }] });
defineTool({ ...typedConfig, run: () => (Math.random() > 2 ? null : { id: 'a', since: 'b' }) });
defineTool({ ...typedConfig, run: () => artifact('Ada', Customer, unknown) });
defineTool({ ...typedConfig, run: () => unknown });
// @ts-expect-error a bare name is not a schema
defineTool({ ...base, output: { name: 'Customer' }, run: () => ({ anything: 1 }) });

// @ts-expect-error its id is a text
defineTool({ ...typedConfig, run: () => ({ id: 7, since: '2026-01-01' }) });

// @ts-expect-error its id is missing
defineTool({ ...typedConfig, run: async () => ({ since: '2026-01-01' }) });

// @ts-expect-error $.at is a function, which JSON does not keep
defineTextTool({ ...base, run: () => ({ at: () => 1 }) });
expectTypeOf(defineTextTool({ ...base, run: (words) => words.length })).toEqualTypeOf<
  Tool<'look', string, number>
>();

// A schema can be an output, like a domain type. `run` then returns the schema's input.
const Total = v.object({ cents: v.pipe(v.number(), v.transform(String)) });
expectTypeOf(defineTool({ ...base, output: Total, run: () => ({ cents: 7 }) })).toEqualTypeOf<
  Tool<'look', Record<string, never>, { cents: number }>
>();
defineTool({ ...base, output: Total, run: async () => [{ cents: 7 }] });
// @ts-expect-error its cents are a number
defineTool({ ...base, output: Total, run: () => ({ cents: '7' }) });

// An instance of a class is accepted if it fits a declared domain type.
class Shop {
  readonly id = 's1';
  opens() {
    return 'nine';
  }
}
const ShopType = defineDomainType({ name: 'Shop', schema: v.object({ id: v.string() }) });
defineTool({ ...base, output: ShopType, run: () => new Shop() });
defineTool({ ...base, output: ShopType, run: async () => [new Shop()] });

// @ts-expect-error without a domain type, $.opens is a function, which JSON does not keep
defineTool({ ...base, run: () => new Shop() });
