import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { shorten } from '../../tools/json-text.ts';
import { McpLostError, McpServerError } from './mcp-connection.ts';
import {
  AddressRefusedError,
  HttpStatusError,
  NotSentError,
  RedirectRefusedError,
  ResponseTooLargeError,
  SignInRequiredError,
  WireError,
} from './wire-error.ts';

/** Characters of a server's own words about an error. */
const MAX_WORDS = 500;

/** A request of which nobody waits for the answer any more. */
export interface GivenUp {
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

/** What could not be reached, or listed. */
export function failureOf(server: string, { during, error, givenUp }: Failed): McpServerError {
  if (error instanceof McpServerError) return error;
  const what = during === 'connect' ? 'cannot be reached' : 'could not list its tools';
  const message = isAboutCredentials(error)
    ? refusesCredentials(server, error)
    : `MCP server '${server}' ${what}: ${givenUp ? givenUpPhrase(givenUp) : phraseOf(error)}.`;
  return new McpServerError(server, during, message);
}

/** What a call came to that was sent, or was about to be. Only what the server certainly did not do, or answered, is certain. */
export function callFailure(server: string, tool: string, error: unknown): McpServerError | McpLostError {
  if (error instanceof McpServerError || error instanceof McpLostError) return error;
  const certain = (message: string) => new McpServerError(server, 'call', message);
  if (isAboutCredentials(error)) return certain(refusesCredentials(server, error));
  const name = shorten(tool, 80);
  if (wasRefused(error)) return certain(`MCP server '${server}' did not run '${name}': ${phraseOf(error)}.`);
  if (error instanceof ResponseTooLargeError) {
    const ran = `it ran, and ${error.phrase}, which is more than is read`;
    return certain(`The result of '${name}' of MCP server '${server}' is not known: ${ran}.`);
  }
  if (error instanceof WireError) return lost(server, name, error.phrase);
  if (error instanceof McpError)
    return certain(`MCP server '${server}' did not run '${name}': ${phraseOf(error)}.`);
  const ran = 'it ran, and what the server answered is no result of a tool';
  return certain(`The result of '${name}' of MCP server '${server}' is not known: ${ran}.`);
}

/** A call whose answer nobody waits for any more. */
export const callGivenUp = (server: string, tool: string, givenUp: GivenUp): McpLostError =>
  lost(server, shorten(tool, 80), givenUpPhrase(givenUp));

/** A call that was cancelled before the server was asked. */
export const callNotMade = (server: string, tool: string): McpServerError =>
  new McpServerError(
    server,
    'call',
    `MCP server '${server}' did not run '${shorten(tool, 80)}': the call was cancelled before.`,
  );

/** Why nothing came of a call that was in flight when the session closed: the SDK's own words say only that it did. */
export function reasonOf(error: unknown, { broken }: { readonly broken: WireError | undefined }): unknown {
  const isClosed = error instanceof McpError && error.code === ErrorCode.ConnectionClosed;
  return isClosed && broken ? broken : error;
}

const lost = (server: string, tool: string, phrase: string): McpLostError =>
  new McpLostError(
    `MCP server '${server}' was asked to run '${tool}', and ${phrase}: nobody knows whether it was done.`,
  );

/** Statuses of success and of redirects that say nothing are odd; those of servers and 408 may come after the deed. */
const wasRefused = (error: unknown): boolean =>
  error instanceof HttpStatusError
    ? error.status >= 400 && error.status < 500 && error.status !== 408
    : [AddressRefusedError, RedirectRefusedError, NotSentError].some((refused) => error instanceof refused);

const isAboutCredentials = (error: unknown): error is HttpStatusError | SignInRequiredError =>
  error instanceof SignInRequiredError ||
  (error instanceof HttpStatusError && (error.status === 401 || error.status === 403));

function refusesCredentials(server: string, error: HttpStatusError | SignInRequiredError): string {
  const detail = error instanceof HttpStatusError ? `HTTP ${error.status}` : error.phrase;
  return `MCP server '${server}' does not accept the caller's credentials (${detail}).`;
}

const givenUpPhrase = ({ why, timeout }: GivenUp): string =>
  why === 'timeout' ? `it did not answer within ${timeout} ms` : 'the turn did not wait for it';

function phraseOf(error: unknown): string {
  if (error instanceof WireError) return error.phrase;
  if (!(error instanceof McpError)) return 'it does not answer as MCP has it, in a version that is known';
  // The SDK writes the code before the text, on each side.
  const words = error.message
    .replace(/^(MCP error -?\d+: )+/, '')
    .trim()
    .replace(/\.$/, '');
  return `it answered with error ${error.code}: ${shorten(words, MAX_WORDS)}`;
}
