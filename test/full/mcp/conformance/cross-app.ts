import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import * as v from 'valibot';

/**
 * The credentials that identify the user at the identity provider, and the client at the authorization server.
 */
export interface CrossApp {
  readonly client_id: string;
  readonly client_secret: string;
  readonly idp_client_id: string;
  readonly idp_id_token: string;
  readonly idp_token_endpoint: string;
}

const Exchanged = v.object({ access_token: v.string() });

/**
 * A provider for a user who is already signed in to the company (SEP-990 of MCP). The identity provider
 * exchanges the id token for a grant (RFC 8693). The authorization server exchanges the grant for an access
 * token (RFC 7523).
 */
export function createCrossAppProvider(app: CrossApp): OAuthClientProvider {
  let tokens: StoredOAuthTokens | undefined;
  let discovery: OAuthDiscoveryState | undefined;
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [], token_endpoint_auth_method: 'client_secret_basic' },
    clientInformation: () => ({ client_id: app.client_id, client_secret: app.client_secret }),
    tokens: () => tokens,
    saveTokens(saved) {
      tokens = saved;
    },
    saveDiscoveryState(saved) {
      discovery = saved;
    },
    redirectToAuthorization: refuseSignIn,
    saveCodeVerifier: refuseSignIn,
    codeVerifier: refuseSignIn,
    prepareTokenRequest: async () =>
      new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: await exchangeToken(app, discovery),
      }),
  };
}

async function exchangeToken(app: CrossApp, discovery: OAuthDiscoveryState | undefined): Promise<string> {
  const response = await fetch(app.idp_token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      subject_token: app.idp_id_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      audience: discovery?.authorizationServerUrl ?? '',
      resource: discovery?.resourceMetadata?.resource ?? '',
      client_id: app.idp_client_id,
    }),
  });
  return v.parse(Exchanged, await response.json()).access_token;
}

function refuseSignIn(): never {
  throw new Error('This provider exchanges tokens and must not ask the user to sign in.');
}
