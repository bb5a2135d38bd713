import type { CallChanges } from '../journal/events.ts';
import { formatFileLine, isFile, isNewFile } from '../tool/content.ts';
import { copyJson } from '../tool/copy-json.ts';
import { isDomainType, listOutputProblems } from '../tool/domain-type.ts';
import type { Json, JsonLike } from '../tool/json.ts';
import { literals } from '../tool/literals.ts';
import { createErrorEntry, formatStack, getFirstLine } from '../tool/log.ts';
import { SignalError, toSignalResult } from '../tool/signals.ts';
import { toToolResult } from '../tool/to-tool-result.ts';
import type { AnyTool } from '../tool/tool.ts';
import {
  createFailureResult,
  createToolResult,
  hasNewFiles,
  isToolResult,
  listResultParts,
  type ToolResult,
  takeCause,
} from '../tool/tool-result.ts';
import { getThrownMessage, type ToolException } from './exception-processor.ts';
import type { Loop } from './loop.ts';
import { formatMissingFilesModuleMessage } from './loop-files.ts';

/**
 * Converts the return value of a tool to a result, and stores its files. Logs values that are lost, and the
 * cause of a returned error.
 *
 * @throws the returned value if it is an `Error` or a signal.
 */
export async function toKeptResult(
  loop: Pick<Loop, 'files' | 'secrets' | 'log'>,
  tool: string,
  returned: unknown,
): Promise<ToolResult> {
  if (returned instanceof Error) throw returned;
  const result = toToolResult(tool, returned, (problem) => logLostValue(loop, problem));
  const cause = takeCause(result);
  if (cause !== undefined) {
    const said = cause instanceof Error ? formatStack(cause) : getThrownMessage(tool, cause);
    logMistake(loop, `Tool '${tool}' returned an error: ${result.content}\nCause: ${said}`);
  }
  if (!hasNewFiles(result)) return result;
  if (!loop.files) return withoutFiles(loop, tool, result);
  return loop.files.keep(result, loop.secrets, (problem) =>
    logLostValue(loop, `A file that tool '${tool}' returned was not kept. ${problem}`),
  );
}

/**
 * Returns the result with its files mentioned in text, since no module stores them. The tool has already run.
 */
function withoutFiles(loop: Pick<Loop, 'log'>, tool: string, result: ToolResult): ToolResult {
  logMistake(
    loop,
    formatMissingFilesModuleMessage(`A file that tool '${tool}' returned was not kept, since it`),
  );
  const parts = listResultParts(result).map((part) =>
    isFile(part) && isNewFile(part) ? ({ type: 'text', text: formatFileLine(part) } as const) : part,
  );
  return createToolResult({ ...result, parts });
}

/**
 * In development, logs a returned object whose methods are tools but that cannot be rebuilt. Otherwise its
 * tools would be missing without a message.
 */
export function warnUnrebuildable(
  loop: Pick<Loop, 'log'>,
  { name, output }: Pick<AnyTool, 'name' | 'output'>,
  returned: unknown,
): void {
  if (output && isDomainType(output) && output.objects) return;
  const answered = isToolResult(returned) ? getUntypedValue(returned) : returned;
  const problem = literals?.unchainedProblem(name, answered);
  if (problem !== undefined) logLostValue(loop, problem);
}

/** Returns the value of an artifact without a named type. */
const getUntypedValue = (result: ToolResult): unknown =>
  result.type === 'artifact' && result.artifactType === undefined ? result.value : undefined;

/**
 * Returns the result, or an error if its value does not fit the tool's declared output. This includes a value
 * of another named type. A result that is not a success is not checked.
 */
export async function checkDeclaredOutput(
  loop: Pick<Loop, 'log'>,
  { name, output }: Pick<AnyTool, 'name' | 'output'>,
  result: ToolResult,
): Promise<ToolResult> {
  if (result.type !== 'artifact' || result.withheld || !output) return result;
  const problems = await listOutputProblems(output, result.value);
  if (problems.length === 0) return result;
  const type = isDomainType(output) ? output.name : 'its output';
  const problem = `Tool '${name}' ran and finished, but its result does not fit ${type}: ${problems.join('; ')}.`;
  logLostValue(loop, problem);
  return createToolResult({ type: 'error', message: `${problem} ${NO_REPEAT_ADVICE}` });
}

const NO_REPEAT_ADVICE = 'This is a mistake in the code of the tool; do not call it again for this.';

/** A tool's result, and the changes of its call. */
interface ResultWithChanges {
  readonly tool: string;
  readonly result: ToolResult;
  readonly changes?: CallChanges | undefined;
}

/** Returns the result to journal. If it is too large, the error says that the tool has run. */
export function toJournaledResult(
  loop: Pick<Loop, 'log'>,
  { tool, result, changes }: ResultWithChanges,
): ToolResult {
  const { length } = JSON.stringify([result, changes]);
  if (length <= MAX_RESULT_CHARACTERS) return result;
  const message =
    `Tool '${tool}' ran and finished, but its result and what it changed, of ${length} characters, are over the limit ` +
    `of ${MAX_RESULT_CHARACTERS} and were not kept. Do not repeat what it has done; if it only reads, ask it for less.`;
  logLostValue(loop, message);
  return createToolResult({ type: 'error', message });
}

/**
 * The maximum characters of a result's JSON. An append carries several, and a message to the Durable Object
 * can be 32 MiB.
 */
const MAX_RESULT_CHARACTERS = 8 * 1024 * 1024;

/**
 * Returns the result of a call that threw. The other calls of the batch keep their results. If the exception
 * ends the turn, all clients see the signal's reason, so it contains the exception's message only if the tool
 * sets `expose`. The result itself always contains it, for the model and the owner.
 */
export function createExceptionResult(
  loop: Pick<Loop, 'spec' | 'log' | 'inSession'>,
  { name: tool, expose }: Pick<AnyTool, 'name' | 'expose'>,
  cause: unknown,
): ToolResult {
  if (!(cause instanceof SignalError)) logToolException(loop, { tool, thrown: cause });
  try {
    if (cause instanceof SignalError) throw cause;
    return createFailureResult('threw', loop.spec.policies.exceptions({ tool, thrown: cause }));
  } catch (thrown) {
    if (thrown instanceof SignalError) return toSignalResult(thrown);
    const message = getThrownMessage(tool, thrown);
    // Without a session, only the program itself sees the message.
    const reason = expose === true || !loop.inSession ? message : formatHiddenException(tool);
    return createToolResult({ type: 'error', message, signal: { type: 'fail', reason } });
  }
}

const formatHiddenException = (tool: string): string =>
  `Tool '${tool}' threw, which ended the turn. The exception is in the result of its call.`;

/** Logs an exception of a tool's code. */
export function logToolException(
  { log }: Pick<Loop, 'log'>,
  { tool, thrown }: ToolException,
  where = '',
): void {
  if (thrown instanceof NotKeptError) {
    const message = `Tool '${tool}' failed. ${thrown.message}`;
    log({ ...createErrorEntry(message, undefined, 'value-lost'), tool });
    return;
  }
  const message = `Tool '${tool}' threw${where}: ${getFirstLine(getThrownMessage(tool, thrown))}`;
  log({ ...createErrorEntry(message, thrown, 'tool-threw'), tool });
}

/** Logs a value that is not journaled. The tool may already have acted. */
export const logLostValue = ({ log }: Pick<Loop, 'log'>, message: string): void =>
  log(createErrorEntry(message, undefined, 'value-lost'));

/** Logs any other mistake that a developer can fix. */
export const logMistake = ({ log }: Pick<Loop, 'log'>, message: string): void =>
  log(createErrorEntry(message));

/**
 * Returns a copy through JSON, so that a value looks the same before and after an eviction.
 *
 * @throws NotKeptError if part of it is not JSON. The message names the place.
 */
export function copyThroughJson(where: string, value: JsonLike): Json {
  const copy = copyJson(value);
  if (copy.ok) return copy.value;
  throw new NotKeptError(
    `${where}: the value at \`${copy.problem.path}\` is ${copy.problem.what}, which is not JSON.`,
  );
}

/** Thrown if a tool journals a value that is not JSON. The tool may already have acted. */
export class NotKeptError extends TypeError {}
