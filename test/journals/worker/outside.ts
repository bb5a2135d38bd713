/** Agents with external clients or external tools: a webhook, a tool group, and an MCP server. */
import { env } from 'cloudflare:workers';
import * as v from 'valibot';
import type { Holdfast, HoldfastConfig } from '../../../src/create-holdfast.ts';
import { defineTool } from '../../../src/index.ts';
import { defineMcpEndpoint } from '../../../src/mcp/server/entry.ts';
import { createMcpToolFactory, defineMcpClient } from '../../../src/mcp/tools/entry.ts';
import {
  toolGroup as asksFor,
  defineToolGroup,
  toolGroups as registered,
} from '../../../src/modules/tool-groups/entry.ts';
import { defineWebhook, verified } from '../../../src/modules/webhooks/entry.ts';
import { createActingTool, defineScene } from './scene.ts';

const hookedScene = defineScene('hooked', {
  tools: [createActingTool('hooked', 'look_up', { effect: 'read' })],
});

const delivery = v.object({ id: v.string(), message: v.string() });

const hook = defineWebhook({
  name: 'sender',
  agent: 'hooked',
  owner: { id: 'ada' },
  verify: ({ body }) => {
    const sent = v.parse(delivery, JSON.parse(new TextDecoder().decode(body)));
    return verified(sent.id, sent);
  },
  start: ({ payload }) => ({ session: 's', message: payload.message }),
});

const web = defineToolGroup({
  role: 'web',
  description: 'The web.',
  childToolUsageNotes: 'Search before you fetch.',
  tools: [
    createActingTool('tool-group', 'search', { effect: 'read' }),
    createActingTool('tool-group', 'fetch_page', { effect: 'idempotent' }),
  ],
});
const toolGroup = defineScene('tool-group', {
  tools: [createActingTool('tool-group', 'note', { effect: 'once' }), asksFor('web')],
});

const groups = registered([web]);

/** The MCP server, which is this Worker, called without a network. */
type ServeFunction = Holdfast['worker']['fetch'];
let serve: ServeFunction = () => new Response('not yet', { status: 503 });

/** The members of an execution context that an endpoint uses. */
const execution = {
  waitUntil: () => undefined,
  passThroughOnException: () => undefined,
} as Partial<ExecutionContext> as ExecutionContext;

/**
 * Converts a request that did not arrive over a network to the type of incoming requests. No code here reads
 * its network data.
 */
const asIncoming = (request: Request): IncomingRequest => request as IncomingRequest;
type IncomingRequest = Parameters<ServeFunction>[0];

const wiki = defineMcpClient({
  name: 'wiki',
  url: 'http://localhost/mcp',
  transport: 'streamable-http',
  fetch: async (url, init) => {
    // When the journal is read, the tools come from the session's stored list.
    if (env.CLOCK_AHEAD !== undefined) throw new Error('The server is down.');
    return serve(asIncoming(new Request(url, init)), {}, execution);
  },
});
const tools = createMcpToolFactory({ clients: [wiki] });
const mcp = defineScene('mcp', {
  tools: [
    tools.requiredToolByName('count_words'),
    tools.unfoldingMatching('pages', 'Reads pages.', [/_page$/]),
  ],
});

const endpoint = defineMcpEndpoint({
  tools: [
    defineTool({
      name: 'count_words',
      description: 'Counts words.',
      input: v.object({ text: v.string() }),
      effect: 'read',
      run: ({ text }) => ({ words: text.split(' ').length }),
    }),
    defineTool({
      name: 'read_page',
      description: 'Reads a page.',
      input: v.object({ title: v.string() }),
      effect: 'read',
      run: ({ title }) => `All about ${title}.`,
    }),
    defineTool({ name: 'write_page', description: 'Writes a page.', effect: 'once', run: () => 'Written.' }),
  ],
});

export const outsideScenes = [hookedScene, toolGroup, mcp];

/** Returns the app's options for these agents. `worker` handles the MCP requests. */
export function serveWith(worker: ServeFunction): Pick<HoldfastConfig, 'use'> {
  serve = worker;
  return { use: [groups, hook, endpoint] };
}
