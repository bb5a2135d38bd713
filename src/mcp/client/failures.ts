import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { raceAbort } from '../../tool/async.ts';
import { toOneLine } from '../content/words.ts';
import { getCode } from './in-session.ts';
import { McpLostError, McpServerError } from './mcp-connection.ts';
import {
  AddressRefusedError,
  AnswerTooLargeError,
  HttpStatusError,
  NotSentError,
  RedirectRefusedError,
  SignInRequiredError,
  WireError,
} from './wire/wire-error.ts';

/** A request whose response is no longer awaited. */
interface Abandonment {
  readonly why: 'cancelled' | 'timeout';
  /** The time limit in milliseconds. */
  readonly timeout: number;
}

/** A failure. `abandoned` is set if the response was no longer awaited. */
interface FailureDetails {
  readonly during: 'connect' | 'list';
  readonly error: unknown;
  readonly abandoned: Abandonment | undefined;
}

/** Creates the error for a server that could not be reached, or could not list its tools. */
export function createServerFailure(
  server: string,
  { during, error, abandoned }: FailureDetails,
): McpServerError {
  if (error instanceof McpServerError) return error;
  const what = during === 'connect' ? 'cannot be reached' : 'could not list its tools';
  const why = abandoned ? formatAbandonment(abandoned) : describeError(error);
  const message = findCredentialsProblem(server, error) ?? `MCP server '${server}' ${what}: ${why}.`;
  return new McpServerError({ server, during, message });
}

/** Creates the error for a request without an effect. */
export function createRequestFailure(
  server: string,
  { method, error, abandoned }: Omit<FailureDetails, 'during'> & { readonly method: string },
): McpServerError {
  if (error instanceof McpServerError) return error;
  const why = abandoned ? formatAbandonment(abandoned) : describeError(error);
  const message =
    findCredentialsProblem(server, error) ?? `MCP server '${server}' could not answer '${method}': ${why}.`;
  return new McpServerError({
    server,
    during: 'request',
    message,
    code: abandoned ? undefined : getCode(error),
  });
}

/** Creates the error for a capability that a server lacks. */
export const createNotOfferedFailure = (server: string, what: string): McpServerError =>
  new McpServerError({ server, during: 'request', message: `MCP server '${server}' has no ${what}.` });

/** The JSON-RPC errors for a call that did not start. For one of them, a person must first visit a URL. */
const NOT_STARTED_CODES: ReadonlySet<number> = new Set([
  ProtocolErrorCode.ParseError,
  ProtocolErrorCode.InvalidRequest,
  ProtocolErrorCode.MethodNotFound,
  ProtocolErrorCode.InvalidParams,
  ProtocolErrorCode.UrlElicitationRequired,
  ProtocolErrorCode.MissingRequiredClientCapability,
  ProtocolErrorCode.UnsupportedProtocolVersion,
  -32_020, // the headers contradict the body
]);

/**
 * The errors of servers and SDKs for a running call that was cut off: the connection closed, or the time
 * limit passed.
 */
const CUT_OFF_CODES: ReadonlySet<number> = new Set([-32_000, -32_001]);

/**
 * Creates the error for a call. It is a McpServerError if the server certainly did not run the call, or
 * reported its failure. It is a McpLostError if the outcome is unknown.
 */
export function createCallFailure(
  server: string,
  tool: string,
  error: unknown,
): McpServerError | McpLostError {
  if (error instanceof McpServerError || error instanceof McpLostError) return error;
  const createCertainError = (message: string) => new McpServerError({ server, during: 'call', message });
  const refused = findCredentialsProblem(server, error);
  if (refused !== undefined) return createCertainError(refused);
  const name = toOneLine(tool, 80);
  if (isRefused(error))
    return createCertainError(`MCP server '${server}' did not run '${name}': ${describeError(error)}.`);
  if (error instanceof ProtocolError) {
    if (CUT_OFF_CODES.has(error.code)) return createLostFailure(server, name, describeError(error));
    return createCertainError(
      `The call of '${name}' of MCP server '${server}' failed: ${describeError(error)}.`,
    );
  }
  const createRanError = (what: string) =>
    createCertainError(
      `The result of '${name}' of MCP server '${server}' is not known: it ran, and ${what}.`,
    );
  if (error instanceof AnswerTooLargeError) return createRanError(`${error.phrase}, which exceeds the limit`);
  if (error instanceof WireError) return createLostFailure(server, name, error.phrase);
  return createRanError("the server's answer is not a tool result");
}

/** Creates the error for a call whose result is no longer awaited. */
export const createAbandonedCallFailure = (
  server: string,
  tool: string,
  abandoned: Abandonment,
): McpLostError => createLostFailure(server, toOneLine(tool, 80), formatAbandonment(abandoned));

/** Creates the error for a call that was cancelled before the request. */
export const createCancelledCallFailure = (server: string, tool: string): McpServerError =>
  new McpServerError({
    server,
    during: 'call',
    message: `MCP server '${server}' did not run '${toOneLine(tool, 80)}': the call was cancelled before.`,
  });

const createLostFailure = (server: string, tool: string, phrase: string): McpLostError =>
  new McpLostError(
    `MCP server '${server}' was asked to run '${tool}', and ${phrase}: it is unknown whether it ran.`,
  );

/**
 * Returns whether the call certainly did not run: a 4xx status other than 408. A server can send 5xx and 408
 * after it ran the call. Other statuses do not show whether it ran.
 */
function isRefused(error: unknown): boolean {
  if (error instanceof HttpStatusError) {
    return error.status >= 400 && error.status < 500 && error.status !== 408;
  }
  if (error instanceof RedirectRefusedError) return error.isCertain;
  if (error instanceof ProtocolError) return NOT_STARTED_CODES.has(error.code);
  return error instanceof AddressRefusedError || error instanceof NotSentError;
}

/** The maximum length of a server's own error text. */
const MAX_ERROR_TEXT = 500;

/** Returns the text after "MCP server 'x' cannot be reached: ". */
const formatAbandonment = ({ why, timeout }: Abandonment): string =>
  why === 'timeout' ? `it did not answer within ${timeout} ms` : 'the turn stopped waiting';

/** Returns the same text, for an error. */
function describeError(error: unknown): string {
  if (error instanceof WireError) return error.phrase;
  if (!(error instanceof ProtocolError)) return 'its answer is not valid MCP, or of an unsupported version';
  // Both sides of the SDK put the code before the text.
  const words = toOneLine(error.message.replace(/^(MCP error -?\d+: )+/, ''), MAX_ERROR_TEXT);
  return `it answered with error ${error.code}: ${words.replace(/\.$/, '')}`;
}

/** Returns the message for a model if the server refuses the caller's credentials; otherwise `undefined`. */
function findCredentialsProblem(server: string, error: unknown): string | undefined {
  const detail = findCredentialsDetail(error);
  return detail && `MCP server '${server}' does not accept the caller's credentials (${detail}).`;
}

function findCredentialsDetail(error: unknown): string | undefined {
  if (error instanceof SignInRequiredError) return error.phrase;
  return error instanceof HttpStatusError && error.isOfCredentials ? `HTTP ${error.status}` : undefined;
}

/** A signal that also aborts after a timeout, and records which of the two happened. */
interface Deadline {
  readonly signal: AbortSignal;
  /** `undefined` until either happens. */
  readonly abandoned: Abandonment | undefined;
  /** Waits for the work. If the signal aborts, rejects with its reason. */
  wait<T>(work: Promise<T>): Promise<T>;
}

/** Creates a deadline in `timeout` ms. */
export function createDeadline(signal: AbortSignal, timeout: number): Deadline {
  const late = AbortSignal.timeout(timeout);
  const either = AbortSignal.any([signal, late]);
  return {
    signal: either,
    get abandoned() {
      if (signal.aborted) return { why: 'cancelled', timeout } as const;
      return late.aborted ? ({ why: 'timeout', timeout } as const) : undefined;
    },
    wait: (work) => raceAbort(either, work),
  };
}
