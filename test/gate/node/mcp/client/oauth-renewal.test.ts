import type { OAuthClientProvider, OAuthTokens } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { Fetch } from '../../../../../src/mcp/tools/entry.ts';
import { createFakeServer, type FakeTool } from '../../../../fixtures/mcp/fake-server.ts';
import { callOptions, createRemoteCall, getRejection, open } from './open.ts';

const ISSUER = 'https://auth.example.com';

/** A server whose token can be revoked, with single-use refresh tokens. `refreshes` records the used ones. */
function createRenewing(tool: FakeTool, url = 'https://mcp.example.com/mcp') {
  const server = createFakeServer({ url, tools: [tool] });
  const refreshes: string[] = [];
  const gate = { open: Promise.resolve() };
  let generation = 0;
  server.misbehave = ({ headers }, proceed) =>
    headers.authorization === `Bearer access-${generation}` ? proceed() : new Response(null, { status: 401 });
  const refreshToken = async (request: Request): Promise<Response> => {
    const token = String((await request.formData()).get('refresh_token'));
    refreshes.push(token);
    await gate.open;
    if (token !== `refresh-${generation - 1}`)
      return Response.json({ error: 'invalid_grant' }, { status: 400 });
    return Response.json({
      access_token: `access-${generation}`,
      refresh_token: `refresh-${generation}`,
      token_type: 'bearer',
    });
  };
  const fetch: Fetch = async (address, init) => {
    const request = new Request(address, init);
    switch (new URL(request.url).pathname) {
      case '/mcp':
        return server.fetch(address, init);
      case '/.well-known/oauth-protected-resource/mcp':
        return Response.json({ resource: url, authorization_servers: [ISSUER] });
      case '/.well-known/oauth-authorization-server':
        return Response.json({
          issuer: ISSUER,
          authorization_endpoint: `${ISSUER}/authorize`,
          token_endpoint: `${ISSUER}/token`,
          response_types_supported: ['code'],
        });
      case '/token':
        return refreshToken(request);
      default:
        return new Response(null, { status: 404 });
    }
  };
  return { server, fetch, refreshes, gate, revoke: () => void generation++ };
}

/** A provider that already has a token. */
function createProvider(): OAuthClientProvider {
  let tokens: OAuthTokens = { access_token: 'access-0', refresh_token: 'refresh-0', token_type: 'bearer' };
  return {
    redirectUrl: 'https://app.example.com/callback',
    clientMetadata: { redirect_uris: ['https://app.example.com/callback'] },
    clientInformation: () => ({ client_id: 'holdfast', client_secret: 'client-secret', issuer: ISSUER }),
    tokens: () => ({ ...tokens, issuer: ISSUER }),
    saveTokens: (saved) => {
      tokens = saved;
    },
    redirectToAuthorization: () => undefined,
    saveCodeVerifier: () => undefined,
    codeVerifier: () => '',
  };
}

const echo: FakeTool = { name: 'echo', run: () => ({ content: [] }) };

describe('a rejected token', () => {
  it('is renewed once for all calls that it fails', async () => {
    const { server, fetch, refreshes, revoke } = createRenewing(echo);
    const connection = await open({ url: server.url, fetch }, { oauth: createProvider });
    revoke();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => connection.callTool(createRemoteCall('echo'), callOptions())),
    );
    expect(answers).toEqual(Array.from({ length: 6 }, () => ({ content: [] })));
    expect(refreshes).toEqual(['refresh-0']);
  });

  it('is renewed for the remaining calls even if the first call was abandoned', async () => {
    const { server, fetch, refreshes, revoke, gate } = createRenewing(echo);
    const connection = await open({ url: server.url, fetch }, { oauth: createProvider });
    revoke();
    const opening = Promise.withResolvers<void>();
    gate.open = opening.promise;
    const first = new AbortController();
    const left = getRejection(
      connection.callTool(createRemoteCall('echo'), callOptions({ signal: first.signal })),
    );
    const other = connection.callTool(createRemoteCall('echo'), callOptions());
    await expect.poll(() => refreshes.length).toBe(1);
    first.abort();
    expect(await left).toMatchObject({ name: 'McpLostError' });
    opening.resolve();
    expect(await other).toEqual({ content: [] });
    expect(refreshes).toEqual(['refresh-0']);
  });
});

describe('the tokens of a provider', () => {
  it('are redacted in responses, like earlier tokens and the client secret', async () => {
    const planted = 'access-0 access-1 refresh-0 refresh-1 client-secret';
    const tool: FakeTool = { name: 'echo', run: () => ({ content: [{ type: 'text', text: planted }] }) };
    const { server, fetch, revoke } = createRenewing(tool);
    const connection = await open({ url: server.url, fetch }, { oauth: createProvider });
    revoke();
    expect(await connection.callTool(createRemoteCall('echo'), callOptions())).toEqual({
      content: [
        {
          type: 'text',
          text: '[secret access token] [secret access token] [secret refresh token] [secret refresh token] [secret client secret]',
        },
      ],
    });
  });
});
