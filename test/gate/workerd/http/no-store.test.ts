/** Responses are not cached, because a session belongs to its owner, who can erase it. */
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import { script } from '../../../fixtures/scripts.ts';
import { appWithEndpoint, postMcp, rpcRequest } from '../mcp/server/talk.ts';
import { appWith } from './app.ts';
import { allEvents, newSession, post, type Send, SSE, send } from './client.ts';
import { fileApp, idOf, postAndRead } from './file-app.ts';

const hello = defineTool({ name: 'hello', description: 'Greets.', effect: 'read', run: () => 'Hello.' });

/** Returns the caching headers of a response. */
const cacheHeadersOf = async (answer: Response | Promise<Response>): Promise<readonly unknown[]> => {
  const { status, headers, body } = await answer;
  await body?.cancel();
  return [status, headers.get('cache-control')];
};

const answeredSession = async (): Promise<string> => {
  const session = newSession();
  await post(session, { message: script({ text: 'Done.' }).message() });
  return session;
};

const unauthenticated: Send = appWith({ auth: () => null });

describe('a response', () => {
  it.each<[string, number, () => Promise<Response>]>([
    ['to a message', 200, () => post(newSession(), { message: script({ text: 'Hi.' }).message() })],
    ['about a session', 200, async () => send(await answeredSession())],
    ['about an agent', 200, () => send('/agents')],
    ['about the routes', 200, () => send('/openapi.json')],
    ['about an unknown session', 404, () => send(newSession())],
    ['to an unknown path', 404, () => send('/nothing')],
    ['to the wrong method', 405, () => send('/agents', { method: 'PUT' })],
    ['to an unauthorized caller', 401, () => unauthenticated('/agents')],
    ['to a delivery for an unknown webhook', 404, () => send('/hooks/none', { method: 'POST', body: '{}' })],
    ['of the health check', 200, () => send('/health')],
  ])('%s is not cached', async (_, status, ask) => {
    expect(await cacheHeadersOf(ask())).toEqual([status, 'no-store']);
  });

  it('with a session’s file is not cached, and neither is its 304', async () => {
    const { via } = fileApp({ accepts: ['image/*'] });
    const session = newSession('seer');
    const message = [{ type: 'file', mediaType: 'image/png', data: btoa('kept') }];
    await postAndRead(via, { message }, session);
    const id = await idOf('kept');
    const path = `${session}/files/${id}`;
    expect(await cacheHeadersOf(via(path))).toEqual([200, 'no-store']);
    expect(await cacheHeadersOf(via(path, { headers: { 'if-none-match': `"${id}"` } }))).toEqual([
      304,
      'no-store',
    ]);
  });

  it('that is a stream is not cached, and not transformed by proxies', async () => {
    const streamed = await post(
      newSession(),
      { message: script({ text: 'Hi.' }).message() },
      { headers: SSE },
    );
    expect(streamed.headers.get('cache-control')).toBe('no-store, no-transform');
    await allEvents(streamed);
    const events = await send(`${await answeredSession()}/events`, { headers: SSE });
    expect(await cacheHeadersOf(events)).toEqual([200, 'no-store, no-transform']);
    const mcp = await postMcp(appWithEndpoint({ tools: [hello] }), rpcRequest('tools/list', {}));
    expect(await cacheHeadersOf(mcp)).toEqual([200, 'no-store, no-transform']);
  });
});
