import { decorate } from '../tools/decorate.ts';
import { withDescription } from '../tools/decorators/with-description.ts';
import { withMetadata } from '../tools/decorators/with-metadata.ts';
import { withName } from '../tools/decorators/with-name.ts';
import type { LoopView } from '../tools/injection.ts';
import { shorten } from '../tools/json-text.ts';
import type { AnyTool } from '../tools/tool.ts';
import { withheld } from '../tools/tool-result.ts';
import type { Binding } from './bindings.ts';
import type { TypeWithTools } from './chain-from.ts';

/**
 * The tools of a bound object, made again from its JSON; none when its type does not take that any more. Made once an
 * invocation.
 */
export function objectTools(
  { objects, name }: TypeWithTools,
  binding: Binding,
  view: LoopView,
): readonly AnyTool[] {
  return view.made(`chaining ${view.path} ${name} ${binding.call} ${binding.at}`, () => {
    const tools = objects.toolsOf(binding.value);
    return tools.ok ? tools.value : [];
  });
}

/** Finds the tool of the object that is bound when a call runs, which may be a newer one than when it was offered. */
export type FindTool = (name: string, view: LoopView) => AnyTool | undefined;

/**
 * A tool of a bound object as it is offered. A call that runs after an earlier one of its batch, of the same `serial`,
 * sees the object that that one has bound.
 */
export const boundTool = (tool: AnyTool, find: FindTool): AnyTool =>
  decorate(tool, {
    route: tool.route,
    call: (input, invocation) => (find(tool.name, invocation.view) ?? tool).call(input, invocation),
  });

/** A tool of a type, as long as there is no object of it: with its real schema, so that the model can plan with it (CHN-04). */
export function placeholder({ name: type }: TypeWithTools, tool: AnyTool, find: FindTool): AnyTool {
  const missing = `This tool is not yet available. You must first retrieve a single ${type} instance.`;
  return decorate(tool, {
    description: `${tool.description}\n\nNote: This tool requires a ${type} instance to be retrieved first.`,
    // Made without an object, a function would ask for one.
    serial: typeof tool.serial === 'string' ? tool.serial : undefined,
    call: async (input, invocation) =>
      find(tool.name, invocation.view)?.call(input, invocation) ?? withheld(missing),
  });
}

/** A tool of one of several objects, under a name of its own; its metadata has the id in full (TPR-03). */
export function namedTool(
  tool: AnyTool,
  name: string,
  { type, id }: { readonly type: string; readonly id: string },
): AnyTool {
  const whose = `Note: This tool belongs to the ${type} with the id ${JSON.stringify(shorten(id, 100))}.`;
  const told = withDescription(tool, `${tool.description}\n\n${whose}`);
  return withName(withMetadata(told, { domainType: type, instanceId: id }), name);
}
