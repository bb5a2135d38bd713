import { checkNaming } from '../check-definition.ts';
import { decorate } from '../decorate.ts';
import type { AnyTool } from '../tool.ts';

/**
 * The same tool with another description, for the model (TOOL-15).
 *
 * @throws ToolDefinitionError when it is blank.
 */
export function withDescription<T extends AnyTool>(tool: T, description: string): T {
  checkNaming(tool.name, description);
  return decorate(tool, { description });
}
