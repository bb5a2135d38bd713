import { shorten } from './json-text.ts';

/** A tool was defined in a way that cannot work. Thrown where it is defined, never in a turn. */
export class ToolDefinitionError extends Error {
  override readonly name = 'ToolDefinitionError';
  /** The name that was given, valid or not. */
  readonly tool: string;
  /** The property of the definition that is wrong. */
  readonly field: string;

  /** `problem` is a sentence that goes on after "Tool 'x': ". */
  constructor(tool: string, field: string, problem: string, options?: ErrorOptions) {
    super(`Tool '${shorten(tool, 80)}': ${problem}`, options);
    this.tool = tool;
    this.field = field;
  }
}
