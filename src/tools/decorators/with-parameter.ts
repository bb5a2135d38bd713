import { type CheckedInput, checkInput, invalidInput } from '../check-input.ts';
import { decorate } from '../decorate.ts';
import { type InputSchema, InputSchemaError } from '../input-schema.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import {
  type PropertyDeclaration,
  type PropertyValue,
  toPropertySchema,
} from '../parameters/property-schema.ts';
import type { AnyTool, JsonSchema, Tool } from '../tool.ts';
import { ToolDefinitionError } from '../tool-definition-error.ts';

/**
 * The same tool with one more property in its input: for decorators around it, or for a `run` whose own schema keeps
 * properties that it does not name (JSON Schema and `v.looseObject` do, `v.object` and `z.object` drop them, and to a
 * schema with `additionalProperties: false` it is not handed on). The tool's own schema stays as it is, nested detail
 * included (TOOL-10). The value is validated by its own schema, together with the rest of the input, and is part of the
 * typed input that decorators see.
 *
 * @throws ToolDefinitionError when the tool has a property of this name, or the declaration cannot be shown to a model.
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
  const ofTool = (input: JsonObject): JsonObject => (isClosed ? without(input, key) : input);

  async function check(input: JsonObject, as: string = tool.name): Promise<CheckedInput<unknown>> {
    const rest = await tool.check(ofTool(input), as);
    const added = await checkInput(property, input, as);
    if (rest.ok && added.ok) return { ok: true, value: { ...Object(rest.value), [key]: added.value } };
    const failed = [rest, added].filter((one) => !one.ok);
    const broken = failed.find(({ problems }) => problems === undefined);
    return (
      broken ??
      invalidInput(
        as,
        failed.flatMap(({ problems = [] }) => problems),
      )
    );
  }

  return {
    ...decorate<AnyTool>(tool, {
      inputSchema: merged(tool.inputSchema, property.json),
      check,
      async call(input, invocation) {
        const added = await checkInput(property, input, invocation.tool);
        if (added.ok) return tool.call(ofTool(input), invocation);
        const all = await check(input, invocation.tool);
        return all.ok ? added.answer : all.answer;
      },
    }),
    name: tool.name,
  };
}

function readProperty(tool: AnyTool, key: string, declared: PropertyDeclaration): InputSchema<unknown> {
  const { properties } = tool.inputSchema;
  if (isJsonObject(properties) && Object.hasOwn(properties, key)) {
    throw new ToolDefinitionError(tool.name, 'input', `it has a parameter '${key}' already.`);
  }
  try {
    return toPropertySchema(key, declared);
  } catch (cause) {
    if (!(cause instanceof InputSchemaError)) throw cause;
    throw new ToolDefinitionError(tool.name, 'input', cause.message, { cause });
  }
}

function merged(schema: JsonSchema, added: JsonSchema): JsonSchema {
  const required = [schema.required, added.required].flatMap((names) => (Array.isArray(names) ? names : []));
  return {
    ...schema,
    properties: { ...Object(schema.properties), ...Object(added.properties) },
    ...(required.length > 0 && { required }),
  };
}

function without({ ...rest }: { [key: string]: JsonObject[string] }, key: string): JsonObject {
  delete rest[key];
  return rest;
}
