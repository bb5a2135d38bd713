import { InterruptionError } from './holder.ts';

/** An exception that a tool threw. Excludes signals, aborts and lost connections. */
export interface ToolException {
  readonly tool: string;
  readonly thrown: unknown;
}

/**
 * Returns the message of the error result that the model reads. If it throws, the turn ends: as the signal
 * says if it throws a signal, and otherwise as failed.
 */
export type ExceptionProcessor = (exception: ToolException) => string;

/** Returns the exception's message. */
export const describeException: ExceptionProcessor = ({ tool, thrown }) => getThrownMessage(tool, thrown);

/** Selects the tool exceptions that end the turn instead of going to the model. */
export interface ExceptionOptions {
  /** If `true`, every exception ends the turn as failed. */
  readonly alwaysThrow?: boolean | undefined;
  /** Exceptions of these classes and their subclasses end the turn as failed. */
  readonly rethrown?: readonly ExceptionClass[] | undefined;
}

type ExceptionClass = abstract new (...given: never[]) => unknown;

/**
 * Returns an exception processor that passes exceptions to the model, except those that end the turn.
 *
 * @example
 * ```ts
 * const agent = defineAgent({
 *   name: 'clerk',
 *   description: 'Helps.',
 *   instructions: 'Help.',
 *   policies: { exceptions: exceptionProcessor({ rethrown: [RangeError] }) },
 * });
 * ```
 */
export function exceptionProcessor({
  alwaysThrow = false,
  rethrown = [],
}: ExceptionOptions = {}): ExceptionProcessor {
  return (exception) => {
    const { thrown } = exception;
    if (alwaysThrow || rethrown.some((type) => thrown instanceof type)) throw thrown;
    return describeException(exception);
  };
}

/** The maximum length of a thrown message in characters. */
const MAX_MESSAGE_LENGTH = 2_000;

/** The maximum number of causes to follow. */
const MAX_CAUSES = 5;

/**
 * Returns the message of a tool's exception and of its causes, for a model to read. Without a message,
 * includes the class name.
 */
export function getThrownMessage(tool: string, thrown: unknown): string {
  const message = getTextOrEmpty(() => formatWithCauses(thrown, MAX_CAUSES));
  if (message.trim() !== '') return message.slice(0, MAX_MESSAGE_LENGTH);
  const name = getTextOrEmpty(() => Object(thrown).constructor?.name);
  return `Exception occurred in tool: ${tool} (${name === '' ? 'no class' : name})`;
}

/** Returns the error's own message, followed by its cause's unless the message already includes it. */
function formatWithCauses(thrown: unknown, causes: number): string {
  if (!(thrown instanceof Error)) return getTextOrEmpty(() => String(thrown));
  const own = getTextOrEmpty(() => thrown.message);
  const isLast = causes === 0 || thrown.cause === undefined || thrown.cause === null;
  const cause = isLast ? '' : formatWithCauses(thrown.cause, causes - 1);
  if (own.trim() === '') return cause;
  return own.includes(cause) ? own : `${own} (cause: ${cause})`;
}

/** Returns a text, or an empty string if the thrown value cannot be converted to one. */
function getTextOrEmpty(words: () => unknown): string {
  try {
    const said = words();
    return typeof said === 'string' ? said : '';
  } catch {
    return '';
  }
}

/**
 * Returns whether a thrown value means that the outcome is unknown, not that the work failed: an abort, a
 * timeout, a lost connection, a reset or overloaded Durable Object, or any of these as its cause.
 */
export function isCutOff(thrown: unknown, depth = 0): boolean {
  if (thrown instanceof InterruptionError) return true;
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

/**
 * Matches messages of platforms and libraries for a lost connection, or for a receiver that disconnected
 * before it answered.
 */
const CUT_OFF =
  /network connection lost|connection (was )?(lost|reset|closed)|socket hang up|econnreset|\breset because\b|\b(was|be|been) reset\b|internal error/i;

/** Properties that the platform adds to errors of its own calls. */
interface PlatformError extends Error {
  readonly retryable?: boolean;
  readonly durableObjectReset?: boolean;
  readonly overloaded?: boolean;
}
