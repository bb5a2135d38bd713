import {
  auth,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';

/** Somebody who signs in wherever they are sent. */
interface SignIn {
  /** The MCP server's address. */
  readonly server: string;
  /** Registered with the authorization server already; absent: the provider registers by itself. */
  readonly client?: StoredOAuthClientInformation | undefined;
  /** Where a description of the client is, which stands for a registration. */
  readonly clientMetadataUrl?: string | undefined;
}

/** An address where nobody is: what it is sent in a redirect is read off that. */
const REDIRECT = 'http://localhost:9/signed-in';

/**
 * A provider with the authorization code flow, whose browser is itself: it goes where somebody is sent to sign in, reads the
 * code off the redirect back, and has a token before `redirectToAuthorization` resolves.
 */
export function signingIn({ server, client, clientMetadataUrl }: SignIn): OAuthClientProvider {
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
      await auth(provider, { serverUrl: server, ...(await signedInAt(address)) });
    },
  };
  return provider;
}

/** Answers the code, and who says that somebody has signed in: whether that is whoever was asked, the SDK looks at. */
async function signedInAt(
  address: URL,
): Promise<{ readonly authorizationCode: string; readonly iss?: string }> {
  const response = await fetch(address, { redirect: 'manual' });
  const { searchParams } = new URL(response.headers.get('location') ?? address);
  const [authorizationCode, iss] = [searchParams.get('code'), searchParams.get('iss')];
  if (authorizationCode === null) throw new Error(`Nobody could sign in: HTTP ${response.status}.`);
  return { authorizationCode, ...(iss !== null && { iss }) };
}
