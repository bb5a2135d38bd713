import type { CallChanges } from '../journal/events.ts';
import { fileLine, isFile, isNew } from '../tool/content.ts';
import { copyJson } from '../tool/copy-json.ts';
import { isDomainType, outputProblems } from '../tool/domain-type.ts';
import type { Json, JsonLike } from '../tool/json.ts';
import { literals } from '../tool/literals.ts';
import { firstLine, mistake, stackOf } from '../tool/log.ts';
import { SignalError, signalled } from '../tool/signals.ts';
import { toToolResult } from '../tool/to-tool-result.ts';
import type { AnyTool } from '../tool/tool.ts';
import {
  failure,
  hasNewFiles,
  isToolResult,
  partsOfResult,
  type ToolResult,
  takeCause,
  toolResult,
} from '../tool/tool-result.ts';
import { messageOf, type ToolException } from './exception-processor.ts';
import type { Loop } from './loop.ts';
import { needsFiles } from './loop-files.ts';

/**
 * Makes a result of what a tool returned, and keeps its files. The developer is told of what is lost of a value, and of what was
 * behind an error.
 *
 * @throws what the tool returned, if that is an error or a signal: it was meant to be thrown.
 */
export async function resultOf(
  loop: Pick<Loop, 'files' | 'secrets' | 'log'>,
  tool: string,
  returned: unknown,
): Promise<ToolResult> {
  if (returned instanceof Error) throw returned;
  const result = toToolResult(tool, returned, (problem) => tellDeveloper(loop, problem));
  const cause = takeCause(result);
  if (cause !== undefined) {
    const said = cause instanceof Error ? stackOf(cause) : messageOf(tool, cause);
    tellMistake(loop, `Tool '${tool}' answered an error: ${result.content}\nCause: ${said}`);
  }
  if (!hasNewFiles(result)) return result;
  if (!loop.files) return withoutFiles(loop, tool, result);
  return loop.files.keep(result, loop.secrets, (problem) =>
    tellDeveloper(loop, `A file that tool '${tool}' answered was not kept. ${problem}`),
  );
}

/** The result in words, since nothing keeps its files. The tool has run. */
function withoutFiles(loop: Pick<Loop, 'log'>, tool: string, result: ToolResult): ToolResult {
  tellMistake(loop, needsFiles(`A file that tool '${tool}' returned was not kept: it`));
  const parts = partsOfResult(result).map((part) =>
    isFile(part) && isNew(part) ? ({ type: 'text', text: fileLine(part) } as const) : part,
  );
  return toolResult({ ...result, parts });
}

/**
 * In development: tells the developer of a returned object whose methods are tools, and of which nobody knows how to make them again: they
 * would be missing without a word.
 */
export function tellUnchained(
  loop: Pick<Loop, 'log'>,
  { name, output }: Pick<AnyTool, 'name' | 'output'>,
  returned: unknown,
): void {
  if (output && isDomainType(output) && output.objects) return;
  const answered = isToolResult(returned) ? untypedValue(returned) : returned;
  const problem = literals?.unchainedProblem(name, answered);
  if (problem !== undefined) tellDeveloper(loop, problem);
}

/** The value of an artifact that does not name its type. */
const untypedValue = (result: ToolResult): unknown =>
  result.type === 'artifact' && result.artifactType === undefined ? result.value : undefined;

/**
 * The result of a tool, unless its value does not fit what the tool declares as its output: also where the result names another type.
 * Of a result that is no success no more is known than its words.
 */
export async function asDeclared(
  loop: Pick<Loop, 'log'>,
  { name, output }: Pick<AnyTool, 'name' | 'output'>,
  result: ToolResult,
): Promise<ToolResult> {
  if (result.type !== 'artifact' || result.withheld || !output) return result;
  const problems = await outputProblems(output, result.value);
  if (problems.length === 0) return result;
  const not = isDomainType(output) ? `is no ${output.name}` : 'does not fit its output';
  const problem = `Tool '${name}' ran and finished, but what it returned ${not}: ${problems.join('; ')}.`;
  tellDeveloper(loop, problem);
  return toolResult({ type: 'error', message: `${problem} ${NOT_AGAIN}` });
}

const NOT_AGAIN = 'This is a mistake in the code of the tool; do not call it again for this.';

/** What a tool has answered, and what its call changed. */
interface Answered {
  readonly tool: string;
  readonly result: ToolResult;
  readonly changes?: CallChanges | undefined;
}

/** Answers what the journal keeps of a result. A tool that has run is never told of as if it had not. */
export function journaledResult(loop: Pick<Loop, 'log'>, { tool, result, changes }: Answered): ToolResult {
  const { length } = JSON.stringify([result, changes]);
  if (length <= MAX_RESULT) return result;
  const message =
    `Tool '${tool}' ran and finished, but its result and what it changed, of ${length} characters, are over the limit ` +
    `of ${MAX_RESULT} and were not kept. Do not repeat what it has done; if it only reads, ask it for less.`;
  tellDeveloper(loop, message);
  return toolResult({ type: 'error', message });
}

/** Characters of a result's JSON: an append carries several, and a message to the object weighs at most 32 MiB. */
const MAX_RESULT = 8 * 1024 * 1024;

/**
 * The result of a call that threw, if only a signal. Its siblings keep theirs, whatever is made of the exception. Where it ends the
 * turn, the reason of the signal is what every client is told: it has the exception's words only if the tool exposes them, while
 * the result, for the model and the owner, has them always.
 */
export function exceptionResult(
  loop: Pick<Loop, 'spec' | 'log' | 'inSession'>,
  { name: tool, expose }: Pick<AnyTool, 'name' | 'expose'>,
  cause: unknown,
): ToolResult {
  if (!(cause instanceof SignalError)) tellThrown(loop, { tool, thrown: cause });
  try {
    if (cause instanceof SignalError) throw cause;
    return failure('threw', loop.spec.policies.exceptions({ tool, thrown: cause }));
  } catch (thrown) {
    if (thrown instanceof SignalError) return signalled(thrown);
    const message = messageOf(tool, thrown);
    // Without a session nobody but the program itself is told.
    const reason = expose === true || !loop.inSession ? message : notExposed(tool);
    return toolResult({ type: 'error', message, signal: { type: 'fail', reason } });
  }
}

const notExposed = (tool: string): string =>
  `Tool '${tool}' threw, which ended the turn. What it threw is in the result of its call.`;

/** A line of the log about what code of a tool threw. */
export function tellThrown({ log }: Pick<Loop, 'log'>, { tool, thrown }: ToolException, where = ''): void {
  if (thrown instanceof NotKeptError) {
    const message = `Tool '${tool}' failed. ${thrown.message}`;
    log({ ...mistake(message, undefined, 'value-lost'), tool });
    return;
  }
  const message = `Tool '${tool}' threw${where}: ${firstLine(messageOf(tool, thrown))}`;
  log({ ...mistake(message, thrown, 'tool-threw'), tool });
}

/** A line of the log about a value that is not kept: by then the tool may have acted. */
export const tellDeveloper = ({ log }: Pick<Loop, 'log'>, message: string): void =>
  log(mistake(message, undefined, 'value-lost'));

/** A line of the log about anything else that a developer may mend. */
export const tellMistake = ({ log }: Pick<Loop, 'log'>, message: string): void => log(mistake(message));

/**
 * A copy as the journal will give it back, so that a value looks the same before and after an eviction.
 *
 * @throws NotKeptError that says where it is not JSON.
 */
export function throughJson(where: string, value: JsonLike): Json {
  const copy = copyJson(value);
  if (copy.ok) return copy.value;
  throw new NotKeptError(
    `${where}: the value at \`${copy.problem.path}\` is ${copy.problem.what}, which is not JSON.`,
  );
}

/** A tool asks for something to be journaled that is not JSON. It may have acted before. */
export class NotKeptError extends TypeError {}
