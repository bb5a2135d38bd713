import type { JsonObject } from './json.ts';
import type { AnyTool } from './tool.ts';

/** The route of a tool, whose answers lead to what `wrap` makes of the tools that are meant; none when it has none. */
export function mapRoute(
  tool: AnyTool,
  wrap: (meant: AnyTool, input: JsonObject) => AnyTool,
): AnyTool['route'] {
  const route = tool.route?.bind(tool);
  if (!route) return undefined;
  return (input) => {
    const meant = route(input);
    return meant && { ...meant, tool: wrap(meant.tool, input) };
  };
}
