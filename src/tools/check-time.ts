import { ToolDefinitionError } from './tool-definition-error.ts';

/**
 * @throws ToolDefinitionError when a time of a tool, in milliseconds, is given and not more than 0, or more than `most`.
 */
export function checkTime(
  tool: string,
  field: 'timeout' | 'expires',
  ms: number | undefined,
  most = Number.MAX_SAFE_INTEGER,
): void {
  if (ms === undefined || (ms > 0 && ms <= most)) return;
  const problem = `its ${field} is ${ms}; it must be more than 0 and at most ${most} milliseconds.`;
  throw new ToolDefinitionError(tool, field, problem);
}
