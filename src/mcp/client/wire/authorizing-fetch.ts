import {
  auth,
  extractWWWAuthenticateParams,
  type OAuthClientProvider,
} from '@modelcontextprotocol/sdk/client/auth.js';
import type { Fetch } from '../mcp-client.ts';
import { SignInRequiredError, WireError } from './wire-error.ts';

/**
 * Sends the provider's token with each request, and lets it get another one when the server refuses that, or wants one for
 * more scopes; each once a request (MCP specification, Authorization). Its own requests, for metadata and tokens, go by
 * `fetch` without the headers of the connection.
 *
 * @throws SignInRequiredError when the provider has got no token by the time that it resolves, and what `fetch` throws.
 */
export function authorizingFetch(fetch: Fetch, provider: OAuthClientProvider, server: URL): Fetch {
  const send: Fetch = async (url, init) => {
    const headers = new Headers(init?.headers);
    const tokens = await tokensOf(provider);
    if (tokens) headers.set('authorization', `Bearer ${tokens.access_token}`);
    return fetch(url, { ...init, headers });
  };
  return async (url, init) => {
    const first = await send(url, init);
    if (!wantsAnotherToken(first)) return first;
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(first);
    await first.body?.cancel();
    await authorize(provider, {
      serverUrl: server,
      // What nobody waits for any more, ends.
      fetchFn: (address, more) => fetch(address, { ...more, signal: init?.signal ?? null }),
      ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
      ...(scope === undefined ? {} : { scope }),
    });
    return send(url, init);
  };
}

async function tokensOf(
  provider: OAuthClientProvider,
): Promise<Awaited<ReturnType<OAuthClientProvider['tokens']>>> {
  try {
    return await provider.tokens();
  } catch {
    throw new SignInRequiredError();
  }
}

const wantsAnotherToken = (response: Response): boolean =>
  response.status === 401 ||
  (response.status === 403 && extractWWWAuthenticateParams(response).error === 'insufficient_scope');

async function authorize(provider: OAuthClientProvider, options: Parameters<typeof auth>[1]): Promise<void> {
  try {
    const refused = await tokensOf(provider);
    if ((await auth(provider, options)) === 'AUTHORIZED') return;
    // Whoever is sent to sign in is waited for: a provider may have found somebody who did.
    const tokens = await tokensOf(provider);
    if (tokens && tokens.access_token !== refused?.access_token) return;
  } catch (error) {
    // What the authorization server answered may quote what it was sent.
    throw error instanceof WireError ? error : new SignInRequiredError();
  }
  throw new SignInRequiredError();
}
