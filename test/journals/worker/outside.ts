/** Agents that are reached from outside, or whose tools come from there: a webhook, a tool group, an MCP server. */
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
import { acting, scene } from './scene.ts';

const hooked = scene('hooked', { tools: [acting('hooked', 'look_up', { effect: 'read' })] });

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
    acting('tool-group', 'search', { effect: 'read' }),
    acting('tool-group', 'fetch_page', { effect: 'idempotent' }),
  ],
});
const toolGroup = scene('tool-group', {
  tools: [acting('tool-group', 'note', { effect: 'once' }), asksFor('web')],
});

const groups = registered([web]);

/** Where the MCP server is: this Worker, without a network in between. */
type Serve = Holdfast['worker']['fetch'];
let serve: Serve = () => new Response('not yet', { status: 503 });

/** What an endpoint looks at; the rest is not there. */
const execution = {
  waitUntil: () => undefined,
  passThroughOnException: () => undefined,
} as Partial<ExecutionContext> as ExecutionContext;

/** As it is when it came by no network: nothing here looks at where it came from. */
const asIncoming = (request: Request): IncomingRequest => request as IncomingRequest;
type IncomingRequest = Parameters<Serve>[0];

const wiki = defineMcpClient({
  name: 'wiki',
  url: 'http://localhost/mcp',
  transport: 'streamable-http',
  fetch: async (url, init) => {
    // What is offered while it is read is what the session remembers.
    if (env.CLOCK_AHEAD !== undefined) throw new Error('The server is away.');
    return serve(asIncoming(new Request(url, init)), {}, execution);
  },
});
const tools = createMcpToolFactory({ clients: [wiki] });
const mcp = scene('mcp', {
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

export const outside = [hooked, toolGroup, mcp];

/** What the app declares for them; `worker` is what serves. */
export function served(worker: Serve): Pick<HoldfastConfig, 'use'> {
  serve = worker;
  return { use: [groups, hook, endpoint] };
}
