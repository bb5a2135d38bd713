import {
  auth,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';

/** The settings of a client that signs in at any authorization server. */
interface SignIn {
  /** The URL of the MCP server. */
  readonly server: string;
  /** The existing registration. Without it, the provider registers the client. */
  readonly client?: StoredOAuthClientInformation | undefined;
  /** The URL of the client's metadata document, which replaces a registration. */
  readonly clientMetadataUrl?: string | undefined;
}

/** The redirect URL. No server listens there, because the code is read from the redirect itself. */
const REDIRECT = 'http://localhost:9/signed-in';

/**
 * A provider with the authorization code flow that acts as its own browser. It follows the sign-in URL, reads
 * the code from the redirect, and stores a token before `redirectToAuthorization` resolves.
 */
export function createSignInProvider({ server, client, clientMetadataUrl }: SignIn): OAuthClientProvider {
  let information = client;
  let tokens: StoredOAuthTokens | undefined;
  let verifier = '';
  let discovery: OAuthDiscoveryState | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT,
    clientMetadata: {
      client_name: 'Holdfast, in a conformance test',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    ...(clientMetadataUrl && { clientMetadataUrl }),
    clientInformation: () => information,
    saveClientInformation(saved) {
      information = saved;
    },
    tokens: () => tokens,
    saveTokens(saved) {
      tokens = saved;
    },
    codeVerifier: () => verifier,
    saveCodeVerifier(saved) {
      verifier = saved;
    },
    discoveryState: () => discovery,
    saveDiscoveryState(saved) {
      discovery = saved;
    },
    invalidateCredentials(scope) {
      if (scope === 'discovery') discovery = undefined;
    },
    async redirectToAuthorization(address) {
      await auth(provider, { serverUrl: server, ...(await signInAt(address)) });
    },
  };
  return provider;
}

/** Returns the code and the issuer of a sign-in. The SDK compares the issuer. */
async function signInAt(
  address: URL,
): Promise<{ readonly authorizationCode: string; readonly iss?: string }> {
  const response = await fetch(address, { redirect: 'manual' });
  const { searchParams } = new URL(response.headers.get('location') ?? address);
  const [authorizationCode, iss] = [searchParams.get('code'), searchParams.get('iss')];
  if (authorizationCode === null)
    throw new Error(`The sign-in page returned ${response.status} without an authorization code.`);
  return { authorizationCode, ...(iss !== null && { iss }) };
}
