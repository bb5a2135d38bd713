import type { AnyTool } from './tool.ts';

/**
 * Draws tools as a tree under a name, one line each, with the tools inside of tools (TOOL-19). It reads definitions
 * only and runs nothing, so it needs no session (TOOL-20).
 */
export const formatToolTree = (name: string, tools: readonly AnyTool[]): string =>
  tools.length === 0 ? `${name} has no tools` : [name, ...branches(tools, '')].join('\n');

function branches(tools: readonly AnyTool[], indent: string): string[] {
  return tools.flatMap(({ name, inner }, index) => {
    const isLast = index === tools.length - 1;
    const line = `${indent}${isLast ? '└── ' : '├── '}${name}`;
    if (!inner) return [line];
    return [
      `${line} (${inner.length} inner tools)`,
      ...branches(inner, `${indent}${isLast ? '    ' : '│   '}`),
    ];
  });
}
