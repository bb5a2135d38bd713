import type { AnyTool } from './tool.ts';

/** Whether a value can be called as a tool, of any make, also a hand-written one. */
export function isTool(value: unknown): value is AnyTool {
  if (typeof value !== 'object' || value === null) return false;
  const { name, inputSchema, call, check }: Partial<Record<keyof AnyTool, unknown>> = value;
  return (
    typeof name === 'string' &&
    typeof inputSchema === 'object' &&
    typeof call === 'function' &&
    typeof check === 'function'
  );
}
