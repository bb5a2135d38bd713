import type { CallChanges } from '../journal/events.ts';
import { copyJson, type Json, type JsonLike } from '../tool/json.ts';
import { SignalError, signalled } from '../tool/signals.ts';
import { failure, type ToolResult, toolResult, toToolResult } from '../tool/tool-result.ts';
import { messageOf, type ToolException } from './exception-processor.ts';
import { withKeptFiles } from './keep-files.ts';
import type { Loop } from './loop.ts';

/** Makes a result of what a tool returned, and keeps its files. Of a value that is lost the model and the developer are told. */
export const resultOf = (
  loop: Pick<Loop, 'files' | 'secrets'>,
  tool: string,
  returned: unknown,
): Promise<ToolResult> =>
  withKeptFiles(
    loop,
    toToolResult(tool, returned, (problem) => tellDeveloper(loop, problem)),
    (problem) => tellDeveloper(loop, `A file that tool '${tool}' answered was not kept. ${problem}`),
  );

/** What a tool has answered, and what its call changed. */
interface Answered {
  readonly tool: string;
  readonly result: ToolResult;
  readonly changes?: CallChanges | undefined;
}

/** Answers what the journal keeps of a result. A tool that has run is never told of as if it had not. */
export function journaledResult(
  loop: Pick<Loop, 'secrets'>,
  { tool, result, changes }: Answered,
): ToolResult {
  const { length } = JSON.stringify([result, changes]);
  if (length <= MAX_RESULT) return result;
  const message =
    `Tool '${tool}' ran and finished, but its result and what it changed, of ${length} characters, are over the limit ` +
    `of ${MAX_RESULT} and were not kept. Ask it for less.`;
  tellDeveloper(loop, message);
  return toolResult({ type: 'error', message });
}

/** Characters of a result's JSON: an append carries several, and a message to the object weighs at most 32 MiB. */
const MAX_RESULT = 8 * 1024 * 1024;

/** The result of a call that threw, if only a signal. Its siblings keep theirs, whatever is made of the exception. */
export function exceptionResult(loop: Pick<Loop, 'spec' | 'secrets'>, exception: ToolException): ToolResult {
  const { tool, thrown: cause } = exception;
  if (cause instanceof NotKeptError) tellDeveloper(loop, `Tool '${tool}' failed. ${cause.message}`);
  try {
    if (cause instanceof SignalError) throw cause;
    return failure('threw', loop.spec.policies.exceptions(exception));
  } catch (thrown) {
    if (thrown instanceof SignalError) return signalled(thrown);
    const reason = messageOf(tool, thrown);
    return signalled(new SignalError({ type: 'fail', reason }));
  }
}

/** A line of the log about a value that cannot be journaled: by then the tool may have acted. */
export const tellDeveloper = ({ secrets }: Pick<Loop, 'secrets'>, problem: string): void =>
  console.error(`holdfast: ${secrets.redact(problem)}`);

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
