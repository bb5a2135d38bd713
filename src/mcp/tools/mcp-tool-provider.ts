import { discoveryIn } from '../../loop/discovery.ts';
import { answers } from '../../modules/answers/answers.ts';
import { LISTINGS, listings } from '../../modules/listings/entry.ts';
import { defineToolGroup } from '../../modules/tool-groups/entry.ts';
import { type ToolGroupConfig, ToolGroupDefinitionError } from '../../modules/tool-groups/to-group.ts';
import { toolProvider } from '../../sources/resolution/tool-provider.ts';
import type { ToolGroup, ToolProvider } from '../../sources/resolution/tool-source.ts';
import { memoized } from '../../tool/async.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { shorten } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { nameIn } from '../../tool/shown.ts';
import type { AnyTool, CallRun, Discovery, LoopView } from '../../tool/tool.ts';
import { factOf, type MemoryFact } from '../../tool/tool-memory.ts';
import { error } from '../../tool/tool-result.ts';
import { checkClients } from '../client/define-mcp-client.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { findTools, isFresh, problemNow } from './find-tools.ts';
import { knownListing } from './listing.ts';
import { knownMcpTools, type McpTool, type McpToolFilter } from './mcp-tool.ts';

/** The literal that `mcpToolProvider` takes: which tools of which servers. */
export interface McpToolProviderConfig {
  /** Each has a name of its own. When two have a tool of one name, the first client's is offered. */
  readonly clients: readonly McpClient[];
  /** All of them unless given. */
  readonly filter?: McpToolFilter | undefined;
}

/**
 * Brings the tools of servers to a list of tools. They are found before the model is asked, with the credentials of whoever's
 * turn it is, and a server that cannot be reached has none.
 *
 * @throws McpClientDefinitionError when two clients share a name.
 */
export function mcpToolProvider({ clients, filter }: McpToolProviderConfig): ToolProvider {
  const of = { clients: checkClients(clients), filter };
  const names = of.clients.map(({ name }) => name).join(', ');
  return toolProvider({
    about: {
      name: `MCP: ${names}`,
      description: `Tools of the MCP servers ${names}, found in each session.`,
    },
    uses: [listings, answers],
    discover: of.clients.map((client) => (discovery) => found(client, discovery)),
    isKnown: (view) => areListed(of.clients, view),
    toolsNow: (view) =>
      view ? [...chosenTools(of, view).map(({ tool }) => tool), ...unreachable(of.clients, view)] : [],
    missing: missingMcpTool,
  });
}

/**
 * Returns whether the session has lists of the tools of all these servers that were current when its turn started: by that time, so that
 * every invocation of the turn answers the same.
 */
export const areListed = (clients: readonly McpClient[], view: LoopView): boolean =>
  clients.length > 0 && clients.every((client) => isFresh(client, view, view.turnStartedAt));

/** Answers the tools as the session knows them. */
export const chosenTools = (
  { clients, filter = () => true }: McpToolProviderConfig,
  view: LoopView,
): readonly McpTool[] =>
  clients.flatMap((client) => knownMcpTools(client, view).filter(({ listed }) => filter(listed, client)));

/**
 * Stands in for the tools of servers of which the session knows none, since they could not be asked for them: a model that is not told
 * what it lacks would make its answers up. A call is answered with what is wrong. Decided from the state alone: an invocation that runs
 * a call of a stand-in need not be the one that asked the server.
 */
export const unreachable = (clients: readonly McpClient[], view: LoopView): readonly AnyTool[] =>
  clients.filter((client) => !knownListing(client, view)).map(standInOf);

/** No tool of a server is called so by chance, and every provider takes the name. */
const nameOfStandIn = ({ name }: McpClient): string => name.slice(0, 45) + MISSING;

const MISSING = '_is_not_reachable';

const standInOf = memoized(
  (client: McpClient): AnyTool => ({
    name: nameOfStandIn(client),
    description:
      `The tools of MCP server '${client.name}' are missing now, because it cannot be reached. Call this to read why. Without ` +
      'them, say what you could not do.',
    inputSchema: { type: 'object', properties: {} },
    effect: 'read',
    returnDirect: false,
    metadata: {},
    check: async (input) => ({ ok: true, value: input }),
    call: async (_, call) => error((await problemIn(client, call)) ?? 'It can be reached again.'),
  }),
);

/** Returns what is wrong with a server, which an invocation that has not asked it yet asks. */
async function problemIn(client: McpClient, call: CallRun): Promise<string | undefined> {
  const known = problemNow(client, call.view);
  // What is found is for the next model call of the loop to journal.
  return known ?? (await findTools(client, discoveryIn(call))).problem;
}

async function found(client: McpClient, discovery: Discovery): Promise<readonly MemoryFact[]> {
  const { facts } = await findTools(client, discovery);
  return facts.map((fact) => factOf(LISTINGS, fact));
}

/** The most characters of the names that a model is told of: a server may have thousands. */
const MAX_LISTED = 2_000;

/** What a model reads where nothing can be offered. */
export const NO_TOOLS = 'No MCP tools are available - check MCP client connections.';

/** Tells a model that called a tool which is not there. */
function missingMcpTool(name: string, available: readonly string[]): string {
  const what = `MCP tool '${shorten(name, 128)}' not found.`;
  const there = available.filter((one) => !one.endsWith(MISSING));
  if (there.length === 0) return `${what} ${NO_TOOLS}`;
  return `${what} Available tools: ${shorten(there.join(', '), MAX_LISTED)}`;
}

/** The literal that `defineMcpToolGroup` takes. */
export interface McpToolGroupConfig<Role extends string>
  extends Omit<ToolGroupConfig<Role>, 'tools' | 'permissions'> {
  /** What its tools reach; `['internet-access']` unless given, since a server is somewhere else. */
  readonly permissions?: ToolGroupConfig<Role>['permissions'];
  /** Whose tools it has, each by a name of its own; none is asked before a loop needs its tools. */
  readonly clients: readonly McpClient[];
  /** Which of their tools; all unless given. The name is the server's. */
  readonly filter?: McpToolFilter | undefined;
}

/**
 * Declares a tool group with the tools of MCP servers. What it is for and what it reaches is known at once, and
 * its tools in each session, when the model is asked: a server that cannot be reached has none, until it can. Without clients
 * the group has no tools, and an agent that asks for it is told so.
 *
 * @throws McpClientDefinitionError when two clients share a name; ToolGroupDefinitionError as `defineToolGroup`.
 *
 * @example
 * ```ts
 * const pages = defineMcpToolGroup({
 *   role: 'pages',
 *   description: 'Reads the wiki.',
 *   clients: [wiki],
 *   filter: ({ name }) => name.startsWith('read_'),
 * });
 * ```
 */
export function defineMcpToolGroup<const Role extends string>(
  config: McpToolGroupConfig<Role>,
): ToolGroup<Role> {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new ToolGroupDefinitionError(nameIn(config, 'role'), fault.field, fault.problem);
  const { clients, filter, permissions = ['internet-access'], ...group } = config;
  const distinct = checkClients(clients);
  const tools = distinct.length === 0 ? [] : [mcpToolProvider({ clients: distinct, filter })];
  return defineToolGroup({ ...group, permissions, tools });
}

const SHAPE = {
  of: 'defineMcpToolGroup',
  keys: {
    role: 'text',
    description: 'text',
    clients: 'list',
    filter: 'function',
    name: 'text',
    provider: 'text',
    version: 'text',
    permissions: 'list',
    childToolUsageNotes: 'text',
  },
  required: ['role', 'description', 'clients'],
  foreign: { servers: 'clients', tools: 'filter' },
} satisfies LiteralShape<keyof McpToolGroupConfig<string>>;
