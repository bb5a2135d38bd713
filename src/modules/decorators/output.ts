import type { StandardSchemaV1 } from '@standard-schema/spec';
import { ToolDefinitionError } from '../../tool/check-definition.ts';
import { decorate } from '../../tool/decorate.ts';
import { isDomainType, listOutputProblems } from '../../tool/domain-type.ts';
import { isStandardSchema } from '../../tool/input-schema.ts';
import { isJsonObject, type Json, parseJson } from '../../tool/json.ts';
import { describeValue } from '../../tool/shown.ts';
import type { AnyTool, Tool, ToolInput } from '../../tool/tool.ts';
import {
  createToolResult,
  isSuccess,
  listResultParts,
  type ResultData,
  type ToolResult,
} from '../../tool/tool-result.ts';

/**
 * Returns a copy of the tool with a type for its output, for tools that you did not write, such as those of
 * an MCP server or the AI SDK. The value, the structured content, or the JSON text of a result becomes an
 * artifact that the schema or domain type checks. The artifact of a domain type has the type's name, so
 * sinks, chaining and `artifactsOf` find it. The model reads the same text as before. A value that does not
 * match becomes an error result and is logged. Text without JSON, and errors, stay unchanged.
 *
 * @throws ToolDefinitionError if `output` is not a schema, or if the model's provider runs the tool.
 *
 * @example
 * ```ts
 * const typed = withOutput(findOrder, Customer); // a domain type, or a schema
 * ```
 */
export function withOutput<T extends AnyTool, Type extends StandardSchemaV1>(
  tool: T,
  output: Type,
): Tool<T['name'], ToolInput<T>, StandardSchemaV1.InferInput<Type>> {
  const { name } = tool;
  if (!isStandardSchema(output)) {
    const problem = `its output is ${describeValue(output)}. Use a schema or a domain type.`;
    throw new ToolDefinitionError(name, 'output', problem);
  }
  if (tool.providerTool) {
    const problem = "its output cannot have a type: the model's provider runs it.";
    throw new ToolDefinitionError(name, 'output', problem);
  }
  const typed: AnyTool = decorate<AnyTool>(tool, {
    output,
    async call(input, call) {
      return toTypedResult(output, await tool.call(input, call));
    },
  });
  return { ...typed, name };
}

/**
 * Returns the result with its value as an artifact of the type. A value that does not match is rejected
 * later, in the check of all declared outputs.
 */
async function toTypedResult(output: StandardSchemaV1, result: ToolResult): Promise<ToolResult> {
  const values = isSuccess(result) ? collectValues(result) : [];
  for (const value of values) {
    if ((await listOutputProblems(output, value)).length === 0)
      return toArtifactResult(output, value, result);
  }
  const [first] = values;
  return first === undefined ? result : toArtifactResult(output, first, result);
}

/** Returns an artifact of the type with the text of the result. */
function toArtifactResult(output: StandardSchemaV1, value: Json, result: ToolResult): ToolResult {
  const parts = result.type === 'content' || result.type === 'artifact' ? result.parts : undefined;
  const isSame = result.content === JSON.stringify(value);
  return createToolResult({
    type: 'artifact',
    value,
    ...(parts ? { parts } : !isSame && { content: result.content }),
    ...(isDomainType(output) && { artifactType: output.name }),
  });
}

/**
 * Returns the candidate values of a result: its value, the structured content of an MCP result, and the JSON
 * in its text.
 */
function collectValues(result: ResultData): readonly Json[] {
  const value = result.type === 'artifact' ? [result.value] : [];
  const structured = value.flatMap((one) =>
    isJsonObject(one) && one.structuredContent !== undefined ? [one.structuredContent] : [],
  );
  return [...value, ...structured, ...collectTexts(result).flatMap(parseJsonText)];
}

function collectTexts(result: ResultData): readonly string[] {
  const parts = listResultParts(result).flatMap((part) => (part.type === 'text' ? part.text : []));
  const isSaid = result.type === 'text' || (result.type === 'artifact' && result.content !== undefined);
  return isSaid && result.content !== undefined ? [...parts, result.content] : parts;
}

/** Parses an object or a list. A number in text stays text. */
function parseJsonText(text: string): readonly Json[] {
  const json = /^\s*[{[]/.test(text) ? parseJson(text) : undefined;
  return json === undefined ? [] : [json];
}
