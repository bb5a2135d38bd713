/** The Worker of docs/mcp.md. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, onTestFinished, vi } from 'vitest';
import worker from '../../../../src/examples/mcp/worker.ts';
import { createFakeServer, type FakeServer } from '../../../fixtures/mcp/fake-server.ts';
import { createSayingTool } from '../../node/mcp/tools/scenes.ts';
import { createSessionPath, ORIGIN, post, readJson, type Send } from '../http/client.ts';
import { connectClient } from '../mcp/server/talk.ts';

const TOKEN = 'token-of-the-wiki';

/** Each turn stays in its invocation, because the tests' Worker, which would resume it, lacks the agent. */
const vars = { WIKI_TOKEN: TOKEN, SUBREQUESTS: '10000' };

const sendToWorker: Send = async (path, init) => {
  const request = new Request(path.startsWith('/') ? ORIGIN + path : path, init);
  const incoming = request as Request<unknown, IncomingRequestCfProperties>; // the Worker does not read `cf`
  return worker.fetch(incoming, { ...env, ...vars }, createExecutionContext());
};

/** A fake server at the wiki's address, for one test. */
function createWiki(): FakeServer {
  const inputSchema = {
    type: 'object' as const,
    properties: { query: { type: 'string' } },
    required: ['query'],
  };
  const search = createSayingTool('search_pages', 'Spring tides come with a new or a full moon.', {
    description: 'Search the pages of the wiki.',
    annotations: { readOnlyHint: true },
    inputSchema,
  });
  const server = createFakeServer({
    tools: [
      search,
      createSayingTool('read_page'),
      createSayingTool('write_page'),
      createSayingTool('get_logo'),
    ],
  });
  const fetching = vi.spyOn(globalThis, 'fetch');
  fetching.mockImplementation((input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    if (!url.startsWith('https://wiki.example/')) throw new Error(`The request to ${url} is unexpected.`);
    return server.fetch(url, init);
  });
  onTestFinished(() => fetching.mockRestore());
  return server;
}

it('the agent uses the tools of its server, which receives the token and only the permitted context', async () => {
  const server = createWiki();
  const body = { message: 'Search the pages for spring tides' };
  const answer = await readJson(await post(createSessionPath('librarian'), body, { via: sendToWorker }));
  expect(answer).toMatchObject({ outcome: 'completed', toolCalls: 1 });
  expect(answer.text).toContain('Spring tides come with a new or a full moon.');
  expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(
    new Set([`Bearer ${TOKEN}`]),
  );
  const call = server.requests.find(({ rpc }) => rpc === 'tools/call');
  const { _meta: meta } = JSON.parse(call?.body ?? '{}').params;
  expect(Object.keys(meta).toSorted()).toEqual(['holdfast/idempotency-key', 'progressToken', 'tenant']);
  expect(meta.tenant).toBe('local');
});

it('a message that claims another tenant is refused', async () => {
  const body = { message: 'Search the pages for spring tides', context: { tenant: 'acme' } };
  expect((await post(createSessionPath('librarian'), body, { via: sendToWorker })).status).toBe(422);
});

it('a tool that the server lacks is reported as missing, and the agent still answers', async () => {
  const server = createWiki();
  server.tools = [createSayingTool('read_page')];
  const body = { message: 'Search the pages for spring tides' };
  const answer = await readJson(await post(createSessionPath('librarian'), body, { via: sendToWorker }));
  expect(answer).toMatchObject({ outcome: 'completed' });
  expect(answer.text).toContain("MCP tool 'search_pages' not found. Available tools: read_page");
});

it('clients of the Worker list its tool and its agent, and call them', async () => {
  const server = createWiki();
  const client = await connectClient(sendToWorker);
  const { tools } = await client.listTools();
  expect(tools.map(({ name, description }) => [name, description])).toEqual([
    ['count_words', 'Count the words of a text.'],
    ['librarian', 'Answers from the wiki.'],
  ]);
  const counted = await client.callTool({ name: 'count_words', arguments: { text: 'High water at noon' } });
  expect(counted.structuredContent).toEqual({ words: 4 });
  const asked = { message: 'Search the pages for spring tides' };
  const answer = await client.callTool({ name: 'librarian', arguments: asked });
  expect(answer.structuredContent).toMatchObject({ outcome: 'completed' });
  expect(JSON.stringify(answer.content)).toContain('Spring tides come with a new or a full moon.');
  expect(server.requests.filter(({ rpc }) => rpc === 'tools/call')).toHaveLength(1);
});
