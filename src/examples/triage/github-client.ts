import * as v from 'valibot';
import type { CallContext } from '../../index.ts';

/**
 * The name of the secret with the token: an app installation token, or a fine-grained token for the issues of
 * one repository.
 */
export const TOKEN = 'GITHUB_TOKEN';

/** The maximum length of GitHub's message in an error. */
const MAX_WORDS = 200;

export interface GithubRequest {
  readonly method?: 'POST' | 'PATCH';
  readonly body?: object;
}

/** Sends one request on behalf of a call. Rejects like `fetch` if the connection is lost. */
export type Ask = (call: CallContext, path: string, asked?: GithubRequest) => Promise<Response>;

/** Creates a client of the REST API at this address. The token is an optional secret of the call. */
export function createGithubClient(url: string): Ask {
  const base = url.replace(/\/$/, '');
  return (call, path, { method = 'GET', body } = {}) =>
    fetch(`${base}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      headers: createHeaders(call),
      signal: call.signal,
      // GitHub redirects requests for a moved issue. Following the redirect would turn a POST into a GET that
      // seems to succeed.
      redirect: 'manual',
    });
}

/** GitHub refuses requests without a user agent. */
function createHeaders({ secrets }: CallContext): Record<string, string> {
  const token = secrets.get(TOKEN);
  return {
    accept: 'application/vnd.github+json',
    'content-type': 'application/json',
    'user-agent': 'holdfast-triage',
    'x-github-api-version': '2022-11-28',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
}

/** Returns whether the requested object does not exist or no longer exists. */
export const isGone = ({ status }: Response): boolean => status === 404 || status === 410;

/**
 * Returns the parsed body of a response.
 *
 * @throws TimeoutError for a 5xx status or an unreadable success. The outcome is then unknown, as after a
 * lost connection, so the caller searches for the comment instead of reporting a failure.
 * @throws Error with GitHub's message if GitHub refused the request.
 */
export async function readAnswer<Schema extends v.GenericSchema>(
  schema: Schema,
  response: Response,
): Promise<v.InferOutput<Schema>> {
  const { ok, status } = response;
  const body: unknown = await response.json().catch(() => undefined);
  if (!ok && status < 500) throw new Error(`GitHub refused the request with ${status}${readMessage(body)}.`);
  const answer = v.safeParse(schema, body);
  if (ok && answer.success) return answer.output;
  const problem = ok ? `GitHub's response with ${status} cannot be read.` : `GitHub returned ${status}.`;
  throw new DOMException(problem, 'TimeoutError');
}

function readMessage(body: unknown): string {
  const told = v.safeParse(v.object({ message: v.string() }), body);
  return told.success ? `: ${told.output.message.slice(0, MAX_WORDS).replace(/\.$/, '')}` : '';
}
