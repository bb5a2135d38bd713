import { discoveryIn } from '../../loop/discovery.ts';
import { answers } from '../../modules/answers/answers.ts';
import { LISTINGS, listings } from '../../modules/listings/entry.ts';
import { defineUnfolding } from '../../modules/unfolding/define-unfolding.ts';
import type { UnfoldingOptions, UnfoldingTool } from '../../modules/unfolding/unfolding.ts';
import { createRequiredToolProvider } from '../../sources/resolution/tool-provider.ts';
import type { ToolProvider } from '../../sources/resolution/tool-source.ts';
import { memoize } from '../../tool/async.ts';
import type { AnyTool, CallRun, LoopView } from '../../tool/tool.ts';
import { checkClients } from '../client/define-mcp-client.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { type FoundTools, findTools } from './find-tools.ts';
import { findKnownListing } from './listing.ts';
import type { McpTool, McpToolFilter } from './mcp-tool.ts';
import {
  createPlaceholders,
  hasFreshListings,
  type McpToolProviderConfig,
  mcpToolProvider,
  NO_TOOLS_MESSAGE,
  selectTools,
} from './mcp-tool-provider.ts';

/** The argument of `createMcpToolFactory`. */
export interface McpToolFactoryConfig {
  /**
   * The clients, with unique names. If two clients have a tool of the same name, the first client's is
   * offered. In an unfolding tool, the others are renamed.
   */
  readonly clients: readonly McpClient[];
  /**
   * Changes each tool before it is offered: `(tool) => withUsageNote(tool, 'Only after the local sources.')`.
   * Use it to name the tools that need no approval: `(tool) => (READS.has(tool.name) ? tool :
   * requireApproval(tool, 'May it?'))`. Do not decide on approval by the tool's `effect`, which can come from
   * its server's hints.
   */
  readonly adapt?: ((tool: AnyTool) => AnyTool) | undefined;
}

/**
 * Creates an unfolding tool with the servers' tools that `by` selects. A boolean in place of the options is
 * the former `removeOnInvoke`, and is ignored.
 */
type UnfoldingBy<By> = <const Name extends string>(
  ...asked: UnfoldingArguments<Name, By>
) => UnfoldingTool<Name>;

type UnfoldingArguments<Name, By> = readonly [
  name: Name,
  description: string,
  by: By,
  options?: UnfoldingOptions | boolean,
];

/** Creates tools from MCP servers. No server is called before a session needs its tools. */
export interface McpToolFactory {
  /** For type inference only, never set. It prevents the factory itself from being listed among tools. */
  readonly '~mcp'?: 'factory';
  /**
   * Returns the tool with this name (the server's or the model's) as an entry for a list of tools. It is
   * empty while no server has the tool.
   */
  toolByName(name: string): ToolProvider;
  /**
   * Returns the same tool. While no server has it, a placeholder with its name explains what is missing and
   * what is available.
   *
   * @throws ToolDefinitionError for an invalid tool name.
   */
  requiredToolByName(name: string): ToolProvider;
  /** Creates an unfolding tool with the tools of these names. */
  unfoldingByName<const Name extends string>(
    name: Name,
    description: string,
    toolNames: Iterable<string>,
    options?: UnfoldingOptions,
  ): UnfoldingTool<Name>;
  /** `removeOnInvoke` is accepted and ignored. */
  unfoldingByName<const Name extends string>(
    name: Name,
    description: string,
    toolNames: Iterable<string>,
    removeOnInvoke: boolean,
  ): UnfoldingTool<Name>;
  /**
   * Creates an unfolding tool with the tools whose names match any of the patterns. A pattern matches
   * anywhere unless it has anchors.
   */
  unfoldingMatching<const Name extends string>(
    name: Name,
    description: string,
    patterns: readonly RegExp[],
    options?: UnfoldingOptions,
  ): UnfoldingTool<Name>;
  /** `removeOnInvoke` is accepted and ignored. */
  unfoldingMatching<const Name extends string>(
    name: Name,
    description: string,
    patterns: readonly RegExp[],
    removeOnInvoke: boolean,
  ): UnfoldingTool<Name>;
  /** Creates an unfolding tool with the tools that the filter accepts. */
  unfolding<const Name extends string>(
    name: Name,
    description: string,
    filter: McpToolFilter,
    options?: UnfoldingOptions,
  ): UnfoldingTool<Name>;
  /** `removeOnInvoke` is accepted and ignored. */
  unfolding<const Name extends string>(
    name: Name,
    description: string,
    filter: McpToolFilter,
    removeOnInvoke: boolean,
  ): UnfoldingTool<Name>;
}

/**
 * Creates a factory from clients, without calling their servers.
 *
 * @throws McpClientDefinitionError if two clients share a name.
 *
 * @example
 * ```ts
 * const tools = createMcpToolFactory({ clients: [wiki] });
 * const search = tools.requiredToolByName('search_pages');
 * ```
 */
export function createMcpToolFactory({ clients: listed, adapt }: McpToolFactoryConfig): McpToolFactory {
  const clients = checkClients(listed);
  // The same tool must yield the same adapted tool, so an unchanged offer keeps its identity.
  const from: FactoryScope = { clients, adapted: adapt ? memoize(adapt) : (tool: AnyTool) => tool };
  return { ...createNamedTools(from), ...createUnfoldingTools(from) };
}

/** The clients of a factory, and its changes to their tools. */
interface FactoryScope {
  readonly clients: readonly McpClient[];
  adapted(tool: AnyTool): AnyTool;
}

function createNamedTools({
  clients,
  adapted,
}: FactoryScope): Pick<McpToolFactory, 'toolByName' | 'requiredToolByName'> {
  const everything = mcpToolProvider({ clients });
  /** Contains only tools of servers, without placeholders. */
  const known: ToolProvider = {
    ...everything,
    toolsNow: (view) => (view ? selectTools({ clients }, view).map(({ tool }) => tool) : []),
  };
  const findAdaptedTools = (name: string, view: LoopView | undefined): readonly AnyTool[] =>
    view ? findToolByName(name, clients, view).map(adapted) : [];
  const createNamedProvider = (name: string): ToolProvider => ({
    ...everything,
    toolsNow(view) {
      const tools = findAdaptedTools(name, view);
      return tools.length > 0 || !view ? tools : createPlaceholders(clients, view);
    },
  });
  return {
    toolByName: createNamedProvider,
    requiredToolByName(name) {
      const provider = createNamedProvider(name);
      const standIn = createRequiredToolProvider([name], [known]);
      return {
        ...provider,
        toolsNow(view) {
          const tools = findAdaptedTools(name, view);
          return tools.length > 0 ? tools : [...standIn.toolsNow(view), ...provider.toolsNow(view)];
        },
      };
    },
  };
}

function createUnfoldingTools({
  clients,
  adapted,
}: FactoryScope): Pick<McpToolFactory, 'unfoldingByName' | 'unfoldingMatching' | 'unfolding'> {
  const createUnfoldingBy =
    <By>(toFilter: (by: By) => McpToolFilter): UnfoldingBy<By> =>
    (...[name, description, by, options = {}]) => {
      const chosen = { clients, filter: toFilter(by) };
      return defineUnfolding({
        ...(typeof options === 'boolean' ? {} : options),
        name,
        description,
        prepare: (call) => prepareTools(chosen, call),
        isKnown: (view) => hasFreshListings(clients, view),
        uses: [listings, answers],
        tools: (view) => selectTools(chosen, view).map(({ tool }) => adapted(tool)),
      });
    };
  return {
    unfoldingByName: createUnfoldingBy((listed) => {
      const names = new Set(listed);
      return ({ name }) => names.has(name);
    }),
    // A pattern with the flag `g` has state, which `search` ignores.
    unfoldingMatching: createUnfoldingBy(
      (patterns) =>
        ({ name }) =>
          patterns.some((pattern) => name.search(pattern) >= 0),
    ),
    unfolding: createUnfoldingBy((filter) => filter),
  };
}

/** Returns the first tool with this name: the server's or, with the client's prefix, the model's. */
function findToolByName(name: string, clients: readonly McpClient[], view: LoopView): readonly AnyTool[] {
  const isCalled = ({ tool, listed }: McpTool): boolean => listed.name === name || tool.name === name;
  return selectTools({ clients }, view)
    .filter(isCalled)
    .slice(0, 1)
    .map(({ tool }) => tool);
}

/** A remark to add to the unfolded tools, or the text of a problem that prevents unfolding. */
type PrepareOutcome = string | { readonly remark: string } | undefined;

/**
 * Lists the tools of servers before an unfolding tool unfolds, and records them. With many servers, an
 * invocation can lack room for all of them. The tool then unfolds with the tools of some servers, and
 * explains to the model how to get the others.
 *
 * @throws CallInterrupted if the lack of room left it without any tools. Another invocation then repeats the
 * call.
 */
async function prepareTools(of: McpToolProviderConfig, call: CallRun): Promise<PrepareOutcome> {
  const answers = await findAllTools(of.clients, call);
  for (const { facts } of answers) for (const fact of facts) call.record(LISTINGS, fact, { on: 'end' });
  const problems = answers.flatMap(({ problem }) => problem ?? []);
  const isEmpty = problems.length === answers.length && selectTools(of, call.view).length === 0;
  if (isEmpty) {
    const why = problems.length > 0 ? problems.join(' ') : NO_TOOLS_MESSAGE;
    return `Tool '${call.tool}' cannot show its tools now. ${why} Go on without them.`;
  }
  const missing = answers.filter(({ problem, client }) => problem && !findKnownListing(client, call.view));
  return missing.length === 0 ? undefined : { remark: formatMissing(missing, call) };
}

interface ServerTools extends FoundTools {
  readonly client: McpClient;
  /** `true` if the invocation had no room to ask the server. */
  readonly isPutOff: boolean;
}

async function findAllTools(clients: readonly McpClient[], call: CallRun): Promise<readonly ServerTools[]> {
  const discovery = discoveryIn(call);
  const settled = await Promise.allSettled(clients.map((client) => findTools(client, discovery)));
  discovery.signal.throwIfAborted();
  const hasFound = settled.some((one) => one.status === 'fulfilled' && one.value.facts.length > 0);
  return clients.flatMap((client, index): readonly ServerTools[] => {
    const one = settled[index];
    if (one?.status === 'fulfilled') return [{ client, isPutOff: false, ...one.value }];
    // Each invocation must list at least one server. Otherwise the model would repeat the call forever.
    if (!hasFound) throw one?.reason;
    const problem = `MCP server '${client.name}' is not asked yet.`;
    return [{ client, isPutOff: true, facts: [], problem }];
  });
}

/**
 * Returns the problems of the missing tools. If only room was lacking, adds that another call gets these
 * tools.
 */
function formatMissing(missing: readonly ServerTools[], { tool }: CallRun): string {
  const problems = missing.map(({ problem }) => problem).join(' ');
  const again = missing.some(({ isPutOff }) => isPutOff) ? ` Call '${tool}' again for the other tools.` : '';
  return `Some tools of '${tool}' are not here. ${problems}${again}`;
}
