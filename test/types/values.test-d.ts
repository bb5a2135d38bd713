import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import {
  type AsJson,
  defineAgent,
  defineTool,
  type Json,
  type Tool,
  type ToolArtifact,
  type ToolArtifactItem,
} from '../../src/index.ts';
import { defineUnfolding } from '../../src/kinds/entry.ts';
import { replanWhen, type Sink, sinkArtifacts } from '../../src/modules/decorators/entry.ts';

interface Order {
  readonly id: string;
  readonly at: Date;
  readonly site?: URL;
  readonly lines: readonly { readonly due: Date | null; readonly count: number }[];
}

interface OrderAsJson {
  readonly id: string;
  readonly at: string;
  readonly site?: string;
  readonly lines: readonly { readonly due: string | null; readonly count: number }[];
}

declare const order: Order;
const base = { description: 'Does something.' };

// A tool can return values with `toJSON`. Its artifact has the type of their results.
const find = defineTool({ ...base, name: 'find', run: () => order });
expectTypeOf(find).toEqualTypeOf<Tool<'find', Record<string, never>, Order>>();
expectTypeOf<ToolArtifact<typeof find, undefined>>().toEqualTypeOf<OrderAsJson>();
sinkArtifacts(find, (found) => expectTypeOf(found).toEqualTypeOf<OrderAsJson>());
replanWhen(find, ({ at, lines }) => at > '2026' || lines.some(({ due }) => due === null));

const list = defineTool({ ...base, name: 'list', run: async () => [order] });
expectTypeOf<ToolArtifactItem<typeof list, undefined>>().toEqualTypeOf<OrderAsJson>();

// A date alone gives its artifact no special type, and JSON types stay unchanged.
const now = defineTool({ ...base, name: 'now', run: () => new Date() });
expectTypeOf<ToolArtifact<typeof now, undefined>>().toEqualTypeOf<Json>();
expectTypeOf<AsJson<{ a: 1; b?: 'c' }>>().toEqualTypeOf<{ a: 1; b?: 'c' }>();
expectTypeOf<AsJson<{ toJSON(): { from: Date; to?: URL } } | null>>().toEqualTypeOf<{
  from: string;
  to?: string;
} | null>();
expectTypeOf<AsJson<unknown>>().toEqualTypeOf<unknown>();

// @ts-expect-error the sink receives the date as text
sinkArtifacts(find, (({ at }) => at.getTime()) satisfies Sink<Order>);

// State and blackboard accept such values too, and return JSON.
defineTool({
  ...base,
  name: 'keep',
  run: (_, { state, blackboard }) => {
    state.set('at', { at: new Date(), all: [new URL('https://example.com')] });
    blackboard.add(new Date());
    expectTypeOf(state.get('at')).toEqualTypeOf<Json | undefined>();

    state.set('stock', new Map([['a', new Set([1])]]));

    // @ts-expect-error a function is not JSON
    blackboard.add({ at: () => new Date() });
  },
});
defineAgent({ name: 'clerk', description: '', instructions: '', tools: [], context: { since: new Date() } });

// A selector receives its input as the journal returns it, with dates as text.
defineUnfolding({
  ...base,
  name: 'day',
  input: v.object({ at: v.pipe(v.string(), v.toDate()), top: v.optional(v.number(), 3) }),
  select: (input) => {
    expectTypeOf(input).toEqualTypeOf<{ at: string; top: number }>();
    return [];
  },
});
