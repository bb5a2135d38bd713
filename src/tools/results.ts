import type { Json } from './json.ts';
import { type ArtifactType, type ToolResult, toolResult } from './tool-result.ts';

/** A result that is words for the model; the empty text when there are none (AET-02). */
export const text = (content: string | null | undefined): Extract<ToolResult, { type: 'text' }> =>
  toolResult({ type: 'text', content: content ?? '' });

/** A result that tells the model what went wrong; it reads `Error: {message}`, also when there is no message (AET-02). */
export const error = (message: string | null | undefined): Extract<ToolResult, { type: 'error' }> =>
  toolResult({ type: 'error', message: message?.trim() ? message : 'Tool execution failed with no message' });

/**
 * A result with words for the model and a value for the program: sinks, unlock conditions and chaining see the value,
 * the model only the words (RES-01, RES-05). With a type, the value is an artifact of that type.
 * The value must be JSON; it is checked and copied when the call ends.
 */
export function artifact(content: string, value: unknown): ToolResult;
export function artifact(content: string, type: ArtifactType, value: unknown): ToolResult;
export function artifact(
  content: string,
  ...rest: readonly [unknown] | readonly [ArtifactType, unknown]
): ToolResult {
  if (rest.length === 1) return toolResult({ type: 'artifact', content, value: unchecked(rest[0]) });
  const [type, value] = rest;
  return toolResult({ type: 'artifact', content, value: unchecked(value), artifactType: type.name });
}

/** `toToolResult` checks every artifact; asking for `Json` here would refuse values whose type is an interface. */
const unchecked = (value: unknown): Json => value as Json;
