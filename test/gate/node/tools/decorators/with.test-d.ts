import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { type AnyTool, defineTool, type Tool } from '../../../../../src/index.ts';
import {
  withCoercion,
  withDescription,
  withMetadata,
  withName,
  withParameter,
  withUsageNote,
} from '../../../../../src/modules/decorators/entry.ts';
import {
  integerParameter,
  jsonSchema,
  stringParameter,
} from '../../../../../src/modules/json-schema/entry.ts';

const order = defineTool({
  name: 'order',
  description: 'Orders.',
  input: v.object({ id: v.string() }),
  run: ({ id }) => ({ id }),
});
type Input = { id: string };
type OrderTool = Tool<'order', Input, { id: string }>;

// A copy keeps the literal name, the input and the output of its tool.
expectTypeOf(order).toEqualTypeOf<OrderTool>();
expectTypeOf(withName(order, 'shop_order')).toEqualTypeOf<Tool<'shop_order', Input, { id: string }>>();
expectTypeOf(withDescription(order, 'x')).toEqualTypeOf<OrderTool>();
expectTypeOf(withUsageNote(order, 'x')).toEqualTypeOf<OrderTool>();
expectTypeOf(withMetadata(order, 'cost', 3)).toEqualTypeOf<OrderTool>();
expectTypeOf(withMetadata(order, { cost: 3 })).toEqualTypeOf<OrderTool>();
expectTypeOf(withCoercion(order)).toEqualTypeOf<OrderTool>();

// The types of an added parameter.
expectTypeOf(withParameter(order, 'reason', stringParameter('Why'))).toEqualTypeOf<
  Tool<'order', Input & { readonly reason: string }, { id: string }>
>();
expectTypeOf(withParameter(order, 'days', integerParameter('x', { required: false }))).toEqualTypeOf<
  Tool<'order', Input & { readonly days: number | undefined }, { id: string }>
>();
expectTypeOf(withParameter(order, 'at', v.pipe(v.string(), v.toDate()))).toEqualTypeOf<
  Tool<'order', Input & { readonly at: Date }, { id: string }>
>();
expectTypeOf(withParameter(order, 'any', jsonSchema({ type: 'number' }))).toEqualTypeOf<
  Tool<'order', Input & { readonly any: number }, { id: string }>
>();

// Tools with erased types.
export const decorateUntyped = (tool: AnyTool): readonly AnyTool[] => [
  withName(tool, `a_${tool.name}`),
  withDescription(tool, 'x'),
  withUsageNote(tool, 'x'),
  withMetadata(tool, 'cost', 3),
  withParameter(tool, 'reason', v.string()),
  withCoercion(tool),
];
expectTypeOf(withName(Object(order) as AnyTool, 'other')).toEqualTypeOf<Tool<'other', unknown, unknown>>();

// @ts-expect-error a date is not JSON
withMetadata(order, 'since', new Date(0));

// @ts-expect-error a key needs a value
withMetadata(order, 'since');

// @ts-expect-error a text is not a parameter
withParameter(order, 'reason', 'text');
