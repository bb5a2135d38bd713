import {
  auth,
  ClientCredentialsProvider,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import { describe, expect, it, vi } from 'vitest';
import type { Fetch } from '../../../../../src/mcp/tools/entry.ts';
import { McpServerError } from '../../../../doors/mcp.ts';
import { createFakeServer } from '../../../../fixtures/mcp/fake-server.ts';
import { callOptions, createRemoteCall, getRejection, open } from './open.ts';

const ISSUER = 'https://auth.example.com';

/**
 * A server that accepts one token, and its authorization server. `asked` records the requests to the latter.
 */
function createGuardedServer({ issuer = ISSUER, token = 'good', url = 'https://mcp.example.com/mcp' } = {}) {
  const tool = { name: 'echo', run: () => ({ content: [] }) };
  const server = createFakeServer({ url, tools: [tool] });
  server.misbehave = ({ headers }, proceed) => {
    if (headers.authorization === 'Bearer good') return proceed();
    const where = new URL('/.well-known/oauth-protected-resource', url);
    return new Response(null, {
      status: 401,
      headers: { 'www-authenticate': `Bearer resource_metadata="${where}", scope="files:read"` },
    });
  };
  const asked: Request[] = [];
  const fetch: Fetch = async (address, init) => {
    const request = new Request(address, init);
    const { origin, pathname } = new URL(request.url);
    if (origin === new URL(url).origin && !pathname.startsWith('/.well-known/')) {
      return server.fetch(address, init);
    }
    asked.push(request.clone());
    return createResponse(pathname, { url, issuer, token });
  };
  return { server, asked, fetch };
}

/** The response of the authorization server, or of the server's metadata, for a path. */
function createResponse(
  pathname: string,
  { url, issuer, token }: { readonly url: string; readonly issuer: string; readonly token: string },
): Response {
  switch (pathname) {
    case '/.well-known/oauth-protected-resource':
      return Response.json({ resource: url, authorization_servers: [issuer] });
    case '/.well-known/oauth-authorization-server':
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        response_types_supported: ['code'],
        grant_types_supported: ['client_credentials'],
      });
    case '/token':
      if (token === '')
        return Response.json({ error: 'invalid_client', error_description: 'planted' }, { status: 401 });
      return Response.json({ access_token: token, token_type: 'bearer' });
    default:
      return new Response(null, { status: 404 });
  }
}

const createCredentials = (expectedIssuer = ISSUER) =>
  new ClientCredentialsProvider({ clientId: 'holdfast', clientSecret: 'client-secret', expectedIssuer });

/** A provider that asks a person to sign in. */
const withBrowser = (own: Partial<OAuthClientProvider>): OAuthClientProvider => ({
  redirectUrl: 'https://app.example.com/callback',
  clientMetadata: { redirect_uris: ['https://app.example.com/callback'] },
  clientInformation: () => ({ client_id: 'holdfast' }),
  tokens: () => undefined,
  saveTokens: () => undefined,
  redirectToAuthorization: () => undefined,
  saveCodeVerifier: () => undefined,
  codeVerifier: () => '',
  ...own,
});

const REFUSAL_ERROR = new McpServerError({
  server: 'files',
  during: 'connect',
  message: "MCP server 'files' does not accept the caller's credentials (it requires a sign-in).",
});

const ISSUER_ERROR = new McpServerError({
  server: 'files',
  during: 'connect',
  message:
    "MCP server 'files' does not accept the caller's credentials (its authorization server is not the expected one).",
});

describe('an OAuth provider', () => {
  it('fetches a token when the server requests one, and sends it with every later request', async () => {
    const { server, fetch, asked } = createGuardedServer();
    const connection = await open({ url: server.url, fetch }, { oauth: () => createCredentials() });
    await connection.callTool(createRemoteCall('echo'), callOptions());
    await connection.close();
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET https://mcp.example.com/.well-known/oauth-protected-resource',
      `GET ${ISSUER}/.well-known/oauth-authorization-server`,
      `POST ${ISSUER}/token`,
    ]);
    const [first, ...others] = server.requests.map(({ headers }) => headers.authorization);
    expect(first).toBeUndefined();
    expect(new Set(others)).toEqual(new Set(['Bearer good']));
  });

  it('does not send the connection’s headers to its authorization server', async () => {
    const { server, fetch, asked } = createGuardedServer();
    await open(
      { url: server.url, fetch },
      { oauth: () => createCredentials(), headers: () => ({ 'x-key': 'planted' }) },
    );
    expect(server.requests[0]?.headers['x-key']).toBe('planted');
    expect(asked.map(({ headers }) => headers.get('x-key'))).toEqual([null, null, null]);
  });

  it('is asked once per request if its new token is rejected too', async () => {
    const { server, fetch, asked } = createGuardedServer({ token: 'bad' });
    const error = await getRejection(open({ url: server.url, fetch }, { oauth: () => createCredentials() }));
    expect(error).toEqual(
      new McpServerError({
        server: 'files',
        during: 'connect',
        message: "MCP server 'files' does not accept the caller's credentials (HTTP 401).",
      }),
    );
    expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('reports a refused token without the message of the authorization server', async () => {
    const { server, fetch } = createGuardedServer({ token: '' });
    expect(
      await getRejection(open({ url: server.url, fetch }, { oauth: () => createCredentials() })),
    ).toEqual(REFUSAL_ERROR);
  });

  it('sends no credentials to an authorization server other than its own', async () => {
    const { server, fetch, asked } = createGuardedServer({ issuer: 'https://evil.example' });
    expect(
      await getRejection(open({ url: server.url, fetch }, { oauth: () => createCredentials() })),
    ).toEqual(ISSUER_ERROR);
    expect(asked.some(({ method }) => method === 'POST')).toBe(false);
  });

  it.each([
    ['knows its issuer', createCredentials],
    [
      'uses the issuer that the MCP server names',
      () => new ClientCredentialsProvider({ clientId: 'holdfast', clientSecret: 'client-secret' }),
    ],
  ])('rejects metadata with another issuer if it %s', async (_, oauth) => {
    const { server, fetch, asked } = createGuardedServer();
    const fetchLyingMetadata: Fetch = async (address, init) =>
      String(address).endsWith('/oauth-authorization-server')
        ? Response.json({
            issuer: 'https://evil.example',
            authorization_endpoint: `${ISSUER}/authorize`,
            token_endpoint: `${ISSUER}/token`,
            response_types_supported: ['code'],
          })
        : fetch(address, init);
    const error = await getRejection(
      open({ url: server.url, fetch: fetchLyingMetadata }, { oauth: () => oauth() }),
    );
    expect(error).toEqual(ISSUER_ERROR);
    expect(asked.some(({ method }) => method === 'POST')).toBe(false);
  });

  it('does not redeem a code of another authorization server', async () => {
    const { server, fetch, asked } = createGuardedServer();
    const state: { discovery?: OAuthDiscoveryState } = {};
    const oauth = (): OAuthClientProvider => {
      const provider = withBrowser({
        discoveryState: () => state.discovery,
        saveDiscoveryState: (saved) => {
          state.discovery = saved;
        },
        redirectToAuthorization: async () => {
          const signedIn = { authorizationCode: 'code', iss: 'https://evil.example' };
          await auth(provider, { serverUrl: server.url, fetchFn: fetch, ...signedIn });
        },
      });
      return provider;
    };
    expect(await getRejection(open({ url: server.url, fetch }, { oauth }))).toEqual(ISSUER_ERROR);
    expect(asked.some(({ method }) => method === 'POST')).toBe(false);
  });

  it('also requests the current scopes if the server requires more', async () => {
    const { server, fetch } = createGuardedServer();
    server.misbehave = () =>
      new Response(null, {
        status: 403,
        headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="files:write"' },
      });
    const scopes: (string | null)[] = [];
    const oauth = () =>
      withBrowser({
        clientInformation: () => ({ client_id: 'holdfast', issuer: ISSUER }),
        tokens: () => ({
          ...{ access_token: 'good', token_type: 'bearer', issuer: ISSUER },
          ...{ refresh_token: 'refresh', scope: 'files:read' },
        }),
        redirectToAuthorization: ({ searchParams }) => void scopes.push(searchParams.get('scope')),
      });
    expect(await getRejection(open({ url: server.url, fetch }, { oauth }))).toEqual(REFUSAL_ERROR);
    expect(scopes).toEqual(['files:read files:write']);
  });

  it('discovers the authorization server again if an earlier token is refused', async () => {
    const { server, fetch } = createGuardedServer();
    const forgotten: string[] = [];
    const oauth = () =>
      Object.assign(createCredentials(), {
        tokens: () => ({ access_token: 'old', token_type: 'bearer' }),
        invalidateCredentials: (scope: string) => void forgotten.push(scope),
      });
    await getRejection(open({ url: server.url, fetch }, { oauth }));
    expect(forgotten).toEqual(['discovery']);
  });

  it('does not log secrets, even if an authorization server repeats them', async () => {
    const said = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { server, fetch } = createGuardedServer();
    const fetchInvalidClient: Fetch = async (address, init) =>
      String(address).endsWith('/token')
        ? Response.json({ error: 'invalid_client', error_description: 'No client-secret' }, { status: 401 })
        : fetch(address, init);
    await getRejection(
      open({ url: server.url, fetch: fetchInvalidClient }, { oauth: () => createCredentials() }),
    );
    const words = said.mock.calls.flat().join('\n');
    said.mockRestore();
    expect(words).toContain('No [secret client secret]');
    expect(words).not.toContain('client-secret');
  });

  it('does not send a request to a private address that a public server provides', async () => {
    const issuer = 'https://169.254.169.254';
    const { server, fetch, asked } = createGuardedServer({ issuer });
    const error = await getRejection(
      open({ url: server.url, fetch }, { oauth: () => createCredentials(issuer) }),
    );
    expect(error).toMatchObject({ name: 'McpServerError', during: 'connect' });
    expect(asked.filter(({ url }) => url.startsWith(issuer))).toEqual([]);
  });

  it('sends requests to a private address that a private server provides', async () => {
    const issuer = 'http://localhost:9000';
    const { server, fetch, asked } = createGuardedServer({ issuer, url: 'http://localhost:3000/mcp' });
    await open({ url: server.url, fetch }, { oauth: () => createCredentials(issuer) });
    expect(asked.at(-1)?.url).toBe(`${issuer}/token`);
  });

  it('does not send a request to a plain HTTP address that a public server provides, even if that server uses HTTP', async () => {
    const issuer = 'http://10.0.0.1:9000';
    const { server, fetch, asked } = createGuardedServer({ issuer, url: 'http://mcp.example.com/mcp' });
    await getRejection(open({ url: server.url, fetch }, { oauth: () => createCredentials(issuer) }));
    expect(asked.filter(({ url }) => url.startsWith(issuer))).toEqual([]);
  });

  it('reports that a person must sign in if it needs a redirect', async () => {
    const { server, fetch } = createGuardedServer();
    const sent: string[] = [];
    const provider = withBrowser({ redirectToAuthorization: (url) => void sent.push(url.origin) });
    expect(await getRejection(open({ url: server.url, fetch }, { oauth: () => provider }))).toEqual(
      REFUSAL_ERROR,
    );
    expect(sent).toEqual([ISSUER]);
  });

  it('is awaited while a person signs in', async () => {
    const { server, fetch } = createGuardedServer();
    let token = 'expired';
    const provider = withBrowser({
      tokens: () => ({ access_token: token, token_type: 'bearer' }),
      async redirectToAuthorization() {
        token = await Promise.resolve('good');
      },
    });
    await open({ url: server.url, fetch }, { oauth: () => provider });
    const sent = server.requests.map(({ headers }) => headers.authorization);
    expect(sent.slice(0, 2)).toEqual(['Bearer expired', 'Bearer good']);
  });

  it('is reported without the error’s message if it throws', async () => {
    const provider = createCredentials();
    provider.tokens = () => {
      throw new Error('planted');
    };
    const { server, fetch } = createGuardedServer();
    expect(await getRejection(open({ url: server.url, fetch }, { oauth: () => provider }))).toEqual(
      REFUSAL_ERROR,
    );
  });
});
