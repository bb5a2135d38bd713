import { Interrupted } from './holder.ts';

/** What a tool threw. Signals, aborts and lost connections are not among it. */
export interface ToolException {
  readonly tool: string;
  readonly thrown: unknown;
}

/**
 * What the model is told of an exception, as the message of an error result. What it throws ends the turn: a signal as
 * it says, anything else as failed.
 */
export type ExceptionProcessor = (exception: ToolException) => string;

/** Tells the model the exception's message. */
export const tellException: ExceptionProcessor = ({ tool, thrown }) => messageOf(tool, thrown);

/** Which exceptions of tools end the turn instead of being told to the model. */
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

/** What of a thrown message is passed on, in characters. */
const MAX_MESSAGE = 2_000;

/** How deep a chain of causes is followed. */
const MAX_CAUSES = 5;

/** Answers what a tool's exception says and what caused it, for a model to read; its class when it says nothing. */
export function messageOf(tool: string, thrown: unknown): string {
  const message = attempt(() => wordsOf(thrown, MAX_CAUSES));
  if (message.trim() !== '') return message.slice(0, MAX_MESSAGE);
  const name = attempt(() => Object(thrown).constructor?.name);
  return `Exception occurred in tool: ${tool} (${name === '' ? 'no class' : name})`;
}

/** Its own words first, and those of its cause after them, unless they are in its own already. */
function wordsOf(thrown: unknown, causes: number): string {
  if (!(thrown instanceof Error)) return attempt(() => String(thrown));
  const own = attempt(() => thrown.message);
  const isLast = causes === 0 || thrown.cause === undefined || thrown.cause === null;
  const cause = isLast ? '' : wordsOf(thrown.cause, causes - 1);
  if (own.trim() === '') return cause;
  return own.includes(cause) ? own : `${own} (cause: ${cause})`;
}

/** Anything can be thrown, also what cannot be made words. */
function attempt(words: () => unknown): string {
  try {
    const said = words();
    return typeof said === 'string' ? said : '';
  } catch {
    return '';
  }
}

/**
 * Tells whether a thrown value says that nobody knows, rather than that the work failed: an abort, a timeout, a lost
 * connection, a Durable Object that was reset or is overloaded, or any of these as its cause.
 */
export function isCutOff(thrown: unknown, depth = 0): boolean {
  if (thrown instanceof Interrupted) return true;
  if (!(thrown instanceof Error) || depth > MAX_CAUSES) return false;
  const flags: PlatformError = thrown;
  return (
    thrown.name === 'AbortError' ||
    thrown.name === 'TimeoutError' ||
    flags.retryable === true ||
    flags.durableObjectReset === true ||
    flags.overloaded === true ||
    CUT_OFF.test(thrown.message) ||
    isCutOff(thrown.cause, depth + 1)
  );
}

/** What platforms and libraries say of a line that broke, or of a receiver that went away, before an answer came. */
const CUT_OFF =
  /network connection lost|connection (was )?(lost|reset|closed)|socket hang up|econnreset|\breset because\b|\b(was|be|been) reset\b|internal error/i;

/** What the platform adds to the errors of its own calls. */
interface PlatformError extends Error {
  readonly retryable?: boolean;
  readonly durableObjectReset?: boolean;
  readonly overloaded?: boolean;
}
