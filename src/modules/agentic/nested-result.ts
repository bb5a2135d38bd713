import type { FrameOutcome } from '../../tool/frame.ts';
import {
  type ArtifactItem,
  createToolResult,
  error,
  listArtifactItems,
  type ToolResult,
  text,
} from '../../tool/tool-result.ts';

/**
 * Returns the result of a call whose nested loop has ended: its answer in the form of `output`, or its text
 * with the artifacts of its calls. A single artifact is returned unchanged, several artifacts as a list with
 * their types. If `nested` is `true`, includes the artifacts of inner agentic tools.
 */
export function createNestedResult(outcome: FrameOutcome, nested: boolean): ToolResult {
  return outcome.outcome === 'failed'
    ? error(outcome.text)
    : withholdIfUnfinished(outcome, toFormedResult(outcome) ?? withArtifacts(outcome, nested));
}

/** Returns the nested loop's structured answer as an artifact, or `undefined` if there is none. */
export const toFormedResult = ({ object: value, objectType }: FrameOutcome): ToolResult | undefined =>
  value === undefined
    ? undefined
    : createToolResult({
        type: 'artifact',
        value,
        ...(objectType !== undefined && { artifactType: objectType }),
      });

/** Marks a result as withheld if a limit or a signal ended the loop, because its work is not finished. */
export const withholdIfUnfinished = ({ outcome, signal }: FrameOutcome, result: ToolResult): ToolResult =>
  result.type !== 'error' && (outcome === 'limit-reached' || signal)
    ? createToolResult({ ...result, withheld: true })
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
      ? toListArtifact(artifacts.flatMap(listItems))
      : {
          value,
          ...(artifactType !== undefined && { artifactType }),
          ...(artifactTypes && { artifactTypes }),
        };
  return createToolResult({ type: 'artifact', content: words, ...merged });
}

type Artifact = Extract<ToolResult, { readonly type: 'artifact' }>;

/** Splits a list artifact with known types into its items. Returns any other artifact as a single item. */
const listItems = (result: Artifact): readonly ArtifactItem[] =>
  (result.artifactType ?? result.artifactTypes) ? listArtifactItems(result) : [{ value: result.value }];

/** Combines several artifacts into a list, with their common type, or with the type of each. */
function toListArtifact(
  items: readonly ArtifactItem[],
): Pick<Artifact, 'value' | 'artifactType' | 'artifactTypes'> {
  const [type, ...others] = new Set(items.map((item) => item.type));
  return {
    value: items.map(({ value }) => value),
    ...(others.length > 0
      ? { artifactTypes: items.map((item) => item.type ?? null) }
      : type !== undefined && { artifactType: type }),
  };
}
