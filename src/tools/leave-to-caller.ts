import { checkTime } from './check-time.ts';
import type { ToolInvocation } from './tool.ts';
import type { ToolResult } from './tool-result.ts';

/**
 * Leaves the running of a tool's calls to the caller, for `expires` milliseconds each (SPM-17).
 *
 * @throws ToolDefinitionError when `expires` is not more than 0.
 */
export function leaveToCaller(
  tool: string,
  expires: number | undefined,
): (invocation: ToolInvocation) => Promise<ToolResult> {
  checkTime(tool, 'expires', expires);
  return (invocation) =>
    invocation.receive({ message: `Run '${invocation.tool}' and send its result.`, expires });
}
