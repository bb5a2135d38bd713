/** A list cannot be made tools of. Thrown where an agent is defined, and in a turn for what a provider answers. */
export class ToolResolutionError extends Error {
  override readonly name = 'ToolResolutionError';
}
