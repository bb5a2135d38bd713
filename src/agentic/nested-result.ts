import { artifact, error, text } from '../tools/results.ts';
import type { FrameOutcome } from '../tools/tool.ts';
import { type ToolResult, toolResult } from '../tools/tool-result.ts';

/**
 * What a call answers whose nested loop has ended: its words, with the one artifact that its calls returned, or the list
 * of several (AGT-06). `nested`: artifacts of agentic tools inside count too (AGT-09).
 */
export function nestedResult({ outcome, text: words, calls }: FrameOutcome, nested: boolean): ToolResult {
  if (outcome === 'failed') return error(words);
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
