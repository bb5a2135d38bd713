import type { Decision } from '../decision.ts';
import type { JsonObject } from '../json.ts';
import { shorten } from '../json-text.ts';
import { mapContent } from '../map-content.ts';
import type { AnyTool, ToolInvocation } from '../tool.ts';
import { failure, type ToolResult, toolResult } from '../tool-result.ts';

/** Characters of an input that a text echoes. */
const MAX_ECHO = 500;

/** A call that was decided about. */
export interface Decided {
  /** What is called if the decision lets it. */
  readonly tool: AnyTool;
  /** The model's own. */
  readonly input: JsonObject;
  readonly invocation: ToolInvocation;
  readonly decision: Decision;
  /** Told the input with which the tool is about to be called. */
  readonly accepted?: ((input: JsonObject) => void) | undefined;
}

/**
 * Does what was decided about a call: runs it, runs it with the edited input, or answers the model why it did not run.
 * An `exit` ends the turn as cancelled (AEA-03).
 */
export async function carryOut(decided: Decided): Promise<ToolResult> {
  const { tool, input, invocation, decision, accepted } = decided;
  switch (decision.decision) {
    case 'approve':
      accepted?.(input);
      return tool.call(input, invocation);
    case 'edit':
      return edited(decided);
    case 'reject':
      return failure('declined', declined(invocation.tool, decision));
    case 'exit':
      return exited(invocation.tool, input, decision);
  }
}

async function edited({ tool, input, invocation, decision, accepted }: Decided): Promise<ToolResult> {
  const revised = decision.input;
  if (revised === undefined) return badEdit(invocation.tool, 'No input came with the edit.');
  const checked = await tool.check(revised, invocation.tool);
  if (!checked.ok) return badEdit(invocation.tool, checked.answer.content);
  accepted?.(revised);
  const result = await tool.call(revised, invocation);
  return JSON.stringify(revised) === JSON.stringify(input) ? result : noted(result, revised);
}

const badEdit = (tool: string, problem: string): ToolResult =>
  failure(
    'invalid-input',
    `Somebody edited the input of this call of '${tool}', and it did not run. ${problem}`,
  );

/** The model would take its own input for what was done. The value of an artifact stays as it is. */
const noted = (result: ToolResult, input: JsonObject): ToolResult =>
  mapContent(
    result,
    (content) => `${content}\nNote: whoever approved this call changed its input to ${echo(input)}.`,
  );

const declined = (tool: string, { expired, reason }: Decision): string => {
  if (expired) return `Nobody decided about this call of '${tool}' in time, so it did not run.`;
  const why = reason ? ` Reason: ${reason}` : '';
  return `This call of '${tool}' was declined and did not run. Do not repeat it unchanged.${why}`;
};

function exited(tool: string, input: JsonObject, decision: Decision): ToolResult {
  const message = decision.expired ? declined(tool, decision) : `Rejected by reviewer: ${echo(input)}`;
  const signal = { type: 'exit', reason: decision.reason ?? message } as const;
  return toolResult({ type: 'error', message, reason: 'declined', signal });
}

const echo = (input: JsonObject): string => shorten(JSON.stringify(input), MAX_ECHO);
