import { requiredTools } from '../../sources/resolution/required-tools.ts';
import type { ToolProvider } from '../../sources/resolution/tool-source.ts';
import type { LoopView } from '../../tool/injection.ts';
import { LISTINGS } from '../../tool/listings.ts';
import type { AnyTool, LiveCall } from '../../tool/tool.ts';
import { defineUnfolding } from '../../tool/unfolding/define-unfolding.ts';
import type { UnfoldingOptions, UnfoldingTool } from '../../tool/unfolding/unfolding-config.ts';
import { memoized } from '../../tool/until-aborted.ts';
import { checkClients } from '../client/check-clients.ts';
import type { McpClient } from '../client/mcp-client.ts';
import { type FoundTools, findTools } from './find-tools.ts';
import { knownListing } from './known-listing.ts';
import type { McpTool, McpToolFilter } from './known-mcp-tools.ts';
import { chosenTools, type McpToolProviderConfig, mcpToolProvider, NO_TOOLS } from './mcp-tool-provider.ts';

/** What the literal of a factory says. */
export interface McpToolFactoryConfig {
  /**
   * Each by a name of its own. When two clients have a tool of one name, the first client's is offered; behind an unfolding tool
   * the others are renamed (UNF-31).
   */
  readonly clients: readonly McpClient[];
  /** Changes each tool before anybody is offered it: `(tool) => withUsageNote(tool, 'Only after the local sources.')`. */
  readonly adapt?: ((tool: AnyTool) => AnyTool) | undefined;
}

/** Makes tools of what MCP servers have (MCP-01). No server is asked before a session needs its tools (MCP-08). */
export interface McpToolFactory {
  /** The tool of this name, the server's or the model's; none while no server has it. For a list of tools. */
  toolByName(name: string): ToolProvider;
  /**
   * The same; while no server has it, a stand-in of this name whose calls are answered with what is missing and what there
   * is (MCP-02).
   *
   * @throws ToolDefinitionError for a name that no tool can have.
   */
  requiredToolByName(name: string): ToolProvider;
  /** An unfolding tool with the tools of these names. */
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
  /** An unfolding tool with the tools in whose names any of the patterns is found: anywhere, unless it says otherwise (MCP-03). */
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
  /** An unfolding tool with the tools that the filter takes. */
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
 * Makes a factory of clients; nothing is asked of them.
 *
 * @throws McpClientDefinitionError when two clients share a name.
 */
export function createMcpToolFactory({ clients: listed, adapt }: McpToolFactoryConfig): McpToolFactory {
  const clients = checkClients(listed);
  // The same tool for the same tool: an offer that has not changed stays the same offer.
  const adapted = adapt ? memoized(adapt) : (tool: AnyTool) => tool;

  const named = (name: string): ToolProvider => ({
    ...mcpToolProvider({ clients }),
    toolsNow: (view) => (view ? toolCalled(name, clients, view).map(adapted) : []),
  });

  const unfolding = <const Name extends string>(
    name: Name,
    description: string,
    filter: McpToolFilter,
    options: UnfoldingOptions | boolean = {},
  ): UnfoldingTool<Name> =>
    defineUnfolding({
      ...(typeof options === 'boolean' ? {} : options),
      name,
      description,
      prepare: (invocation) => prepareTools({ clients, filter }, invocation),
      tools: (view) => chosenTools({ clients, filter }, view).map(({ tool }) => adapted(tool)),
    });

  return {
    toolByName: named,
    requiredToolByName(name) {
      const provider = named(name);
      const standIn = requiredTools([name], [mcpToolProvider({ clients })]);
      return {
        ...provider,
        toolsNow(view) {
          const tools = provider.toolsNow(view);
          return tools.length > 0 ? tools : standIn.toolsNow(view);
        },
      };
    },
    unfoldingByName(
      name: string,
      description: string,
      toolNames: Iterable<string>,
      options?: UnfoldingOptions | boolean,
    ) {
      const names = new Set(toolNames);
      return unfolding(name, description, (listed) => names.has(listed.name), options);
    },
    // A pattern with the flag `g` remembers where it was; `search` does not go by that.
    unfoldingMatching: (name, description, patterns, options) =>
      unfolding(name, description, (listed) => patterns.some((one) => listed.name.search(one) >= 0), options),
    unfolding,
  };
}

/** The first tool that either side calls so: its server, or, with the client's prefix, the model. */
function toolCalled(name: string, clients: readonly McpClient[], view: LoopView): readonly AnyTool[] {
  const isCalled = ({ tool, listed }: McpTool): boolean => listed.name === name || tool.name === name;
  return chosenTools({ clients }, view)
    .filter(isCalled)
    .slice(0, 1)
    .map(({ tool }) => tool);
}

/** As a facade says it: a remark when it opens, or what is wrong. */
type Prepared = string | { readonly remark: string } | undefined;

/**
 * Asks the servers of a facade for their tools before it opens, and records what they have. With many servers an invocation
 * may have no room for all: then it opens with those of some, and the model is told how to come by the others.
 *
 * @throws CallInterrupted when nothing was found, for lack of room: another invocation begins the call anew.
 */
async function prepareTools(of: McpToolProviderConfig, invocation: LiveCall): Promise<Prepared> {
  const answers = await answersOf(of.clients, invocation);
  for (const { facts } of answers) for (const fact of facts) invocation.record(LISTINGS, fact);
  const problems = answers.flatMap(({ problem }) => problem ?? []);
  const isEmpty = problems.length === answers.length && chosenTools(of, invocation.view).length === 0;
  if (isEmpty) {
    const why = problems.length > 0 ? problems.join(' ') : NO_TOOLS;
    return `Tool '${invocation.tool}' cannot show its tools now. ${why} Go on without them.`;
  }
  const missing = answers.filter(({ problem, client }) => problem && !knownListing(client, invocation.view));
  return missing.length === 0 ? undefined : { remark: remarkOf(missing, invocation) };
}

interface Answer extends FoundTools {
  readonly client: McpClient;
  /** The invocation had no room for it. */
  readonly isPutOff: boolean;
}

async function answersOf(clients: readonly McpClient[], invocation: LiveCall): Promise<readonly Answer[]> {
  const { discovery } = invocation;
  const settled = await Promise.allSettled(clients.map((client) => findTools(client, discovery)));
  discovery.signal.throwIfAborted();
  const hasFound = settled.some((one) => one.status === 'fulfilled' && one.value.facts.length > 0);
  return clients.flatMap((client, index): readonly Answer[] => {
    const one = settled[index];
    if (one?.status === 'fulfilled') return [{ client, isPutOff: false, ...one.value }];
    // Something has to come of an invocation, or the model would call for the rest without end.
    if (!hasFound) throw one?.reason;
    const problem = `MCP server '${client.name}' is not asked yet.`;
    return [{ client, isPutOff: true, facts: [], problem }];
  });
}

/** What is missing, and that it can be had, where nothing but room was lacking. */
function remarkOf(missing: readonly Answer[], { tool }: LiveCall): string {
  const problems = missing.map(({ problem }) => problem).join(' ');
  const again = missing.some(({ isPutOff }) => isPutOff) ? ` Call '${tool}' again for the other tools.` : '';
  return `Some tools of '${tool}' are not here. ${problems}${again}`;
}
