import {
  AuthorizationServerMismatchError,
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  IssuerMismatchError,
  isStrictScopeSuperset,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { untilAborted } from '../../../tool/async.ts';
import type { Fetch } from './guarded-fetch.ts';
import { SignInRequiredError, WireError } from './wire-error.ts';

type Tokens = Awaited<ReturnType<OAuthClientProvider['tokens']>>;

/** How a server is spoken to whose tokens an OAuth provider has. */
interface Authorizing {
  readonly provider: OAuthClientProvider;
  readonly server: URL;
  /** Makes the requests to the server. */
  readonly fetch: Fetch;
  /** Makes the provider's own requests, for metadata and tokens, without the headers of the connection. */
  readonly fetchToken: Fetch;
  /** Is told what is sent, so that nobody repeats it. */
  hide(name: string, credential: string): void;
  /** Takes what is sent out of what an authorization server says. */
  redact(text: string): string;
}

/** What the server wants, which did not take this token. */
interface Refused {
  readonly token: string | undefined;
  /** A token that is good is not good for enough. */
  readonly isForMore: boolean;
  readonly wanted: ReturnType<typeof extractWWWAuthenticateParams>;
}

/**
 * Sends the provider's token with each request, and lets it get another one when the server refuses that, or wants one for
 * more scopes; each once a request (MCP specification, Authorization), and one for all requests that want one: a refresh
 * token is often good for one use.
 *
 * @throws SignInRequiredError when the provider has got no token by the time that it resolves, and what `fetch` throws.
 */
export function authorizingFetch(authorizing: Authorizing): Fetch {
  const { provider, fetch } = authorizing;
  const renewed = sharedWork<Refused>((refused, signal) => renew(authorizing, refused, signal));
  const send = (url: string | URL, init: RequestInit | undefined, tokens: Tokens): Promise<Response> => {
    const headers = new Headers(init?.headers);
    if (tokens) headers.set('authorization', `Bearer ${tokens.access_token}`);
    hideTokens(authorizing, tokens);
    return fetch(url, { ...init, headers });
  };
  return async (url, init) => {
    const tokens = await tokensOf(provider);
    const first = await send(url, init, tokens);
    if (!wantsAnotherToken(first)) return first;
    await first.body?.cancel();
    const wanted = extractWWWAuthenticateParams(first);
    await renewed({ token: tokens?.access_token, isForMore: first.status === 403, wanted }, init?.signal);
    return send(url, init, await tokensOf(provider));
  };
}

const wantsAnotherToken = (response: Response): boolean =>
  response.status === 401 ||
  (response.status === 403 && extractWWWAuthenticateParams(response).error === 'insufficient_scope');

/** Gets another token, unless the provider has got one since the refused one was sent. */
async function renew(authorizing: Authorizing, refused: Refused, signal: AbortSignal): Promise<void> {
  const { provider, server, fetchToken } = authorizing;
  const held = await tokensOf(provider);
  if (held && held.access_token !== refused.token) return;
  try {
    // A token that was good may be refused since the server has another authorization server by now.
    if (held && !refused.isForMore) await provider.invalidateCredentials?.('discovery');
    await hideClient(authorizing);
    const outcome = await auth(provider, {
      serverUrl: server,
      // The signal ends what nobody waits for any more.
      fetchFn: async (address, more) => quiet(authorizing, await fetchToken(address, { ...more, signal })),
      ...wantedOf(refused, held),
    });
    await hideClient(authorizing);
    if (outcome === 'AUTHORIZED') return;
  } catch (error) {
    // What the authorization server answered may quote what it was sent.
    throw error instanceof WireError ? error : new SignInRequiredError(problemOf(error));
  }
  // Whoever is sent to sign in is waited for: a provider may have found somebody who did.
  const tokens = await tokensOf(provider);
  if (!tokens || tokens.access_token === held?.access_token) throw new SignInRequiredError();
}

/**
 * Says what is asked for: of the server that wants more, also what the token is good for, since a new one stands in its place. A
 * refresh token would bring no more than that.
 */
function wantedOf({ wanted, isForMore }: Refused, held: Tokens) {
  const { resourceMetadataUrl } = wanted;
  const scope = isForMore ? computeScopeUnion(held?.scope, wanted.scope) : wanted.scope;
  return {
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
    ...(scope !== undefined && { scope }),
    ...(isForMore && { forceReauthorization: isStrictScopeSuperset(scope, held?.scope) }),
  };
}

/** The SDK writes to the console what an authorization server says of its refusal, which may quote what it was sent. */
async function quiet({ redact }: Authorizing, response: Response): Promise<Response> {
  if (response.ok || !response.body) return response;
  return new Response(redact(await response.text()), response);
}

/** Tells of an authorization server that says it is another one, in its metadata or in the response that signed somebody in. */
const problemOf = (error: unknown): string | undefined =>
  error instanceof IssuerMismatchError || error instanceof AuthorizationServerMismatchError
    ? 'its authorization server is another one than was expected'
    : undefined;

async function tokensOf(provider: OAuthClientProvider): Promise<Tokens> {
  try {
    return await provider.tokens();
  } catch {
    throw new SignInRequiredError();
  }
}

function hideTokens({ hide }: Authorizing, tokens: Tokens): void {
  if (!tokens) return;
  hide('access token', tokens.access_token);
  if (tokens.refresh_token !== undefined) hide('refresh token', tokens.refresh_token);
}

/** Hides the client's secret too: the server may be the authorization server itself, or speak with it. */
async function hideClient({ provider, hide }: Authorizing): Promise<void> {
  const secret = (await provider.clientInformation())?.client_secret;
  if (secret !== undefined) hide('client secret', secret);
}

/** Work that is done once, for several who wait for it. */
interface Running {
  readonly done: Promise<void>;
  readonly over: AbortController;
  waiting: number;
}

/** Does the work for the first who asks, and for all who ask until it is done. */
type SharedWork<About> = (about: About, signal: AbortSignal | null | undefined) => Promise<void>;

/** Makes work of which there is one at a time. Its signal aborts when nobody waits for it any more. */
function sharedWork<About>(work: (about: About, signal: AbortSignal) => Promise<void>): SharedWork<About> {
  let running: Running | undefined;
  const begin = (about: About): Running => {
    const over = new AbortController();
    const begun: Running = { done: work(about, over.signal).finally(() => forget(begun)), over, waiting: 0 };
    begun.done.catch(() => undefined); // when nobody waits for it any more
    return begun;
  };
  const forget = (one: Running): void => {
    if (running === one) running = undefined;
  };
  return async (about, signal) => {
    running ??= begin(about);
    const joined = running;
    joined.waiting += 1;
    try {
      await (signal ? untilAborted(signal, joined.done) : joined.done);
    } finally {
      joined.waiting -= 1;
      if (joined.waiting === 0) {
        joined.over.abort();
        forget(joined);
      }
    }
  };
}
