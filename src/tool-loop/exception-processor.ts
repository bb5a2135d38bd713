import { SignalError, signalled } from '../tools/signals.ts';
import { failure, type ToolResult } from '../tools/tool-result.ts';
import { NotKeptError, tellDeveloper } from './kept-result.ts';
import type { Loop } from './loop.ts';
import { messageOf } from './message-of.ts';

/** What a tool threw. Signals, aborts and lost connections are not among it. */
export interface ToolException {
  readonly tool: string;
  readonly thrown: unknown;
}

/**
 * What the model is told of an exception, as the message of an error result. What it throws ends the turn: a signal as
 * it says, anything else as failed (SPM-10).
 */
export type ExceptionProcessor = (exception: ToolException) => string;

/** Tells the model the exception's message. */
export const tellException: ExceptionProcessor = ({ tool, thrown }) => messageOf(tool, thrown);

export interface ExceptionOptions {
  /** Every exception ends the turn as failed. */
  readonly alwaysThrow?: boolean | undefined;
  /** Exceptions of these classes, or of classes made of them, end the turn as failed. */
  readonly rethrown?: readonly ExceptionClass[] | undefined;
}

type ExceptionClass = abstract new (...given: never[]) => unknown;

/** An exception processor that tells the model, but for exceptions that are to end the turn. */
export function exceptionProcessor({
  alwaysThrow = false,
  rethrown = [],
}: ExceptionOptions = {}): ExceptionProcessor {
  return (exception) => {
    const { thrown } = exception;
    if (alwaysThrow || rethrown.some((type) => thrown instanceof type)) throw thrown;
    return tellException(exception);
  };
}

/** The result of a call that threw. Its siblings keep theirs, whatever is made of the exception (SPM-11). */
export function exceptionResult(
  loop: Pick<Loop, 'policies' | 'secrets'>,
  exception: ToolException,
): ToolResult {
  const { tool, thrown: cause } = exception;
  if (cause instanceof NotKeptError) tellDeveloper(loop, `Tool '${tool}' failed. ${cause.message}`);
  try {
    return failure('threw', loop.policies.exceptions(exception));
  } catch (thrown) {
    if (thrown instanceof SignalError) return signalled(thrown);
    const reason = messageOf(tool, thrown);
    return signalled(new SignalError({ type: 'fail', reason }));
  }
}
