import { decorate } from '../tools/decorate.ts';
import { type Brings, FACADE, facadeIn } from '../tools/facades/facade.ts';
import { shortcut } from '../tools/facades/shortcut.ts';
import { checkTools } from '../tools/facades/to-unfolding.ts';
import { type ToolsOfOptions, toolsOf } from '../tools/objects/tools-of.ts';
import type { AnyTool } from '../tools/tool.ts';
import { ToolDefinitionError } from '../tools/tool-definition-error.ts';

/**
 * The same unfolding tool with more tools inside. Its notes, its schema and its selector stay: the new tools come with
 * every category and every selection (UNF-18).
 *
 * @throws ToolDefinitionError when it is no unfolding tool, or two tools inside would share a name.
 */
export function withInnerTools<T extends AnyTool>(unfolding: T, ...tools: readonly AnyTool[]): T {
  const known = facadeIn(unfolding);
  if (!known) throw new ToolDefinitionError(unfolding.name, 'tools', 'it is no unfolding tool.');
  const facade = { ...known, brings: withMore(unfolding.name, known.brings, tools) };
  const inner = known.brings.by === 'moment' ? undefined : [...(unfolding.inner ?? []), ...tools];
  return {
    ...decorate(unfolding, { inner }),
    route: unfolding.route && shortcut(facade, unfolding.inputSchema),
    [FACADE]: facade,
  };
}

/**
 * `withInnerTools` with the tools of an object, as `toolsOf` takes them: of an object that unfolds itself, one (UNF-19).
 *
 * @throws ToolObjectError as `toolsOf`; ToolDefinitionError as `withInnerTools`.
 */
export const withInnerToolObject = <T extends AnyTool>(
  unfolding: T,
  object: object,
  options?: ToolsOfOptions,
): T => withInnerTools(unfolding, ...toolsOf(object, options));

function withMore(name: string, brings: Brings, more: readonly AnyTool[]): Brings {
  switch (brings.by) {
    case 'all':
      return { ...brings, tools: checkTools(name, 'tools', [...brings.tools, ...more]) };
    case 'moment':
      return { ...brings, ask: (view) => [...brings.ask(view), ...more] };
    case 'category': {
      const lists = [...brings.tools].map(
        ([category, tools]) =>
          [category, checkTools(name, `byCategory.${category}`, [...tools, ...more])] as const,
      );
      return { ...brings, tools: new Map(lists) };
    }
    case 'selection':
      return { ...brings, select: (input, view) => [...brings.select(input, view), ...more] };
  }
}
