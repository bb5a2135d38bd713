import { ToolDefinitionError } from './check-definition.ts';
import { unwrapAs } from './decorate.ts';
import type { AnyTool, LoopView } from './tool.ts';

/**
 * Returns the Mermaid diagram of a state machine or a playbook, decorated or not, as source text without
 * fences.
 *
 * @throws ToolDefinitionError if the tool is neither.
 *
 * @example
 * ```ts
 * console.log(toMermaid(defineStateMachine({ name: 'door', description: 'Opens.', initial: 'shut', states: { shut: [] } })));
 * ```
 */
export function toMermaid(tool: AnyTool): string {
  const drawn = findDiagram(tool);
  if (!drawn) {
    const problem = 'it has no diagram. Only a state machine or a playbook has one.';
    throw new ToolDefinitionError(tool.name, 'diagram', problem);
  }
  return drawn[DIAGRAM]();
}

/** A tool with a diagram: a state machine or a playbook. */
export interface DrawnTool extends AnyTool {
  /** Returns Mermaid source, without the fences of a code block. */
  readonly [DIAGRAM]: () => string;
  /**
   * Returns the position of a call in the diagram. `input` is the parsed input of the call, and `view` the
   * view of its nested loop.
   */
  readonly [STANDING]: (input: unknown, view: LoopView) => DiagramPosition;
}

/** The position of a state machine, or the progress of a playbook, in one call. */
export interface DiagramPosition {
  /** The key under which the session stores it. */
  readonly key: string;
  /** The state of a state machine. */
  readonly state?: string;
  /** The tools that cannot be called at this point, with the text for the model. */
  readonly withheld: readonly { readonly tool: string; readonly why: string }[];
}

/** The key under which a tool stores its drawing function. */
export const DIAGRAM: unique symbol = Symbol('holdfast.diagram');

/** The key under which a tool stores its function that returns the position of a call. */
export const STANDING: unique symbol = Symbol('holdfast.standing');

/** Returns the tool with a diagram, decorated or not, or `undefined`. */
export const findDiagram = (tool: AnyTool): DrawnTool | undefined => unwrapAs(tool, hasDiagram);

const hasDiagram = (tool: AnyTool): tool is DrawnTool => DIAGRAM in tool;

/** Quotes a text for a Mermaid diagram. `%%` would begin a comment even inside quotes. */
export const quoteForMermaid = (text: string): string =>
  `"${text.replaceAll('#', '#35;').replaceAll('"', '#quot;').replaceAll('%', '#37;').replaceAll(/\s+/g, ' ')}"`;

/**
 * Formats tools as a tree under a name, one line each, with inner tools below theirs. It only reads
 * definitions, so it needs no session.
 *
 * @example
 * ```ts
 * console.log(formatToolTree('clerk', [orders, lookUp]));
 * ```
 */
export const formatToolTree = (name: string, tools: readonly AnyTool[]): string =>
  tools.length === 0 ? `${name} has no tools` : [name, ...formatBranches(tools, '')].join('\n');

function formatBranches(tools: readonly AnyTool[], indent: string): string[] {
  return tools.flatMap(({ name, inner }, index) => {
    const isLast = index === tools.length - 1;
    const line = `${indent}${isLast ? '└── ' : '├── '}${name}`;
    if (!inner) return [line];
    return [
      `${line} (${inner.length} inner tools)`,
      ...formatBranches(inner, `${indent}${isLast ? '    ' : '│   '}`),
    ];
  });
}
