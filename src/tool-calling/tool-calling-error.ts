/** What a program that calls tools by itself did wrong. */
export type ToolCallingProblem = 'duplicate-tools' | 'unknown-tool' | 'no-tool-call';

/** Options or a reply cannot be worked with; thrown to the program, never told to a model. */
export class ToolCallingError extends Error {
  override readonly name = 'ToolCallingError';
  readonly problem: ToolCallingProblem;
  /** The tools that it is about. */
  readonly tools: readonly string[];

  constructor(problem: ToolCallingProblem, message: string, tools: readonly string[] = []) {
    super(message);
    this.problem = problem;
    this.tools = tools;
  }
}
