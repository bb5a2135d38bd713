import type { AnyTool } from '../tool/tool.ts';
import { ToolCallingError } from './tool-calling-error.ts';

/** @throws ToolCallingError that names every name which several of the tools have (SPA-06). */
export function validateTools(tools: readonly AnyTool[]): void {
  const names = tools.map(({ name }) => name);
  const shared = [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
  if (shared.length === 0) return;
  const message = `Multiple tools with the same name (${shared.join(', ')}) found in ToolCallingOptions`;
  throw new ToolCallingError('duplicate-tools', message, shared);
}
