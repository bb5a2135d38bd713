import { createClient } from '../../client/entry.ts';

/** The bindings of the site: a service binding to the agents' Worker, and its token. */
export interface SiteEnv {
  readonly AGENTS: { fetch(url: string, init: RequestInit): Promise<Response> };
  readonly CHAT_TOKEN: string;
}

interface ClerkRequest {
  /** The id of the site's user, whose login you have checked. */
  readonly user: string;
  readonly message: string;
  /** The idempotency key: the same if the browser repeats its request. */
  readonly key: string;
}

/** Asks the agent on behalf of a user of the site, and returns its answer. */
export async function askClerk(
  { AGENTS, CHAT_TOKEN }: SiteEnv,
  { user, message, key }: ClerkRequest,
): Promise<string> {
  const client = createClient({
    url: 'https://agents', // service bindings ignore the host
    agent: 'shop',
    token: CHAT_TOKEN,
    fetch: (url, init) => AGENTS.fetch(url, { ...init, headers: { ...init.headers, 'x-user-id': user } }),
  });
  const answer = await client.session('main').send(message, { idempotencyKey: key });
  return answer.text ?? 'It takes a while. Look again later.';
}
