import { credentialsProblem, type GivenUp, givenUpPhrase, phraseOf } from './failure-phrases.ts';
import { McpServerError } from './mcp-connection.ts';

/** What went wrong; `givenUp` when nobody waited for it to end. */
interface Failed {
  readonly during: 'connect' | 'list';
  readonly error: unknown;
  readonly givenUp: GivenUp | undefined;
}

/** A server could not be reached, or could not list its tools. */
export function serverFailure(server: string, { during, error, givenUp }: Failed): McpServerError {
  if (error instanceof McpServerError) return error;
  const what = during === 'connect' ? 'cannot be reached' : 'could not list its tools';
  const why = givenUp ? givenUpPhrase(givenUp) : phraseOf(error);
  const message = credentialsProblem(server, error) ?? `MCP server '${server}' ${what}: ${why}.`;
  return new McpServerError(server, during, message);
}
