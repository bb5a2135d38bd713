import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { untilAborted } from '../../tool/async.ts';
import { oneLine } from '../content/words.ts';
import { codeOf } from './in-session.ts';
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

/** A request of which nobody waits for the answer any more. */
interface GivenUp {
  readonly why: 'cancelled' | 'timeout';
  /** Milliseconds that it had. */
  readonly timeout: number;
}

/** What went wrong; `givenUp` when nobody waited for it to end. */
interface Failed {
  readonly during: 'connect' | 'list';
  readonly error: unknown;
  readonly givenUp: GivenUp | undefined;
}

/** Makes the error of a server that could not be reached, or could not list its tools. */
export function serverFailure(server: string, { during, error, givenUp }: Failed): McpServerError {
  if (error instanceof McpServerError) return error;
  const what = during === 'connect' ? 'cannot be reached' : 'could not list its tools';
  const why = givenUp ? givenUpPhrase(givenUp) : phraseOf(error);
  const message = credentialsProblem(server, error) ?? `MCP server '${server}' ${what}: ${why}.`;
  return new McpServerError({ server, during, message });
}

/** Makes the error of a request that changes nothing. */
export function requestFailure(
  server: string,
  { method, error, givenUp }: Omit<Failed, 'during'> & { readonly method: string },
): McpServerError {
  if (error instanceof McpServerError) return error;
  const why = givenUp ? givenUpPhrase(givenUp) : phraseOf(error);
  const message =
    credentialsProblem(server, error) ?? `MCP server '${server}' could not answer '${method}': ${why}.`;
  return new McpServerError({
    server,
    during: 'request',
    message,
    code: givenUp ? undefined : codeOf(error),
  });
}

/** Makes the error of a request for what a server does not offer. */
export const notOffered = (server: string, what: string): McpServerError =>
  new McpServerError({ server, during: 'request', message: `MCP server '${server}' has no ${what}.` });

/** By these JSON-RPC errors a server says that it did not begin: somebody may have to visit an address before. */
const NOT_BEGUN: ReadonlySet<number> = new Set([
  ProtocolErrorCode.ParseError,
  ProtocolErrorCode.InvalidRequest,
  ProtocolErrorCode.MethodNotFound,
  ProtocolErrorCode.InvalidParams,
  ProtocolErrorCode.UrlElicitationRequired,
  ProtocolErrorCode.MissingRequiredClientCapability,
  ProtocolErrorCode.UnsupportedProtocolVersion,
  -32_020, // headers that say something else than the request
]);

/**
 * Servers, and SDKs by themselves, answer these when what they had begun is cut off: that the connection was closed, and that
 * there was no time left.
 */
const CUT_OFF: ReadonlySet<number> = new Set([-32_000, -32_001]);

/**
 * Makes the error of a call: a McpServerError when the server certainly did not run it, or said what came of it, and a
 * McpLostError when nobody can know.
 */
export function callFailure(server: string, tool: string, error: unknown): McpServerError | McpLostError {
  if (error instanceof McpServerError || error instanceof McpLostError) return error;
  const certain = (message: string) => new McpServerError({ server, during: 'call', message });
  const refused = credentialsProblem(server, error);
  if (refused !== undefined) return certain(refused);
  const name = oneLine(tool, 80);
  if (wasRefused(error)) return certain(`MCP server '${server}' did not run '${name}': ${phraseOf(error)}.`);
  if (error instanceof ProtocolError) {
    if (CUT_OFF.has(error.code)) return lost(server, name, phraseOf(error));
    return certain(`The call of '${name}' of MCP server '${server}' failed: ${phraseOf(error)}.`);
  }
  const ran = (what: string) =>
    certain(`The result of '${name}' of MCP server '${server}' is not known: it ran, and ${what}.`);
  if (error instanceof AnswerTooLargeError) return ran(`${error.phrase}, which is more than is read`);
  if (error instanceof WireError) return lost(server, name, error.phrase);
  return ran('what the server answered is no result of a tool');
}

/** Makes the error of a call whose answer nobody waits for any more. */
export const callGivenUp = (server: string, tool: string, givenUp: GivenUp): McpLostError =>
  lost(server, oneLine(tool, 80), givenUpPhrase(givenUp));

/** Makes the error of a call that was cancelled before the server was asked. */
export const callNotMade = (server: string, tool: string): McpServerError =>
  new McpServerError({
    server,
    during: 'call',
    message: `MCP server '${server}' did not run '${oneLine(tool, 80)}': the call was cancelled before.`,
  });

const lost = (server: string, tool: string, phrase: string): McpLostError =>
  new McpLostError(
    `MCP server '${server}' was asked to run '${tool}', and ${phrase}: nobody knows whether it was done.`,
  );

/** A status of 4xx but 408 means it was not run. 5xx and 408 may come after the deed; other statuses say nothing. */
function wasRefused(error: unknown): boolean {
  if (error instanceof HttpStatusError) {
    return error.status >= 400 && error.status < 500 && error.status !== 408;
  }
  if (error instanceof RedirectRefusedError) return error.isCertain;
  if (error instanceof ProtocolError) return NOT_BEGUN.has(error.code);
  return error instanceof AddressRefusedError || error instanceof NotSentError;
}

/** The most characters of a server's own words about an error. */
const MAX_WORDS = 500;

/** Completes "MCP server 'x' cannot be reached: ...". */
const givenUpPhrase = ({ why, timeout }: GivenUp): string =>
  why === 'timeout' ? `it did not answer within ${timeout} ms` : 'the turn did not wait for it';

/** Completes the same sentence, for an error. */
function phraseOf(error: unknown): string {
  if (error instanceof WireError) return error.phrase;
  if (!(error instanceof ProtocolError)) return 'its answer is not valid MCP, or of an unsupported version';
  // The SDK writes the code before the text, on each side.
  const words = oneLine(error.message.replace(/^(MCP error -?\d+: )+/, ''), MAX_WORDS);
  return `it answered with error ${error.code}: ${words.replace(/\.$/, '')}`;
}

/** Says that the server does not take the caller's credentials, for a model; `undefined` for any other error. */
function credentialsProblem(server: string, error: unknown): string | undefined {
  const detail = credentialsDetail(error);
  return detail && `MCP server '${server}' does not accept the caller's credentials (${detail}).`;
}

function credentialsDetail(error: unknown): string | undefined {
  if (error instanceof SignInRequiredError) return error.phrase;
  return error instanceof HttpStatusError && error.isOfCredentials ? `HTTP ${error.status}` : undefined;
}

/** A signal that also aborts when time is up, and knows which of both it was. */
interface Deadline {
  readonly signal: AbortSignal;
  /** Undefined while neither has happened. */
  readonly givenUp: GivenUp | undefined;
  /** Waits for the work, or until the signal aborts: then it rejects with the signal's reason. */
  wait<T>(work: Promise<T>): Promise<T>;
}

/** Begins a time of `timeout` ms. */
export function createDeadline(signal: AbortSignal, timeout: number): Deadline {
  const late = AbortSignal.timeout(timeout);
  const either = AbortSignal.any([signal, late]);
  return {
    signal: either,
    get givenUp() {
      if (signal.aborted) return { why: 'cancelled', timeout } as const;
      return late.aborted ? ({ why: 'timeout', timeout } as const) : undefined;
    },
    wait: (work) => untilAborted(either, work),
  };
}
