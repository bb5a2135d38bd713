import {
  AuthorizationServerMismatchError,
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  IssuerMismatchError,
  isStrictScopeSuperset,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { raceAbort } from '../../../tool/async.ts';
import type { Fetch } from './guarded-fetch.ts';
import { SignInRequiredError, WireError } from './wire-error.ts';

type Tokens = Awaited<ReturnType<OAuthClientProvider['tokens']>>;

/** The connection to a server with an OAuth provider. */
interface AuthorizedServer {
  readonly provider: OAuthClientProvider;
  readonly server: URL;
  /** Makes the requests to the server. */
  readonly fetch: Fetch;
  /** Makes the provider's own requests, for metadata and tokens, without the headers of the connection. */
  readonly fetchToken: Fetch;
  /** Hides a sent credential, in case a server quotes it. */
  hide(name: string, credential: string): void;
  /** Removes sent credentials from an authorization server's text. */
  redact(text: string): string;
}

/** A refused token and the server's demands. */
interface RefusedToken {
  readonly token: string | undefined;
  /** `true` if the token is valid, but lacks scopes. */
  readonly isForMore: boolean;
  readonly wanted: ReturnType<typeof extractWWWAuthenticateParams>;
}

/**
 * Sends the provider's token with each request. If the server refuses it, or demands more scopes, the
 * provider gets another token, once for each request (MCP specification, Authorization). Simultaneous
 * requests share one renewal, because many refresh tokens are valid for a single use.
 *
 * @throws SignInRequiredError if the provider resolves without a token. Errors from `fetch` pass through.
 */
export function createAuthorizingFetch(authorizing: AuthorizedServer): Fetch {
  const { provider, fetch } = authorizing;
  const renewed = createSharedWork<RefusedToken>((refused, signal) =>
    renewToken(authorizing, refused, signal),
  );
  const send = (url: string | URL, init: RequestInit | undefined, tokens: Tokens): Promise<Response> => {
    const headers = new Headers(init?.headers);
    if (tokens) headers.set('authorization', `Bearer ${tokens.access_token}`);
    hideTokens(authorizing, tokens);
    return fetch(url, { ...init, headers });
  };
  return async (url, init) => {
    const tokens = await readTokens(provider);
    const first = await send(url, init, tokens);
    if (!wantsAnotherToken(first)) return first;
    await first.body?.cancel();
    const wanted = extractWWWAuthenticateParams(first);
    await renewed({ token: tokens?.access_token, isForMore: first.status === 403, wanted }, init?.signal);
    return send(url, init, await readTokens(provider));
  };
}

const wantsAnotherToken = (response: Response): boolean =>
  response.status === 401 ||
  (response.status === 403 && extractWWWAuthenticateParams(response).error === 'insufficient_scope');

/** Gets another token, unless the provider has already replaced the refused one. */
async function renewToken(
  authorizing: AuthorizedServer,
  refused: RefusedToken,
  signal: AbortSignal,
): Promise<void> {
  const { provider, server, fetchToken } = authorizing;
  const held = await readTokens(provider);
  if (held && held.access_token !== refused.token) return;
  try {
    // If a valid token is refused, the server may have changed its authorization server.
    if (held && !refused.isForMore) await provider.invalidateCredentials?.('discovery');
    await hideClient(authorizing);
    const outcome = await auth(provider, {
      serverUrl: server,
      // The signal ends requests that are no longer needed.
      fetchFn: async (address, more) =>
        redactRefusal(authorizing, await fetchToken(address, { ...more, signal })),
      ...toTokenRequest(refused, held),
    });
    await hideClient(authorizing);
    if (outcome === 'AUTHORIZED') return;
  } catch (error) {
    // The authorization server's response can quote its input.
    throw error instanceof WireError ? error : new SignInRequiredError(findProblem(error));
  }
  // A provider that redirects to a sign-in may have waited for it, and then has a token.
  const tokens = await readTokens(provider);
  if (!tokens || tokens.access_token === held?.access_token) throw new SignInRequiredError();
}

/**
 * Returns the scope and options for a new token. If the server demands more scopes, the new token also needs
 * those of the current one, which it replaces. A refresh token cannot add scopes.
 */
function toTokenRequest({ wanted, isForMore }: RefusedToken, held: Tokens) {
  const { resourceMetadataUrl } = wanted;
  const scope = isForMore ? computeScopeUnion(held?.scope, wanted.scope) : wanted.scope;
  return {
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
    ...(scope !== undefined && { scope }),
    ...(isForMore && { forceReauthorization: isStrictScopeSuperset(scope, held?.scope) }),
  };
}

/** Redacts a refusal, because the SDK logs it to the console, and it can quote its input. */
async function redactRefusal({ redact }: AuthorizedServer, response: Response): Promise<Response> {
  if (response.ok || !response.body) return response;
  return new Response(redact(await response.text()), response);
}

/** Returns the problem if the authorization server's metadata or sign-in response names another server. */
const findProblem = (error: unknown): string | undefined =>
  error instanceof IssuerMismatchError || error instanceof AuthorizationServerMismatchError
    ? 'its authorization server is not the expected one'
    : undefined;

async function readTokens(provider: OAuthClientProvider): Promise<Tokens> {
  try {
    return await provider.tokens();
  } catch {
    throw new SignInRequiredError();
  }
}

function hideTokens({ hide }: AuthorizedServer, tokens: Tokens): void {
  if (!tokens) return;
  hide('access token', tokens.access_token);
  if (tokens.refresh_token !== undefined) hide('refresh token', tokens.refresh_token);
}

/**
 * Hides the client's secret, too. The server can be the authorization server itself, or exchange data with
 * it.
 */
async function hideClient({ provider, hide }: AuthorizedServer): Promise<void> {
  const secret = (await provider.clientInformation())?.client_secret;
  if (secret !== undefined) hide('client secret', secret);
}

/** Work in progress, with the number of its waiters. */
interface RunningWork {
  readonly done: Promise<void>;
  readonly over: AbortController;
  waiting: number;
}

/** Starts the work, or joins the work in progress. */
type SharedWork<About> = (about: About, signal: AbortSignal | null | undefined) => Promise<void>;

/**
 * Creates a function that shares one execution of `work` at a time. Its signal aborts when the last waiter
 * has left.
 */
function createSharedWork<About>(
  work: (about: About, signal: AbortSignal) => Promise<void>,
): SharedWork<About> {
  let running: RunningWork | undefined;
  const begin = (about: About): RunningWork => {
    const over = new AbortController();
    const begun: RunningWork = {
      done: work(about, over.signal).finally(() => forget(begun)),
      over,
      waiting: 0,
    };
    begun.done.catch(() => undefined); // in case all callers have left
    return begun;
  };
  const forget = (one: RunningWork): void => {
    if (running === one) running = undefined;
  };
  return async (about, signal) => {
    running ??= begin(about);
    const joined = running;
    joined.waiting += 1;
    try {
      await (signal ? raceAbort(signal, joined.done) : joined.done);
    } finally {
      joined.waiting -= 1;
      if (joined.waiting === 0) {
        joined.over.abort();
        forget(joined);
      }
    }
  };
}
