import { checkNaming, readMetadata, ToolDefinitionError } from './check-definition.ts';
import { checkCall, checkInput, coerceInput, createInvalidInputResult } from './check-input.ts';
import { decorate, findCopyMaker, makeCopyable, renameTool, unwrapAs } from './decorate.ts';
import {
  type InputSchema,
  InputSchemaError,
  type PropertyDeclaration,
  type PropertyValue,
  toPropertySchema,
} from './input-schema.ts';
import { getOwn, isJsonObject, type Json, type JsonObject, type JsonSchema } from './json.ts';
import type { CheckedInput } from './problem-lines.ts';
import type { AnyTool, CallRun, Tool } from './tool.ts';

/**
 * Returns the same tool under another name. Prefixes, naming functions and tool groups use it too, so that
 * every renamed tool can be unwrapped and receives its context.
 *
 * @throws ToolDefinitionError if a provider would refuse the name.
 *
 * @example
 * ```ts
 * const renamed = withName(findOrder, 'look_up_order');
 * ```
 */
export function withName<const Name extends string, Input, Output>(
  tool: Tool<string, Input, Output>,
  name: Name,
): Tool<Name, Input, Output> {
  checkNaming(name, tool.description);
  return renameTool(tool, name);
}

/**
 * Returns the same tool with another description for the model.
 *
 * @throws ToolDefinitionError if it is blank.
 *
 * @example
 * ```ts
 * const described = withDescription(findOrder, 'Find an order of this year by its number.');
 * ```
 */
export function withDescription<T extends AnyTool>(tool: T, description: string): T {
  checkNaming(tool.name, description);
  return decorate(tool, { description });
}

/**
 * Returns the same tool with a note after its description, as `{description}. {note}` with one full stop
 * between.
 *
 * @example
 * ```ts
 * const noted = withUsageNote(refundOrder, 'Find the order first');
 * ```
 */
export const withUsageNote = <T extends AnyTool>(tool: T, note: string): T =>
  withDescription(tool, `${tool.description.replace(/\.$/, '')}. ${note}`);

/**
 * Returns the same tool with more metadata, for programs that list tools. Existing keys are overwritten.
 * Never sent to a model.
 *
 * @throws ToolDefinitionError if a value is not JSON.
 *
 * @example
 * ```ts
 * const owned = withMetadata(refundOrder, { team: 'billing' });
 * ```
 */
export function withMetadata<T extends AnyTool>(tool: T, key: string, value: Json): T;
export function withMetadata<T extends AnyTool>(tool: T, entries: JsonObject): T;
export function withMetadata<T extends AnyTool>(tool: T, keyed: string | JsonObject, value: Json = null): T {
  const entries = typeof keyed === 'string' ? { [keyed]: value } : keyed;
  return decorate(tool, { metadata: { ...tool.metadata, ...readMetadata(tool.name, entries) } });
}

/**
 * Returns the same tool for models that quote numbers and booleans. The quotes are removed before the input
 * is validated, as in `coerceInput`. The tools of objects already do this.
 *
 * @example
 * ```ts
 * const lenient = withCoercion(findOrder); // takes { "orderId": "1001" } too
 * ```
 */
export const withCoercion = <T extends AnyTool>(tool: T): T =>
  decorate(tool, {
    check: (input, as) => tool.check(coerceInput(input, tool.inputSchema), as),
    call: (input, call) => tool.call(coerceInput(input, tool.inputSchema), call),
  });

/**
 * Returns the same tool with one more property in its input. The property is for decorators around it, or for
 * a `run` whose own schema keeps unknown properties. JSON Schema and `v.looseObject` keep unknown properties,
 * `v.object` and `z.object` drop them, and a schema with `additionalProperties: false` does not receive them.
 *
 * The tool's own schema stays unchanged. The value is validated by its own schema, together with the rest of
 * the input, and is part of the typed input that decorators see. A tool with its own loop passes the value on
 * to the loop's message and to the functions for its instructions and context. Copies of the tool
 * (`withInstructions`) still work.
 *
 * @throws ToolDefinitionError if the tool already has a property of this name, or if the declaration has no
 * JSON Schema.
 *
 * @example
 * ```ts
 * const reasoned = withParameter(lookUp, 'reason', v.pipe(v.string(), v.description('Why you look')));
 * ```
 */
export function withParameter<
  Name extends string,
  Input,
  Output,
  const Key extends string,
  Declared extends PropertyDeclaration,
>(
  tool: Tool<Name, Input, Output>,
  key: Key,
  declared: Declared,
): Tool<Name, Input & { readonly [K in Key]: PropertyValue<Declared> }, Output> {
  const property = readProperty(tool, key, declared);
  const isClosed = [tool.inputSchema.additionalProperties, tool.inputSchema.unevaluatedProperties].includes(
    false,
  );
  const toToolInput = (input: JsonObject): JsonObject => (isClosed ? omitKey(input, key) : input);

  // A tool with its own loop receives the whole input.
  const isAsked = unwrapAs(tool, isCopyable) !== undefined;

  async function check(input: JsonObject, as: string = tool.name): Promise<CheckedInput<unknown>> {
    const rest = await tool.check(toToolInput(input), as);
    const added = await checkInput(property, input, as);
    if (rest.ok && added.ok) return { ok: true, value: { ...Object(rest.value), [key]: added.value } };
    const failed = [rest, added].filter((one) => !one.ok);
    const broken = failed.find(({ problems }) => problems === undefined);
    return (
      broken ??
      createInvalidInputResult(
        as,
        failed.flatMap(({ problems = [] }) => problems),
      )
    );
  }

  const more = {
    ...decorate<AnyTool>(tool, {
      inputSchema: mergeSchemas(tool.inputSchema, property.json),
      check,
      async call(input, call) {
        const added = await checkCall(property, input, call);
        if (added.ok) {
          const more = { key, sent: getOwn(input, key), typed: added.value };
          return tool.call(toToolInput(input), isAsked ? withAddedInput(call, more) : call);
        }
        const all = await check(input, call.tool);
        return all.ok ? added.answer : all.answer;
      },
    }),
    name: tool.name,
  };
  const make = findCopyMaker(tool);
  return make ? makeCopyable(more, (changes) => withParameter(make(changes), key, declared)) : more;
}

const isCopyable = (tool: AnyTool): tool is AnyTool => findCopyMaker(tool) !== undefined;

/** Returns the call with one more property in addition to the tool's own input. */
const withAddedInput = (
  call: CallRun,
  { key, sent, typed }: { readonly key: string; readonly sent: Json | undefined; readonly typed: unknown },
): CallRun => ({
  ...call,
  added: {
    sent: { ...call.added?.sent, ...(sent !== undefined && { [key]: sent }) },
    typed: { ...call.added?.typed, [key]: typed },
  },
});

function readProperty(tool: AnyTool, key: string, declared: PropertyDeclaration): InputSchema<unknown> {
  const { properties } = tool.inputSchema;
  if (isJsonObject(properties) && Object.hasOwn(properties, key)) {
    throw new ToolDefinitionError(tool.name, 'input', `it already has a parameter '${key}'.`);
  }
  try {
    return toPropertySchema(key, declared);
  } catch (cause) {
    if (!(cause instanceof InputSchemaError)) throw cause;
    throw new ToolDefinitionError(tool.name, 'input', {
      problem: `its parameter '${key}' ${cause.problem}`,
      cause,
    });
  }
}

function mergeSchemas(schema: JsonSchema, added: JsonSchema): JsonSchema {
  const required = [schema.required, added.required].flatMap((names) => (Array.isArray(names) ? names : []));
  return {
    ...schema,
    properties: { ...Object(schema.properties), ...Object(added.properties) },
    ...(required.length > 0 && { required }),
  };
}

function omitKey({ ...rest }: { [key: string]: JsonObject[string] }, key: string): JsonObject {
  delete rest[key];
  return rest;
}
