import * as v from 'valibot';
import type { CallContext } from '../../index.ts';

/** The name of the secret that holds the token: of an app's installation, or fine-grained, for issues of one repository. */
export const TOKEN = 'GITHUB_TOKEN';

/** Characters of GitHub's own words that an error repeats. */
const MAX_WORDS = 200;

/** What is asked of GitHub: a `GET` unless it says otherwise. */
export interface Asked {
  readonly method?: 'POST' | 'PATCH';
  readonly body?: object;
}

/** Sends one request on behalf of a call. Rejects as `fetch` does, so a lost connection is no answer. */
export type Ask = (call: CallContext, path: string, asked?: Asked) => Promise<Response>;

/** Asks the REST API at this address. The token is the call's own secret, and there may be none. */
export function githubClient(url: string): Ask {
  const base = url.replace(/\/$/, '');
  return (call, path, { method = 'GET', body } = {}) =>
    fetch(`${base}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
      headers: headersOf(call),
      signal: call.signal,
      // An issue that moved is answered by a redirect. Followed, a POST would become a GET that seems to have worked.
      redirect: 'manual',
    });
}

/** GitHub refuses whoever does not say who they are. */
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

/** There is none, or there is none any more. */
export const isGone = ({ status }: Response): boolean => status === 404 || status === 410;

/**
 * Sends a request to GitHub and answers what came back.
 *
 * @throws TimeoutError for a 5xx, and for a success that cannot be read: like a lost connection these are no answer, so
 *   that a comment is in doubt and looked for instead of being called a failure; Error with GitHub's words when it refused.
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
