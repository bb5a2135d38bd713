import { createClient } from '../../client/entry.ts';

/** The bindings of the site: a service binding to the Worker of the agents, and its token. */
export interface SiteEnv {
  readonly AGENTS: { fetch(url: string, init: RequestInit): Promise<Response> };
  readonly CHAT_TOKEN: string;
}

interface Asked {
  /** The user of the site, whose session you have checked. */
  readonly user: string;
  readonly message: string;
  /** Stays the same if the browser sends its request again. */
  readonly key: string;
}

/** Asks the agent on behalf of a user of the site, and returns its answer. */
export async function askClerk(
  { AGENTS, CHAT_TOKEN }: SiteEnv,
  { user, message, key }: Asked,
): Promise<string> {
  const client = createClient({
    url: 'https://agents', // a service binding ignores the host
    agent: 'shop',
    token: CHAT_TOKEN,
    fetch: (url, init) => AGENTS.fetch(url, { ...init, headers: { ...init.headers, 'x-user-id': user } }),
  });
  const answer = await client.session('main').send(message, { idempotencyKey: key });
  return answer.text ?? 'It takes a while. Look again later.';
}
