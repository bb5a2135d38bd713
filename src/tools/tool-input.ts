import type { AnyTool, Tool } from './tool.ts';

/** What the `run` of a tool is given: its schema's output. `unknown` for a tool whose types were erased. */
export type ToolInput<T extends AnyTool> = T extends Tool<string, infer Input, unknown> ? Input : unknown;
