import { copyJson, type NonJson } from './copy-json.ts';
import { error, text } from './results.ts';
import { isToolResult, type ToolResult, toolResult } from './tool-result.ts';

/**
 * Makes a result of whatever a tool returned: `undefined` is the text `Done`, `null` the empty text, a string its
 * text, a number or boolean its JSON, an object or array an artifact whose JSON the model reads; what has `toJSON` is what
 * that says. Results stay as they are. Never throws: a value that is not JSON becomes an error that says that the tool did
 * run, and `onLost` is told of it in words for the developer. The value is copied, so that the tool may go on changing its
 * own.
 */
export function toToolResult(toolName: string, returned: unknown, onLost?: OnLost): ToolResult {
  if (isToolResult(returned))
    return returned.type === 'artifact' ? copyArtifact(toolName, returned, onLost) : returned;
  if (returned === undefined) return text('Done');
  const copy = copyJson(returned);
  if (!copy.ok) return lostValue(toolName, copy.problem, onLost);
  const { value } = copy;
  if (value === null || typeof value === 'string') return text(value);
  if (typeof value !== 'object') return text(JSON.stringify(value));
  return toolResult({ type: 'artifact', value });
}

/** Told of a value that a tool returned and that cannot be kept. */
export type OnLost = (problem: string) => void;

function copyArtifact(
  toolName: string,
  result: Extract<ToolResult, { type: 'artifact' }>,
  onLost: OnLost | undefined,
): ToolResult {
  const copy = copyJson(result.value);
  return copy.ok ? toolResult({ ...result, value: copy.value }) : lostValue(toolName, copy.problem, onLost);
}

/** The model must not take this for a failure and act a second time. */
function lostValue(toolName: string, { path, what }: NonJson, onLost: OnLost | undefined): ToolResult {
  const problem =
    `Tool '${toolName}' ran and finished, but its value is lost: the value at \`${path}\` is ${what}, ` +
    'which does not survive JSON.';
  onLost?.(`${problem} Return JSON, or give the value a toJSON that says it.`);
  return error(`${problem} This is a mistake in the code of the tool; do not call it again for this.`);
}
