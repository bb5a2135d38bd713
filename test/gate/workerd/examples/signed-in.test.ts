/** The Worker of docs/mcp.md with callers who sign in with a provider. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, onTestFinished, vi } from 'vitest';
import worker from '../../../../src/examples/mcp/signed-in/worker.ts';
import { ORIGIN, type Send } from '../http/client.ts';
import { createRpcRequest, getTexts, postMcp, readMessages } from '../mcp/server/talk.ts';

const via: Send = async (path, init) => {
  const request = new Request(path.startsWith('/') ? ORIGIN + path : path, init);
  const incoming = request as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
  return worker.fetch(incoming, { ...env, INTROSPECTION: 'd29ya2Vy' }, createExecutionContext());
};

/** The provider's data for each token. */
const TOKENS: Readonly<Record<string, object>> = {
  good: { active: true, sub: 'ann', aud: 'https://agents.example/mcp', scope: 'agents' },
  'of-another': { active: true, sub: 'ann', aud: 'https://other.example/mcp', scope: 'agents' },
  old: { active: false },
};

function serveProvider(): string[] {
  const asked: string[] = [];
  const fetching = vi.spyOn(globalThis, 'fetch');
  fetching.mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    asked.push(`${request.method} ${request.url} ${request.headers.get('authorization')}`);
    return Response.json(TOKENS[new URLSearchParams(await request.text()).get('token') ?? '']);
  });
  onTestFinished(() => fetching.mockRestore());
  return asked;
}

const callWhoAmI = (token?: string): Promise<Response> =>
  postMcp(via, createRpcRequest('tools/call', { name: 'who_am_i' }), {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });

it('the documented Worker identifies the signed-in person, and calls the provider with its own credentials', async () => {
  const asked = serveProvider();
  const [message] = await readMessages(await callWhoAmI('good'));
  expect(getTexts(message?.result)).toEqual(['ann']);
  expect(asked).toEqual(['POST https://login.example/introspect Basic d29ya2Vy']);
});

it.each([['old'], ['of-another'], [undefined]])(
  'the documented Worker refuses the token %s',
  async (token) => {
    const asked = serveProvider();
    const response = await callWhoAmI(token);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer ${token === undefined ? '' : 'error="invalid_token", '}resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp", scope="agents"`,
    );
    expect(asked).toHaveLength(token === undefined ? 0 : 1);
  },
);
