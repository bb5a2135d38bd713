import { failure, type ToolResult } from '../tools/tool-result.ts';

/** Said of a call that may or may not have happened; the model is never told that it failed. */
export const unknownOutcome = (tool: string): ToolResult =>
  failure(
    'unknown-outcome',
    `The outcome of this call of '${tool}' is unknown: it was started, and no answer came back. It may have happened ` +
      'or not. Do not assume either, and do not repeat it: find out with another tool, or tell the user.',
  );

/** Said of a call that a cancel met, and that may be run again under its key. */
export const cancelledRunning = (tool: string): ToolResult =>
  failure('cancelled', `The call of '${tool}' was cancelled while it ran. It may have taken effect.`);
