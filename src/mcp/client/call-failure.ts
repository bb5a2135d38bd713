import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { shorten } from '../../tools/json-text.ts';
import { credentialsProblem, type GivenUp, givenUpPhrase, phraseOf } from './failure-phrases.ts';
import { McpLostError, McpServerError } from './mcp-connection.ts';
import {
  AddressRefusedError,
  HttpStatusError,
  NotSentError,
  RedirectRefusedError,
  ResponseTooLargeError,
  WireError,
} from './wire/wire-error.ts';

/** A McpServerError when the server certainly did not run the call, or answered; McpLostError when nobody can know. */
export function callFailure(server: string, tool: string, error: unknown): McpServerError | McpLostError {
  if (error instanceof McpServerError || error instanceof McpLostError) return error;
  const certain = (message: string) => new McpServerError(server, 'call', message);
  const refused = credentialsProblem(server, error);
  if (refused !== undefined) return certain(refused);
  const name = shorten(tool, 80);
  if (wasRefused(error) || error instanceof McpError) {
    return certain(`MCP server '${server}' did not run '${name}': ${phraseOf(error)}.`);
  }
  const ran = (what: string) =>
    certain(`The result of '${name}' of MCP server '${server}' is not known: it ran, and ${what}.`);
  if (error instanceof ResponseTooLargeError) return ran(`${error.phrase}, which is more than is read`);
  if (error instanceof WireError) return lost(server, name, error.phrase);
  return ran('what the server answered is no result of a tool');
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

const lost = (server: string, tool: string, phrase: string): McpLostError =>
  new McpLostError(
    `MCP server '${server}' was asked to run '${tool}', and ${phrase}: nobody knows whether it was done.`,
  );

/** 4xx but 408 means it was not run. 5xx and 408 may come after the deed; other statuses say nothing. */
const wasRefused = (error: unknown): boolean =>
  error instanceof HttpStatusError
    ? error.status >= 400 && error.status < 500 && error.status !== 408
    : [AddressRefusedError, RedirectRefusedError, NotSentError].some((refused) => error instanceof refused);
