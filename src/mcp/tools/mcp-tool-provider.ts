import { discoveryIn } from '../../loop/discovery.ts';
import { answers } from '../../modules/answers/answers.ts';
import { LISTINGS, listings } from '../../modules/listings/entry.ts';
import { defineToolGroup } from '../../modules/tool-groups/entry.ts';
import { type ToolGroupConfig, ToolGroupDefinitionError } from '../../modules/tool-groups/to-group.ts';
import { toolProvider } from '../../sources/resolution/tool-provider.ts';
import type { ToolGroup, ToolProvider } from '../../sources/resolution/tool-source.ts';
import { memoize } from '../../tool/async.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { shorten } from '../../tool/json.ts';
import { literals } from '../../tool/literals.ts';
import { readName } from '../../tool/shown.ts';
import type { AnyTool, CallRun, Discovery, LoopView } from '../../tool/tool.ts';
import { createFact, type MemoryFact } from '../../tool/tool-memory.ts';
import { error } from '../../tool/tool-result.ts';
import { checkClients } from '../client/define-mcp-client.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { findCurrentProblem, findTools, isFresh } from './find-tools.ts';
import { findKnownListing } from './listing.ts';
import { findKnownTools, type McpTool, type McpToolFilter } from './mcp-tool.ts';

/** The argument of `mcpToolProvider`. */
export interface McpToolProviderConfig {
  /** The clients, with unique names. If two have a tool of the same name, the first client's is offered. */
  readonly clients: readonly McpClient[];
  /** Selects tools. Defaults to all tools. */
  readonly filter?: McpToolFilter | undefined;
}

/**
 * Provides the tools of servers for a list of tools. They are listed before each model call, with the
 * credentials of the turn's caller. An unreachable server provides no tools.
 *
 * @throws McpClientDefinitionError if two clients share a name.
 *
 * @example
 * ```ts
 * const tools = [findOrder, mcpToolProvider({ clients: [wiki] })];
 * ```
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
    discover: of.clients.map((client) => (discovery) => findToolFacts(client, discovery)),
    isKnown: (view) => hasFreshListings(of.clients, view),
    toolsNow: (view) =>
      view ? [...selectTools(of, view).map(({ tool }) => tool), ...createPlaceholders(of.clients, view)] : [],
    missing: formatMissingMcpTool,
  });
}

/**
 * Returns whether the session has current lists of all these servers' tools. Compares with the start time of
 * the turn, so every invocation of the turn gets the same result.
 */
export const hasFreshListings = (clients: readonly McpClient[], view: LoopView): boolean =>
  clients.length > 0 && clients.every((client) => isFresh(client, view, view.turnStartedAt));

/** Returns the selected tools, as known to the session. */
export const selectTools = (
  { clients, filter = () => true }: McpToolProviderConfig,
  view: LoopView,
): readonly McpTool[] =>
  clients.flatMap((client) => findKnownTools(client, view).filter(({ listed }) => filter(listed, client)));

/**
 * Returns placeholders for servers that could not be asked for their tools. Without them, a model would
 * invent answers. A call of a placeholder returns the problem. Placeholders depend only on the session's
 * state, because another invocation may run the call.
 */
export const createPlaceholders = (clients: readonly McpClient[], view: LoopView): readonly AnyTool[] =>
  clients.filter((client) => !findKnownListing(client, view)).map(createPlaceholder);

/** Returns a name that is unlikely to match a server's tool, and that every provider accepts. */
const getPlaceholderName = ({ name }: McpClient): string => name.slice(0, 45) + PLACEHOLDER_SUFFIX;

const PLACEHOLDER_SUFFIX = '_is_not_reachable';

const createPlaceholder = memoize(
  (client: McpClient): AnyTool => ({
    name: getPlaceholderName(client),
    description:
      `The tools of MCP server '${client.name}' are missing now, because it cannot be reached. Call this to read why. Without ` +
      'them, say what you could not do.',
    inputSchema: { type: 'object', properties: {} },
    effect: 'read',
    returnDirect: false,
    metadata: {},
    check: async (input) => ({ ok: true, value: input }),
    call: async (_, call) => error((await findProblem(client, call)) ?? 'It can be reached again.'),
  }),
);

/** Returns the problem of a server. If this invocation has not asked the server yet, asks it now. */
async function findProblem(client: McpClient, call: CallRun): Promise<string | undefined> {
  const known = findCurrentProblem(client, call.view);
  // The next model call of the loop journals the facts.
  return known ?? (await findTools(client, discoveryIn(call))).problem;
}

async function findToolFacts(client: McpClient, discovery: Discovery): Promise<readonly MemoryFact[]> {
  const { facts } = await findTools(client, discovery);
  return facts.map((fact) => createFact(LISTINGS, fact));
}

/** The maximum length of a list of names for a model. A server can have thousands. */
const MAX_LISTED = 2_000;

/** The text for a model without any tools to offer. */
export const NO_TOOLS_MESSAGE = 'No MCP tools are available - check MCP client connections.';

/** Returns the text for a call of an unknown tool. */
function formatMissingMcpTool(name: string, available: readonly string[]): string {
  const what = `MCP tool '${shorten(name, 128)}' not found.`;
  const there = available.filter((one) => !one.endsWith(PLACEHOLDER_SUFFIX));
  if (there.length === 0) return `${what} ${NO_TOOLS_MESSAGE}`;
  return `${what} Available tools: ${shorten(there.join(', '), MAX_LISTED)}`;
}

/** The argument of `defineMcpToolGroup`. */
export interface McpToolGroupConfig<Role extends string>
  extends Omit<ToolGroupConfig<Role>, 'tools' | 'permissions'> {
  /** The permissions that its tools need. Defaults to `['internet-access']`, because a server is remote. */
  readonly permissions?: ToolGroupConfig<Role>['permissions'];
  /** The clients with its tools, with unique names. No server is called before a loop needs its tools. */
  readonly clients: readonly McpClient[];
  /** Selects tools by the server's names. Defaults to all tools. */
  readonly filter?: McpToolFilter | undefined;
}

/**
 * Declares a tool group with the tools of MCP servers. Its purpose and permissions are fixed. Its tools are
 * determined in each session, before the model is called. An unreachable server contributes no tools until it
 * is reachable. Without clients, the group is empty, and an agent that requests it gets an error.
 *
 * @throws McpClientDefinitionError if two clients share a name, ToolGroupDefinitionError as in
 * `defineToolGroup`.
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
  if (fault) throw new ToolGroupDefinitionError(readName(config, 'role'), fault.field, fault.problem);
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
