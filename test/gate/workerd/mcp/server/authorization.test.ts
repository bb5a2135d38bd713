/** Authorization metadata of an endpoint, as read by clients that support only OAuth. */
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createHoldfast, type HoldfastConfig } from '../../../../../src/create-holdfast.ts';
import { defineTool } from '../../../../../src/index.ts';
import {
  defineMcpEndpoint,
  type McpEndpointConfig,
  McpEndpointDefinitionError,
  mcpDescription,
} from '../../../../../src/mcp/server/entry.ts';
import { openApi } from '../../../../../src/modules/openapi/entry.ts';
import { scripted } from '../../../../fixtures/scripted-agent.ts';
import { ORIGIN, readJson, type Send } from '../../http/client.ts';
import { createEndpointApp, createRpcRequest, postMcp } from './talk.ts';

const hello = defineTool({ name: 'hello', description: 'Greets.', effect: 'read', run: () => 'Hello.' });
const authorization = { servers: ['https://login.example'], scopes: ['orders:read', 'orders:write'] };
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Accepts the tokens that the provider below issued for this endpoint. */
const authenticateToken: HoldfastConfig['auth'] = ({ headers }) => {
  const [, user, audience] = /^Bearer token\.(\w+)\.(.+)$/.exec(headers.get('authorization') ?? '') ?? [];
  return user !== undefined && audience === encodeURIComponent(`${ORIGIN}/mcp`) ? { id: user } : null;
};

const createGuardedApp = (config: Partial<HoldfastConfig> = {}, mcp: Partial<McpEndpointConfig> = {}): Send =>
  createEndpointApp({ tools: [hello], authorization, ...mcp }, { auth: authenticateToken, ...config });

const describedApi = openApi({ descriptions: [mcpDescription] });

const METADATA = {
  resource: `${ORIGIN}/mcp`,
  authorization_servers: ['https://login.example'],
  scopes_supported: ['orders:read', 'orders:write'],
  bearer_methods_supported: ['header'],
};

describe('the authorization metadata', () => {
  it.each([`${WELL_KNOWN}/mcp`, WELL_KNOWN])('is public at %s, and readable by every page', async (path) => {
    const response = await createGuardedApp()(path, { headers: { origin: 'https://inspector.example' } });
    expect([response.status, await readJson(response)]).toEqual([200, METADATA]);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('is described in OpenAPI, with the endpoint’s responses', async () => {
    const { paths } = Object(
      await readJson(
        await createGuardedApp({ use: [describedApi] })('/openapi.json', {
          headers: { authorization: `Bearer token.ann.${encodeURIComponent(`${ORIGIN}/mcp`)}` },
        }),
      ),
    );
    const told = paths[`${WELL_KNOWN}/mcp`].get;
    expect([told.summary, told.responses['200'].description, told.security]).toEqual([
      'The authorization servers of the MCP endpoint (RFC 9728); needs no token',
      'The metadata of a protected resource',
      [],
    ]);
    const { get, post } = paths['/mcp'];
    const answers = Object.entries<{ description: string }>(post.responses).map(
      ([status, { description }]) => `${status}: ${description}`,
    );
    expect(post.summary).toBe('Accepts messages of the Model Context Protocol (streamable HTTP)');
    expect(answers).toEqual(
      expect.arrayContaining([
        '202: The notification was accepted',
        '404: There is no such method',
        '406: The client accepts neither response type',
        '415: The body is not JSON',
      ]),
    );
    expect(get).toMatchObject({
      summary: 'Resumes the broken stream of a call',
      parameters: [{ name: 'Last-Event-ID', description: 'The id of the last event received.' }],
      responses: { 200: { description: 'The later events' } },
    });
  });

  it('is linked from a 401, in either revision and for streams', async () => {
    const via = createGuardedApp();
    const told = `Bearer resource_metadata="${ORIGIN}${WELL_KNOWN}/mcp", scope="orders:read orders:write"`;
    for (const response of [
      await postMcp(via, createRpcRequest('tools/list')),
      await postMcp(via, createRpcRequest('tools/list'), { headers: { authorization: 'Basic YW5uOnh4' } }),
      await via('/mcp', { headers: { 'last-event-id': '%5B1%5D' } }),
      await via('/mcp', { method: 'DELETE' }),
    ]) {
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, told]);
      expect((await readJson(response)).type).toBe('urn:holdfast:problem:unauthorized');
    }
    for (const authorization of ['Bearer token.ann.elsewhere', 'bearer x']) {
      const response = await postMcp(via, createRpcRequest('tools/list'), { headers: { authorization } });
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([
        401,
        told.replace('Bearer ', 'Bearer error="invalid_token", '),
      ]);
    }
    const other = await via('/agents');
    expect([other.status, other.headers.get('www-authenticate')]).toEqual([401, null]);
  });

  it('is absent if the app does not declare it', async () => {
    const via = createGuardedApp({}, { authorization: undefined });
    expect((await postMcp(via, createRpcRequest('ping'))).headers.get('www-authenticate')).toBeNull();
    expect(
      (
        await via(WELL_KNOWN, {
          headers: { authorization: `Bearer token.ann.${encodeURIComponent(METADATA.resource)}` },
        })
      ).status,
    ).toBe(404);
  });

  it('has scopes only if the app declares them', async () => {
    const via = createGuardedApp({}, { authorization: { servers: ['http://localhost:8080/realms/app'] } });
    const { scopes_supported: _, ...metadata } = METADATA;
    expect(await readJson(await via(WELL_KNOWN))).toEqual({
      ...metadata,
      authorization_servers: ['http://localhost:8080/realms/app'],
    });
    expect((await postMcp(via, createRpcRequest('ping'))).headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${ORIGIN}${WELL_KNOWN}/mcp"`,
    );
  });

  it('contains the endpoint below the base path, and is also served at the root of the origin', async () => {
    const via = createGuardedApp({ http: { basePath: '/ai' } });
    const response = await via('/ai/mcp', { method: 'POST', body: '{}' });
    const where = /resource_metadata="([^"]+)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1];
    expect(where).toBe(`${ORIGIN}/ai${WELL_KNOWN}/mcp`);
    for (const path of [`/ai${WELL_KNOWN}/mcp`, `${WELL_KNOWN}/ai/mcp`, `${WELL_KNOWN}/mcp`, WELL_KNOWN]) {
      expect(await readJson(await via(path))).toEqual({ ...METADATA, resource: `${ORIGIN}/ai/mcp` });
    }
  });

  it('is below the path at which another app mounts the routes', async () => {
    const { routes } = createHoldfast({
      agents: [scripted],
      auth: authenticateToken,
      use: [defineMcpEndpoint({ tools: [hello], authorization })],
    });
    const site = new Hono().route('/shop/ai', routes);
    const context = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} };
    const ask = (path: string, init?: RequestInit) => site.request(`${ORIGIN}${path}`, init, {}, context);
    const refused = await ask('/shop/ai/mcp', { method: 'POST', body: '{}' });
    const where =
      /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? '';
    expect(where).toBe(`${ORIGIN}/shop/ai${WELL_KNOWN}/mcp`);
    const told = await ask(new URL(where).pathname);
    expect(await told.json()).toEqual({ ...METADATA, resource: `${ORIGIN}/shop/ai/mcp` });
  });

  it('is described as public in OpenAPI', async () => {
    const { paths } = await readJson(
      await createEndpointApp({ tools: [hello], authorization }, { use: [describedApi] })('/openapi.json'),
    );
    const getSecurity = (path: string) => Object(paths)[path].get.security;
    expect([WELL_KNOWN, `${WELL_KNOWN}/mcp`].map(getSecurity)).toEqual([[], []]);
  });
});

describe('a client that supports only OAuth', () => {
  it.each(['2026-07-28', '2025-11-25'])(
    'signs in with the app’s provider, and calls (%s)',
    async (version) => {
      const via = createGuardedApp();
      const asked: string[] = [];
      const fetchFromNetwork = async (url: string | URL, init?: RequestInit): Promise<Response> => {
        const { origin, pathname } = new URL(url);
        if (asked.at(-1) !== origin + pathname) asked.push(origin + pathname);
        return origin === ORIGIN ? via(String(url), init) : respondAsProvider(new Request(url, init));
      };
      const signing = createSignIn();
      const open = () =>
        new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
          fetch: fetchFromNetwork,
          authProvider: signing.provider,
        });
      const first = open();
      const pinned = version === '2026-07-28' ? { pin: version } : ('legacy' as const);
      const createClient = () =>
        new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: pinned } });
      await expect(createClient().connect(first)).rejects.toThrow();
      const asks = signing.sentTo?.searchParams;
      expect([asks?.get('scope'), asks?.get('resource')]).toEqual([
        'orders:read orders:write',
        `${ORIGIN}/mcp`,
      ]);
      // The user has signed in, and returns with a code.
      await first.finishAuth('code-of-ann', 'https://login.example');
      const signedIn = createClient();
      await signedIn.connect(open());
      expect(await signedIn.callTool({ name: 'hello' })).toMatchObject({ content: [{ text: 'Hello.' }] });
      await signedIn.close();
      expect(asked.slice(0, 4)).toEqual([
        `${ORIGIN}/mcp`,
        `${ORIGIN}${WELL_KNOWN}/mcp`,
        'https://login.example/.well-known/oauth-authorization-server',
        'https://login.example/register',
      ]);
    },
  );
});

/** A provider at which every user is Ann. */
async function respondAsProvider(request: Request): Promise<Response> {
  const issuer = 'https://login.example';
  switch (new URL(request.url).pathname) {
    case '/.well-known/oauth-authorization-server':
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      });
    case '/register':
      return Response.json({ ...Object(await request.json()), client_id: 'connector' }, { status: 201 });
    case '/token': {
      const form = new URLSearchParams(await request.text());
      const isRight = form.get('code') === 'code-of-ann' && form.get('code_verifier') !== null;
      const token = `token.ann.${encodeURIComponent(form.get('resource') ?? '')}`;
      return isRight
        ? Response.json({ access_token: token, token_type: 'Bearer', expires_in: 600 })
        : Response.json({ error: 'invalid_grant' }, { status: 400 });
    }
    default:
      return new Response(null, { status: 404 });
  }
}

/** Stores a connector's data, and the sign-in URL to which it has sent the user. */
function createSignIn() {
  const kept: { client?: never; tokens?: never; verifier?: string; discovery?: never } = {};
  const signing: { provider: OAuthClientProvider; sentTo?: URL } = {
    provider: {
      redirectUrl: 'http://localhost:9/signed-in',
      clientMetadata: { client_name: 'A connector', redirect_uris: ['http://localhost:9/signed-in'] },
      clientInformation: () => kept.client,
      saveClientInformation: (client) => void Object.assign(kept, { client }),
      tokens: () => kept.tokens,
      saveTokens: (tokens) => void Object.assign(kept, { tokens }),
      codeVerifier: () => kept.verifier ?? '',
      saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
      discoveryState: () => kept.discovery,
      saveDiscoveryState: (discovery) => void Object.assign(kept, { discovery }),
      redirectToAuthorization: (url) => void Object.assign(signing, { sentTo: url }),
    },
  };
  return signing;
}

describe('the authorization option of an app', () => {
  it.each<[unknown, string]>([
    [{}, "authorization has no 'servers'. Use a list, as in [one, another]."],
    [{ servers: [] }, 'authorization has no servers. List the issuers of its tokens.'],
    [
      { servers: ['login.example'] },
      "authorization has the server 'login.example'. Use its issuer, such as 'https://login.example'.",
    ],
    [
      { servers: ['http://login.example'] },
      "authorization has the server 'http://login.example'. Use its issuer, such as 'https://login.example'.",
    ],
    [
      { servers: ['https://login.example?x=1'] },
      "authorization has the server 'https://login.example?x=1'. Use its issuer, such as 'https://login.example'.",
    ],
    [
      { servers: ['https://ada:lemur4711@login.example'] },
      'authorization has a server with a user name or password in its URL. Use its issuer alone.',
    ],
    [{ servers: [7] }, "authorization has the server 7. Use its issuer, such as 'https://login.example'."],
    [
      { servers: ['https://a.example'], scopes: ['a b'] },
      "authorization has 'a b' among its scopes, which is not a valid scope.",
    ],
    [
      { servers: ['https://a.example'], scopes: ['a"'] },
      "authorization has 'a\"' among its scopes, which is not a valid scope.",
    ],
    [{ issuer: 'https://a.example' }, "authorization has 'issuer' instead of 'servers'. Rename it."],
  ])('is refused if it is invalid: %j', (said, problem) => {
    const define = () => defineMcpEndpoint({ authorization: said as never });
    expect(define).toThrow(new McpEndpointDefinitionError('authorization', problem));
  });
});
