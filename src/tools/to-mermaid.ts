import { unwrapAs } from './decorate.ts';
import type { AnyTool } from './tool.ts';
import { ToolDefinitionError } from './tool-definition-error.ts';

/** Under which a tool keeps what draws it. */
export const DIAGRAM: unique symbol = Symbol('holdfast.diagram');

/** A tool that can be drawn: a state machine, a playbook. */
export interface DrawnTool extends AnyTool {
  /** Mermaid source, as it is put between the fences of a code block. */
  readonly [DIAGRAM]: () => string;
}

const isDrawn = (tool: AnyTool): tool is DrawnTool => DIAGRAM in tool;

/**
 * The Mermaid diagram of a state machine or a playbook, decorated or not: source text without fences.
 *
 * @throws ToolDefinitionError when the tool is neither.
 */
export function toMermaid(tool: AnyTool): string {
  const drawn = unwrapAs(tool, isDrawn);
  if (!drawn) {
    const problem = 'it has no diagram: a state machine or a playbook has one.';
    throw new ToolDefinitionError(tool.name, 'diagram', problem);
  }
  return drawn[DIAGRAM]();
}

/** Text between double quotes in a Mermaid diagram. Two `%` would begin a comment even there. */
export const inMermaid = (text: string): string =>
  `"${text.replaceAll('#', '#35;').replaceAll('"', '#quot;').replaceAll('%', '#37;').replaceAll(/\s+/g, ' ')}"`;
