import type { FrameOutcome } from '../../tool/frame.ts';
import {
  type ArtifactItem,
  artifactItems,
  error,
  type ToolResult,
  text,
  toolResult,
} from '../../tool/tool-result.ts';

/**
 * Returns the result of a call whose nested loop has ended: its answer in the form of `output`; or its words, with the one artifact that
 * its calls returned, or the list of several, each with its type. `nested`: artifacts of agentic tools inside count too.
 */
export function nestedResult(outcome: FrameOutcome, nested: boolean): ToolResult {
  return outcome.outcome === 'failed'
    ? error(outcome.text)
    : asReached(outcome, formed(outcome) ?? withArtifacts(outcome, nested));
}

/** The answer of a nested loop as an artifact, if it had to have a form and has it. */
export const formed = ({ object: value, objectType }: FrameOutcome): ToolResult | undefined =>
  value === undefined
    ? undefined
    : toolResult({
        type: 'artifact',
        value,
        ...(objectType !== undefined && { artifactType: objectType }),
      });

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
  const { value, artifactType, artifactTypes } = only;
  const merged =
    artifacts.length > 1
      ? listOf(artifacts.flatMap(itemsOf))
      : {
          value,
          ...(artifactType !== undefined && { artifactType }),
          ...(artifactTypes && { artifactTypes }),
        };
  return toolResult({ type: 'artifact', content: words, ...merged });
}

type Artifact = Extract<ToolResult, { readonly type: 'artifact' }>;

/** A list of a type is a list of such artifacts; of another list no more is known than that a call returned it. */
const itemsOf = (result: Artifact): readonly ArtifactItem[] =>
  (result.artifactType ?? result.artifactTypes) ? artifactItems(result) : [{ value: result.value }];

/** Several artifacts as one: their type where all have the same, else the type of each. */
function listOf(items: readonly ArtifactItem[]): Pick<Artifact, 'value' | 'artifactType' | 'artifactTypes'> {
  const [type, ...others] = new Set(items.map((item) => item.type));
  return {
    value: items.map(({ value }) => value),
    ...(others.length > 0
      ? { artifactTypes: items.map((item) => item.type ?? null) }
      : type !== undefined && { artifactType: type }),
  };
}
