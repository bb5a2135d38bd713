import * as v from 'valibot';
import type { CallContext } from '../../index.ts';

/**
 * The name of the secret with the token: of an app's installation, or fine-grained, for issues of one
 * repository.
 */
export const TOKEN = 'GITHUB_TOKEN';

/** The maximum number of characters of GitHub's message in an error. */
const MAX_WORDS = 200;

/** A request to GitHub. Defaults to `GET`. */
export interface Asked {
  readonly method?: 'POST' | 'PATCH';
  readonly body?: object;
}

/** Sends one request on behalf of a call. Rejects like `fetch` if the connection is lost. */
export type Ask = (call: CallContext, path: string, asked?: Asked) => Promise<Response>;

/** Makes a client of the REST API at this address. The token is the call's own secret, and is optional. */
export function githubClient(url: string): Ask {
  const base = url.replace(/\/$/, '');
  return (call, path, { method = 'GET', body } = {}) =>
    fetch(`${base}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      headers: headersOf(call),
      signal: call.signal,
      // GitHub redirects from a moved issue. If the redirect were followed, a POST would become a GET that
      // seems to succeed.
      redirect: 'manual',
    });
}

/** GitHub refuses requests without a user agent. */
function headersOf({ secrets }: CallContext): Record<string, string> {
  const token = secrets.get(TOKEN);
  return {
    accept: 'application/vnd.github+json',
    'content-type': 'application/json',
    'user-agent': 'holdfast-triage',
    'x-github-api-version': '2022-11-28',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
}

/** Returns whether it does not exist, or no longer exists. */
export const isGone = ({ status }: Response): boolean => status === 404 || status === 410;

/**
 * Sends a request to GitHub and returns the parsed response.
 *
 * @throws TimeoutError for a 5xx, and for an unreadable success: like after a lost connection, the outcome is
 * unknown, so
 *   that a comment is searched for instead of reported as failed; Error with GitHub's message if it refused.
 */
export async function answerOf<Schema extends v.GenericSchema>(
  schema: Schema,
  response: Response,
): Promise<v.InferOutput<Schema>> {
  const { ok, status } = response;
  const body: unknown = await response.json().catch(() => undefined);
  if (!ok && status < 500) throw new Error(`GitHub refused this with ${status}${wordsIn(body)}.`);
  const answer = v.safeParse(schema, body);
  if (ok && answer.success) return answer.output;
  const problem = ok ? `GitHub's answer of ${status} cannot be read.` : `GitHub answered ${status}.`;
  throw new DOMException(problem, 'TimeoutError');
}

function wordsIn(body: unknown): string {
  const told = v.safeParse(v.object({ message: v.string() }), body);
  return told.success ? `: ${told.output.message.slice(0, MAX_WORDS).replace(/\.$/, '')}` : '';
}
