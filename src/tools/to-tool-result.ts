import { copyJson, type NonJson } from './copy-json.ts';
import { error, text } from './results.ts';
import { isToolResult, type ToolResult, toolResult } from './tool-result.ts';

/**
 * Makes a result of whatever a tool returned: `undefined` is the text `Done`, `null` the empty text, a string its
 * text, a number or boolean its JSON, an object or array an artifact whose JSON the model reads. Results stay as they
 * are. Never throws: a value that is not JSON becomes an error that says that the tool did run. The value is copied,
 * so that the tool may go on changing its own.
 */
export function toToolResult(toolName: string, returned: unknown): ToolResult {
  if (isToolResult(returned))
    return returned.type === 'artifact' ? copyArtifact(toolName, returned) : returned;
  if (returned === undefined) return text('Done');
  if (returned === null) return text('');
  if (typeof returned === 'string') return text(returned);
  const copy = copyJson(returned);
  if (!copy.ok) return lostValue(toolName, copy.problem);
  if (typeof copy.value !== 'object') return text(JSON.stringify(copy.value));
  return toolResult({ type: 'artifact', value: copy.value });
}

function copyArtifact(toolName: string, result: Extract<ToolResult, { type: 'artifact' }>): ToolResult {
  const copy = copyJson(result.value);
  return copy.ok ? toolResult({ ...result, value: copy.value }) : lostValue(toolName, copy.problem);
}

/** The model must not take this for a failure and act a second time. */
const lostValue = (toolName: string, { path, what }: NonJson): ToolResult =>
  error(
    `Tool '${toolName}' ran and finished, but its value is lost: the value at \`${path}\` is ${what}, ` +
      'which does not survive JSON. This is a mistake in the code of the tool; do not call it again for this.',
  );
