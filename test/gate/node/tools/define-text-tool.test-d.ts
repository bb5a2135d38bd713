import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { type AnyTool, type CallContext, defineTextTool, type Tool } from '../../../../src/index.ts';

const base = { description: 'Does something.' };

const shout = defineTextTool({
  ...base,
  name: 'shout',
  run(input, call) {
    expectTypeOf(input).toEqualTypeOf<string>();
    expectTypeOf(call).toEqualTypeOf<CallContext>();
    return { loud: input.toUpperCase() };
  },
  reconcile(input) {
    expectTypeOf(input).toEqualTypeOf<string>();
    return 'unknown';
  },
});
expectTypeOf(shout).toEqualTypeOf<Tool<'shout', string, { loud: string }>>();

export const tools: readonly AnyTool[] = [shout];

// @ts-expect-error its only input is text
defineTextTool({ ...base, name: 'typed', input: v.object({ id: v.string() }), run: () => 'ok' });

// @ts-expect-error a call that only reads runs again, so it needs no `reconcile`
defineTextTool({ ...base, name: 'read', effect: 'read', run: () => 'ok', reconcile: () => 'unknown' });

// @ts-expect-error a tool needs a description
defineTextTool({ name: 'mute', run: () => 'ok' });
