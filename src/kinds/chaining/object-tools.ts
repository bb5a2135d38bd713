import { withDescription, withMetadata, withName } from '../../decorators/with.ts';
import { adopting, decorate, mapRoute } from '../../tool/decorate.ts';
import { shorten } from '../../tool/json.ts';
import type { AnyTool, LoopView } from '../../tool/tool.ts';
import { withheld } from '../../tool/tool-result.ts';
import { unfoldingIn } from '../../tool/unfolding/unfolding.ts';
import type { TypeWithTools } from './define-chaining.ts';
import type { Binding } from './memory.ts';

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

/** Says what has become of an offered tool when a call of it runs. */
interface ToolNow {
  /** Whether another object is bound than when the tool was offered. */
  readonly isNewer: boolean;
  /** The tool of the object that is bound; `undefined` when that has none of the name. */
  readonly tool: AnyTool | undefined;
}

/** Finds it in what is bound; `undefined` when nothing is. */
export type FindTool = (view: LoopView) => ToolNow | undefined;

/**
 * A tool of a bound object as it is offered. A call that runs after an earlier one of its batch, of the same `serial`,
 * sees the object that that one has bound, and so does what an unfolding tool stands for. It never acts on an object in
 * whose place there is another: what that does not have is withheld.
 */
export const boundTool = (tool: AnyTool, find: FindTool): AnyTool =>
  decorate(tool, {
    route: mapRoute(tool, (meant, input) =>
      boundTool(
        meant,
        within(find, (unfolding) => unfolding.route?.(input)?.tool),
      ),
    ),
    adopt: adopting(tool, (inner) => boundTool(inner, innerOf(find, inner.name))),
    async call(input, call) {
      const now = find(call.view);
      const bound = now?.tool ?? (now?.isNewer ? undefined : tool);
      return bound ? bound.call(input, call) : withheld(REPLACED);
    },
  });

const REPLACED = 'This tool is not available. The object that was retrieved last does not have it.';

/** Stands in for a tool of a type that has no object yet, with its real schema, so that the model can plan with it. */
export function placeholder(type: string, tool: AnyTool, find: FindTool): AnyTool {
  const missing = `This tool is not yet available. You must first retrieve a single ${type} instance.`;
  return decorate(withNote(type, tool), {
    // A function would ask for an object, and there is none.
    serial: typeof tool.serial === 'string' ? tool.serial : undefined,
    adopt: adopting(tool, (inner) => placeholder(type, inner, innerOf(find, inner.name))),
    call: async (input, call) => find(call.view)?.tool?.call(input, call) ?? withheld(missing),
  });
}

/**
 * Tells what a tool of a type needs; also once it has it, since newer models check the descriptions that stood before their
 * replies.
 */
export const withNote = (type: string, tool: AnyTool): AnyTool =>
  decorate(tool, {
    description: `${tool.description}\n\nNote: This tool requires a ${type} instance to be retrieved first.`,
  });

/**
 * Finds a tool behind another one: that of a newer object, by what it says of itself; else the one that was offered
 * stands.
 */
const within =
  (find: FindTool, behind: (tool: AnyTool) => AnyTool | undefined): FindTool =>
  (view) => {
    const now = find(view);
    return now && { ...now, tool: now.isNewer && now.tool ? behind(now.tool) : undefined };
  };

/**
 * Finds a tool inside an unfolding tool. What one has that decides when it is opened cannot be told without opening it
 * again.
 */
const innerOf = (find: FindTool, name: string): FindTool =>
  within(find, (unfolding) => {
    const by = unfoldingIn(unfolding)?.into.by;
    const named =
      by === 'all' || by === 'category' ? unfolding.inner?.filter((one) => one.name === name) : [];
    // Two categories may have a tool of one name.
    const inner = named?.length === 1 ? named[0] : undefined;
    return inner && (unfolding.adopt?.(inner) ?? inner);
  });

/** Names a tool of one of several objects; its metadata has the id in full. */
export function namedTool(
  tool: AnyTool,
  name: string,
  { type, id }: { readonly type: string; readonly id: string },
): AnyTool {
  const whose = `Note: This tool belongs to the ${type} with the id ${JSON.stringify(shorten(id, 100))}.`;
  const told = withDescription(tool, `${tool.description}\n\n${whose}`);
  return withName(withMetadata(told, { domainType: type, instanceId: id }), name);
}
