/** Responses must not be cached, because a session's owner can erase it. */
import { describe, expect, it } from 'vitest';
import { defineTool } from '../../../../src/index.ts';
import { registerScript } from '../../../fixtures/scripts.ts';
import { createEndpointApp, createRpcRequest, postMcp } from '../mcp/server/talk.ts';
import { createTestApp } from './app.ts';
import { createSessionPath, post, readAllEvents, type Send, SSE_HEADERS, send } from './client.ts';
import { computeFileId, createFileApp, postAndRead } from './file-app.ts';

const hello = defineTool({ name: 'hello', description: 'Greets.', effect: 'read', run: () => 'Hello.' });

/** Returns the caching headers of a response. */
const readCacheHeaders = async (answer: Response | Promise<Response>): Promise<readonly unknown[]> => {
  const { status, headers, body } = await answer;
  await body?.cancel();
  return [status, headers.get('cache-control')];
};

const createAnsweredSession = async (): Promise<string> => {
  const session = createSessionPath();
  await post(session, { message: registerScript({ text: 'Done.' }).message() });
  return session;
};

const sendUnauthenticated: Send = createTestApp({ auth: () => null });

describe('a response', () => {
  it.each<[string, number, () => Promise<Response>]>([
    [
      'to a message',
      200,
      () => post(createSessionPath(), { message: registerScript({ text: 'Hi.' }).message() }),
    ],
    ['about a session', 200, async () => send(await createAnsweredSession())],
    ['about an agent', 200, () => send('/agents')],
    ['about the routes', 200, () => send('/openapi.json')],
    ['about an unknown session', 404, () => send(createSessionPath())],
    ['to an unknown path', 404, () => send('/nothing')],
    ['to the wrong method', 405, () => send('/agents', { method: 'PUT' })],
    ['to an unauthorized caller', 401, () => sendUnauthenticated('/agents')],
    ['to a delivery for an unknown webhook', 404, () => send('/hooks/none', { method: 'POST', body: '{}' })],
    ['of the health check', 200, () => send('/health')],
  ])('%s is not cached', async (_, status, ask) => {
    expect(await readCacheHeaders(ask())).toEqual([status, 'no-store']);
  });

  it('with a session’s file is not cached, and neither is its 304', async () => {
    const { via } = createFileApp({ accepts: ['image/*'] });
    const session = createSessionPath('seer');
    const message = [{ type: 'file', mediaType: 'image/png', data: btoa('kept') }];
    await postAndRead(via, { message }, session);
    const id = await computeFileId('kept');
    const path = `${session}/files/${id}`;
    expect(await readCacheHeaders(via(path))).toEqual([200, 'no-store']);
    expect(await readCacheHeaders(via(path, { headers: { 'if-none-match': `"${id}"` } }))).toEqual([
      304,
      'no-store',
    ]);
  });

  it('is not cached, and not transformed by proxies, if it is a stream', async () => {
    const streamed = await post(
      createSessionPath(),
      { message: registerScript({ text: 'Hi.' }).message() },
      { headers: SSE_HEADERS },
    );
    expect(streamed.headers.get('cache-control')).toBe('no-store, no-transform');
    await readAllEvents(streamed);
    const events = await send(`${await createAnsweredSession()}/events`, { headers: SSE_HEADERS });
    expect(await readCacheHeaders(events)).toEqual([200, 'no-store, no-transform']);
    const mcp = await postMcp(createEndpointApp({ tools: [hello] }), createRpcRequest('tools/list', {}));
    expect(await readCacheHeaders(mcp)).toEqual([200, 'no-store, no-transform']);
  });
});
