import { checkNaming } from '../check-definition.ts';
import { decorate } from '../decorate.ts';
import type { Tool } from '../tool.ts';

/**
 * The same tool under another name (TOOL-14). The only renamer there is (TOOL-18): prefixes, naming functions and tool
 * groups use it, so that a renamed tool can be unwrapped and is called with its context.
 *
 * @throws ToolDefinitionError when some provider would refuse the name.
 */
export function withName<const Name extends string, Input, Output>(
  tool: Tool<string, Input, Output>,
  name: Name,
): Tool<Name, Input, Output> {
  checkNaming(name, tool.description);
  const check: typeof tool.check = (input, as = name) => tool.check(input, as);
  return { ...decorate(tool, { check }), name };
}
