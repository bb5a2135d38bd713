import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { oneLine } from '../content/one-line.ts';
import { HttpStatusError, SignInRequiredError, WireError } from './wire/wire-error.ts';

/** Characters of a server's own words about an error. */
const MAX_WORDS = 500;

/** A request of which nobody waits for the answer any more. */
export interface GivenUp {
  readonly why: 'cancelled' | 'timeout';
  /** Milliseconds that it had. */
  readonly timeout: number;
}

/** To complete "MCP server 'x' cannot be reached: ...". */
export const givenUpPhrase = ({ why, timeout }: GivenUp): string =>
  why === 'timeout' ? `it did not answer within ${timeout} ms` : 'the turn did not wait for it';

/** The same, of an error. */
export function phraseOf(error: unknown): string {
  if (error instanceof WireError) return error.phrase;
  if (!(error instanceof McpError)) return 'its answer is not valid MCP, or of an unsupported version';
  // The SDK writes the code before the text, on each side.
  const words = oneLine(error.message.replace(/^(MCP error -?\d+: )+/, ''), MAX_WORDS);
  return `it answered with error ${error.code}: ${words.replace(/\.$/, '')}`;
}

/** What a model reads when the server does not take the caller's credentials; `undefined` for any other error. */
export function credentialsProblem(server: string, error: unknown): string | undefined {
  const detail = credentialsDetail(error);
  return detail && `MCP server '${server}' does not accept the caller's credentials (${detail}).`;
}

function credentialsDetail(error: unknown): string | undefined {
  if (error instanceof SignInRequiredError) return error.phrase;
  const isRefused = error instanceof HttpStatusError && (error.status === 401 || error.status === 403);
  return isRefused ? `HTTP ${error.status}` : undefined;
}
