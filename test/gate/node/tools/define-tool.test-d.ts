import { type } from 'arktype';
import * as v from 'valibot';
import { expectTypeOf } from 'vitest';
import { z } from 'zod';
import {
  type AnyTool,
  type CallContext,
  defineTool,
  type Effect,
  type JsonSchema,
  type Tool,
  ToolCallContext,
} from '../../../../src/index.ts';
import { jsonSchema } from '../../../../src/modules/json-schema/entry.ts';

const base = { description: 'Does something.' };

// `run` receives the output of the schema, with defaults and transforms applied.
const valibot = defineTool({
  ...base,
  name: 'valibot',
  input: v.object({
    at: v.pipe(v.string(), v.toDate()),
    top: v.optional(v.number(), 3),
    tag: v.optional(v.string()),
  }),
  run(input, call) {
    expectTypeOf(input).toEqualTypeOf<{ at: Date; top: number; tag?: string | undefined }>();
    expectTypeOf(call).toEqualTypeOf<CallContext>();
    return input.top;
  },
  reconcile(input) {
    expectTypeOf(input.at).toEqualTypeOf<Date>();
    return { done: input.top };
  },
});
expectTypeOf(valibot.name).toEqualTypeOf<'valibot'>();
expectTypeOf(valibot).toEqualTypeOf<
  Tool<'valibot', { at: Date; top: number; tag?: string | undefined }, number>
>();

const zod = defineTool({
  ...base,
  name: 'zod',
  input: z.object({ id: z.string().transform(Number) }),
  run: async ({ id }, call) => {
    expectTypeOf(id).toEqualTypeOf<number>();
    expectTypeOf(call.context.get('tenantId', v.string())).toEqualTypeOf<string>();
    return { id };
  },
});
expectTypeOf(zod).toEqualTypeOf<Tool<'zod', { id: number }, { id: number }>>();

const arktype = defineTool({
  ...base,
  name: 'arktype',
  input: type({ id: 'string', 'tags?': 'string[]' }),
  effect: 'read',
  run: ({ id, tags }) => {
    expectTypeOf(id).toEqualTypeOf<string>();
    expectTypeOf(tags).toEqualTypeOf<string[] | undefined>();
  },
});
expectTypeOf(arktype).toEqualTypeOf<Tool<'arktype', { id: string; tags?: string[] }, void>>();

const byJsonSchema = defineTool({
  ...base,
  name: 'json-schema',
  input: jsonSchema({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }),
  run: ({ id }) => {
    expectTypeOf(id).toEqualTypeOf<string>();
    return 'ok';
  },
});
expectTypeOf(byJsonSchema).toEqualTypeOf<Tool<'json-schema', { id: string }, string>>();

// A schema that is known only at run time, such as one from an MCP server.
export const defineRemote = (input: JsonSchema) =>
  defineTool({
    ...base,
    name: 'remote',
    input: jsonSchema(input),
    run: (given: Record<string, unknown>) => Object.keys(given),
  });

const none = defineTool({ ...base, name: 'none', run: (input) => input });
expectTypeOf(none).toEqualTypeOf<Tool<'none', Record<string, never>, Record<string, never>>>();

// Tools with any input fit one list and one parameter.
export const tools: readonly AnyTool[] = [valibot, zod, arktype, byJsonSchema, none];
export const erasedTools: readonly Tool[] = [valibot, zod, arktype, byJsonSchema, none];

// Optional properties accept undefined.
defineTool({
  ...base,
  name: 'absent',
  input: undefined,
  effect: undefined,
  serial: undefined,
  reconcile: undefined,
  timeout: undefined,
  subrequests: undefined,
  returnDirect: undefined,
  run: () => 'ok',
});

// An effect that is known only at run time is accepted without `reconcile`.
export const withEffect = (effect: Effect) => defineTool({ ...base, name: 'any', effect, run: () => 'ok' });

defineTool({
  ...base,
  name: 'once',
  effect: 'once',
  run: () => 'ok',
  reconcile: async () => 'unknown' as const,
});

// @ts-expect-error a call that only reads runs again, so it needs no `reconcile`
defineTool({ ...base, name: 'read', effect: 'read', run: () => 'ok', reconcile: () => 'unknown' });

// @ts-expect-error an idempotent call runs again, so it needs no `reconcile`
defineTool({ ...base, name: 'put', effect: 'idempotent', run: () => 'ok', reconcile: () => 'unknown' });

// @ts-expect-error 'maybe' is not a reconciliation
defineTool({ ...base, name: 'guess', run: () => 'ok', reconcile: () => 'maybe' });

// @ts-expect-error a tool needs a description
defineTool({ name: 'mute', run: () => 'ok' });

// @ts-expect-error there is no property `quantity`
defineTool({ ...base, name: 'typo', input: v.object({ id: v.string() }), run: ({ quantity }) => quantity });

// @ts-expect-error `ToolCallContext.of` makes a context
new ToolCallContext(new Map());

const context = ToolCallContext.of({ tenantId: 'acme' });
expectTypeOf(context.get('count', v.optional(v.pipe(v.string(), v.toNumber()), '1'))).toEqualTypeOf<number>();

// @ts-expect-error there is no such effect
defineTool({ ...base, name: 'shout', effect: 'Once', run: () => 'ok' });

// @ts-expect-error the function is called `run`
defineTool({ ...base, name: 'execute', execute: () => 'ok' });

const foreign = { ...base, name: 'execute', execute: () => 'ok' };
// @ts-expect-error the same in a variable: the tool is not one that the caller runs
defineTool(foreign);

// @ts-expect-error only `defineManualTool` defines a tool without `run`
defineTool({ ...base, name: 'neither' });

// @ts-expect-error the schema is called `input`
defineTool({ ...base, name: 'parameters', parameters: v.object({ id: v.string() }), run: () => 'ok' });

// @ts-expect-error the schema is called `input`
defineTool({ ...base, name: 'schema', inputSchema: v.object({ id: v.string() }), run: () => 'ok' });
