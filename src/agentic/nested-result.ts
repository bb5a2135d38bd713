import type { FrameOutcome } from '../tools/frame.ts';
import { artifact, error, text } from '../tools/results.ts';
import { type ToolResult, toolResult } from '../tools/tool-result.ts';

/**
 * What a call answers whose nested loop has ended: its words, with the one artifact that its calls returned, or the list
 * of several (AGT-06). `nested`: artifacts of agentic tools inside count too (AGT-09).
 */
export function nestedResult(outcome: FrameOutcome, nested: boolean): ToolResult {
  return outcome.outcome === 'failed'
    ? error(outcome.text)
    : asReached(outcome, withArtifacts(outcome, nested));
}

/** A loop that met a limit, or that a signal ended, has not done what it was for: its result is no success. */
export const asReached = ({ outcome, signal }: FrameOutcome, result: ToolResult): ToolResult =>
  result.type !== 'error' && (outcome === 'limit-reached' || signal)
    ? toolResult({ ...result, withheld: true })
    : result;

function withArtifacts({ text: words, calls }: FrameOutcome, nested: boolean): ToolResult {
  const artifacts = calls.flatMap((call) =>
    call.result.type === 'artifact' && (nested || !call.nested) ? call.result : [],
  );
  const [only] = artifacts;
  if (!only) return text(words);
  if (artifacts.length > 1)
    return artifact(
      words,
      artifacts.map(({ value }) => value),
    );
  const { value, artifactType } = only;
  return toolResult({
    type: 'artifact',
    value,
    content: words,
    ...(artifactType !== undefined && { artifactType }),
  });
}
