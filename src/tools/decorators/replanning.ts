import { decorate } from '../decorate.ts';
import { listen } from '../listen.ts';
import { keptArtifact } from '../read-artifact.ts';
import type { AnyTool, CallScope } from '../tool.ts';
import { type ToolResult, toolResult } from '../tool-result.ts';

/**
 * Puts on the blackboard what the next plan should know. As every change of a call it is lost when the call failed. When
 * it throws, that is logged, and the loop ends all the same.
 */
export type BlackboardUpdater = (result: ToolResult, call: CallScope) => unknown;

/** Why to replan, and what the next plan should know. */
export interface ReplanDecision {
  readonly reason: string;
  readonly updater?: BlackboardUpdater | undefined;
}

/**
 * Ends the loop after this tool, so that its plan is made anew (DEC-12): the result, an error too, is returned with the
 * signal `replan` and this reason. The updater adds the result's words to the blackboard unless another is given. An
 * input that the tool refused is the model's to correct, and a signal of the tool's own stands.
 */
export const replanning = <T extends AnyTool>(
  tool: T,
  reason: string,
  updater: BlackboardUpdater = addContent,
): T => alwaysBy(tool, () => ({ reason, updater }));

/** `replanning` for the reason `{name} replans`, with the result's artifact, if it has one, on the blackboard (DEC-13). */
export const replanAlways = <T extends AnyTool>(tool: T): T =>
  alwaysBy(tool, (name) => ({ reason: `${name} replans`, updater: addArtifact }));

/** Whether a result may end the loop by a decision that is made about it. */
export const mayReplan = (result: ToolResult): boolean =>
  result.signal === undefined && !(result.type === 'error' && result.reason === 'invalid-input');

/** The result with the signal that ends its loop. */
export async function withReplan(
  result: ToolResult,
  { reason, updater }: ReplanDecision,
  call: CallScope,
): Promise<ToolResult> {
  await listen(`the blackboard updater of tool '${call.tool}'`, call.signal, () => updater?.(result, call));
  return toolResult({ ...result, signal: { type: 'replan', reason } });
}

const alwaysBy = <T extends AnyTool>(tool: T, decide: (name: string) => ReplanDecision): T =>
  decorate(tool, {
    async call(input, invocation) {
      const result = await tool.call(input, invocation);
      return mayReplan(result) ? withReplan(result, decide(invocation.tool), invocation) : result;
    },
  });

const addContent: BlackboardUpdater = ({ content }, { blackboard }) => blackboard.add(content);

const addArtifact: BlackboardUpdater = (result, call) => {
  const kept = keptArtifact(result, undefined, call);
  if (kept) call.blackboard.add(kept.json, { type: kept.type });
};
