import { withCoercion } from '../../decorators/with-name.ts';
import { defineTool, type ToolConfig } from '../../tool/define-tool.ts';
import type { InputDeclaration } from '../../tool/input-schema.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { type ToolObject, toToolObject } from './tool-object.ts';
import { ToolObjectError } from './tool-object-error.ts';
import type { AnyToolEntry } from './tool-table.ts';

/**
 * The tools that the static `tools` of an object's class declares, in the table's order.
 *
 * @throws ToolObjectError when there is no such table, for a list, and for a name in it that is no method;
 *   ToolDefinitionError when one of the tools cannot work.
 */
export function declaredTools(object: object): AnyTool[] {
  const source = toToolObject(object);
  if (Symbol.iterator in object) {
    const problem = `An iterable (${source.name}) is not a tool object: use toolsOfAll for a list of objects.`;
    throw new ToolObjectError(source.name, problem);
  }
  if (source.table.size === 0) {
    const problem =
      `No methods annotated with @LlmTool found on ${source.name}: ` +
      "a class says which of its methods are tools by a static 'tools' table.";
    throw new ToolObjectError(source.name, problem);
  }
  return [...source.table].map(([method, entry]) => withCoercion(toTool(source, method, entry)));
}

function toTool(source: ToolObject, method: string, entry: AnyToolEntry): AnyTool {
  const { name = method, category, metadata = {}, reconcile, ...more } = entry;
  for (const needed of reconcile === undefined ? [method] : [method, reconcile]) {
    if (source.has(needed)) continue;
    const problem = `The static 'tools' of ${source.name} name '${needed}', which is not a method of it.`;
    throw new ToolObjectError(source.name, problem);
  }
  const config = {
    ...more,
    name,
    metadata: category === undefined ? metadata : { ...metadata, category },
    run: (input: unknown, call: unknown) => source.call(method, input, call),
    reconcile: reconcile && ((input: unknown, call: unknown) => source.call(reconcile, input, call)),
  };
  // `defineTool` checks at run time that only a `once` tool reconciles, and the loop what a reconciler answers.
  return defineTool(config as ToolConfig<string, InputDeclaration, unknown>);
}
