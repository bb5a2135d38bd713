import type { StandardSchemaV1 } from '@standard-schema/spec';
import { ToolDefinitionError } from '../../tool/check-definition.ts';
import { decorate } from '../../tool/decorate.ts';
import { isDomainType, outputProblems } from '../../tool/domain-type.ts';
import { isStandardSchema } from '../../tool/input-schema.ts';
import { isJsonObject, type Json, parseJson } from '../../tool/json.ts';
import { shown } from '../../tool/shown.ts';
import type { AnyTool, Tool, ToolInput } from '../../tool/tool.ts';
import {
  partsOfResult,
  type ResultData,
  succeeded,
  type ToolResult,
  toolResult,
} from '../../tool/tool-result.ts';

/**
 * The same tool with a type for what it returns: for a tool that you did not write, of an MCP server or of the AI SDK. Its value, its
 * structured content, or the JSON in its words becomes an artifact that the schema or the domain type has checked; of a domain
 * type it has the name, so that sinks, chaining and `artifactsOf` find it. The model reads what it read before. A value that does not fit
 * is an error result, and the log shows it. Words that hold no JSON, and errors, stay as they are.
 *
 * @throws ToolDefinitionError if `output` is no schema, or the model's provider runs the tool.
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
    const problem = `its output is ${shown(output)}: use a schema or a domain type.`;
    throw new ToolDefinitionError(name, 'output', problem);
  }
  if (tool.providerTool) {
    const problem = "its output has no type here, since the model's provider runs it.";
    throw new ToolDefinitionError(name, 'output', problem);
  }
  const typed: AnyTool = decorate<AnyTool>(tool, {
    output,
    async call(input, call) {
      return typedBy(output, await tool.call(input, call));
    },
  });
  return { ...typed, name };
}

/** The result with its value as an artifact of the type. One that does not fit is judged where every declared output is. */
async function typedBy(output: StandardSchemaV1, result: ToolResult): Promise<ToolResult> {
  const values = succeeded(result) ? valuesIn(result) : [];
  for (const value of values) {
    if ((await outputProblems(output, value)).length === 0) return artifactOf(output, value, result);
  }
  const [first] = values;
  return first === undefined ? result : artifactOf(output, first, result);
}

/** An artifact of the type, of which the model reads what it read of the result. */
function artifactOf(output: StandardSchemaV1, value: Json, result: ToolResult): ToolResult {
  const parts = result.type === 'content' || result.type === 'artifact' ? result.parts : undefined;
  const isSame = result.content === JSON.stringify(value);
  return toolResult({
    type: 'artifact',
    value,
    ...(parts ? { parts } : !isSame && { content: result.content }),
    ...(isDomainType(output) && { artifactType: output.name }),
  });
}

/** What a result holds that may be meant: its value, the structured content of one of MCP, and the JSON in its words. */
function valuesIn(result: ResultData): readonly Json[] {
  const value = result.type === 'artifact' ? [result.value] : [];
  const structured = value.flatMap((one) =>
    isJsonObject(one) && one.structuredContent !== undefined ? [one.structuredContent] : [],
  );
  return [...value, ...structured, ...textsIn(result).flatMap(jsonIn)];
}

function textsIn(result: ResultData): readonly string[] {
  const parts = partsOfResult(result).flatMap((part) => (part.type === 'text' ? part.text : []));
  const isSaid = result.type === 'text' || (result.type === 'artifact' && result.content !== undefined);
  return isSaid && result.content !== undefined ? [...parts, result.content] : parts;
}

/** An object or a list; a number in words is words. */
function jsonIn(text: string): readonly Json[] {
  const json = /^\s*[{[]/.test(text) ? parseJson(text) : undefined;
  return json === undefined ? [] : [json];
}
